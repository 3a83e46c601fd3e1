//! Finds numbers of persons in any spelling: an account with and without spaces, a phone number with and without its country.

use std::collections::BTreeMap;
use std::ops::Range;

use super::redact::{NATIONAL_DIGITS, common_spelling};
use super::{SecretClass, SecretKind};
use document::text::is_part_of_word;

/// The fewest letters and digits of a number that is found in any spelling; fewer could be another number.
const MIN_CORE_BYTES: usize = 9;

/// The longest prefix of a country and an area in front of the last digits of a phone number: `0049151`.
const MAX_PREFIX_DIGITS: usize = 7;

/// Numbers with their placeholders, by their first four letters and digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SpelledNumbers(BTreeMap<[u8; 4], Vec<SpelledNumber>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct SpelledNumber {
    core: String,
    /// Of a phone number, the digits before its last ones without zeros in front: those of the country and the area.
    prefix: Option<String>,
    word: String,
}

impl SpelledNumbers {
    /// Adds a value, if it is a number of a person.
    pub(super) fn add(&mut self, kind: SecretKind, value: &str, word: &str) {
        let core = common_spelling(kind, value);
        let digits: String = value.chars().filter(char::is_ascii_digit).collect();
        let is_number = kind.class == SecretClass::Personal
            && core.is_ascii()
            && core.len() >= MIN_CORE_BYTES
            && digits.len() + 1 >= MIN_CORE_BYTES
            && kind.label != "street";
        if let Some(head) = core.as_bytes().first_chunk().filter(|_| is_number) {
            let head_digits = &digits[..digits.len().saturating_sub(NATIONAL_DIGITS)];
            let prefix =
                (kind.label == "phone").then(|| head_digits.trim_start_matches('0').to_owned());
            let numbers = self.0.entry(*head).or_default();
            let number = SpelledNumber { core: core.clone(), prefix, word: word.to_owned() };
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
    }

    /// Removes a value by its placeholder.
    pub(super) fn remove(&mut self, word: &str) {
        self.0.values_mut().for_each(|numbers| numbers.retain(|number| number.word != word));
    }

    /// Finds the numbers in a text, each with its placeholder.
    pub(super) fn find(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        // Only these count; what is between two of them is a separator, or ends the number.
        let is_sign = |(_, byte): &(usize, u8)| byte.is_ascii_alphanumeric();
        let signs: Vec<(usize, u8)> = text
            .bytes()
            .enumerate()
            .filter(is_sign)
            .map(|(at, b)| (at, b.to_ascii_lowercase()))
            .collect();
        let mut found = Vec::new();
        for start in 0..signs.len() {
            let Some(head) =
                signs[start..].first_chunk::<4>().map(|head| head.map(|(_, byte)| byte))
            else {
                break;
            };
            for number in self.0.get(&head).into_iter().flatten() {
                if let Some(range) = number.range(text, &signs, start) {
                    found.push((range, &*number.word));
                }
            }
        }
        found
    }
}

impl SpelledNumber {
    /// Returns the place of the number whose core begins at a sign of a text.
    fn range(&self, text: &str, signs: &[(usize, u8)], start: usize) -> Option<Range<usize>> {
        let part = signs.get(start..start + self.core.len())?;
        if !part.iter().map(|(_, byte)| *byte).eq(self.core.bytes()) {
            return None;
        }
        let is_joined = |pair: &[(usize, u8)]| is_separator(&text[pair[0].0 + 1..pair[1].0]);
        if !part.windows(2).all(is_joined) {
            return None;
        }
        let end = part.last()?.0 + 1;
        // The longest prefix counts, so that none of it remains.
        let max_prefix = if self.prefix.is_some() { MAX_PREFIX_DIGITS.min(start) } else { 0 };
        let prefixes = (0..=max_prefix).rev().filter(|len| {
            let head = &signs[start - len..=start];
            let digits: String = head[..*len].iter().map(|(_, byte)| char::from(*byte)).collect();
            let area = digits.trim_start_matches('0');
            let own = self.prefix.as_deref().unwrap_or_default();
            let is_own = own.ends_with(area) || area.ends_with(own) && !own.is_empty();
            let zeros = digits.len() - area.len();
            is_own && zeros <= 2 && head.windows(2).all(is_joined)
        });
        let starts = prefixes.map(|len| text[..signs[start - len].0].trim_end_matches('+').len());
        starts.map(|at| at..end).find(|range| !is_part_of_word(text, range))
    }
}

/// Returns whether a text is between two parts of one number, such as ` `, `) ` or `/`.
fn is_separator(text: &str) -> bool {
    const MAX_BYTES: usize = 3;
    text.len() <= MAX_BYTES && text.chars().all(|sign| " .-/()\u{a0}".contains(sign))
}
