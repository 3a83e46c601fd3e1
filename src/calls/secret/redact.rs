//! Replaces secrets by placeholders: the same placeholder for the same secret everywhere.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::AhoCorasick;

use super::spelling::SpelledNumbers;
use super::{SecretClass, SecretKind};
use crate::source::sha256_hex;
use document::text::{is_part_of_word, quoted, remove_overlapping};

/// Returns whether a text contains a word that [`Redaction`] puts in place of a secret.
pub fn is_redacted(text: &str) -> bool {
    !find_placeholders(text).is_empty()
}

/// Finds the words that [`Redaction`] puts in place of secrets, in order.
pub fn find_placeholders(text: &str) -> Vec<Range<usize>> {
    let placeholders = text.match_indices("redacted-").filter_map(|(at, mark)| {
        let tail = &text[at + mark.len()..];
        let end = tail.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let (word, rest) = tail.split_at(end.unwrap_or(tail.len()));
        let number = word.rsplit('-').next().unwrap_or(word);
        let is_numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let end = at + mark.len() + word.len();
        if !is_numbered {
            return None;
        }
        let host =
            ["@example.com", "%40example.com"].into_iter().find(|host| rest.starts_with(host));
        if let Some(host) = host.filter(|_| word == number) {
            return Some(at..end + host.len());
        }
        let is_key = word != number && text[..at].ends_with('[') && rest.starts_with(']');
        is_key.then(|| at - 1..end + 1)
    });
    placeholders.collect()
}

/// The fewest letters of the id of an account that is no ordinary word, if it has a digit.
const MIN_DISTINCT_BYTES: usize = 8;

/// The secrets to redact, each with its placeholder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// By the secret.
    placeholders: BTreeMap<String, Placeholder>,
    /// The placeholders of each label, by what all spellings of a value have in common.
    numbers: BTreeMap<&'static str, BTreeMap<String, usize>>,
    /// Values that are found in any spelling: those that are numbers.
    spelled: SpelledNumbers,
    /// The key from which the numbers of placeholders are computed; without it, they are counted.
    key: Option<RedactionKey>,
}

/// The replacement of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Placeholder {
    word: String,
    scope: Scope,
}

/// The places at which a value is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Everywhere,
    /// Only where it is no part of a longer word.
    Apart,
    /// Only where it is recognised: it may be a word of ordinary texts, such as the name of an organization.
    Recognised,
}

/// A project's own key, by which a secret always has the same placeholder. Without it, trying secrets does not show which one a
/// placeholder is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactionKey(String);

impl RedactionKey {
    /// Reads a key: 64 hexadecimal digits, as [`to_text`](Self::to_text) writes them.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_key = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_key.then(|| Self(text.to_ascii_lowercase()))
    }

    /// Makes a key of random bytes.
    pub fn from_random(bytes: &[u8]) -> Self {
        Self(sha256_hex(bytes).into())
    }

    /// Returns the text of its file.
    pub fn to_text(&self) -> String {
        format!("{}\n", self.0)
    }

    /// Returns the number of a secret by its [common_spelling]: 12 digits, so that one person has one number.
    fn number(&self, kind: SecretKind, core: &str) -> u64 {
        // Hashed twice with the key, as in HMAC, so that a known hash cannot be continued.
        let inner_hash = sha256_hex(format!("{}\n{}\n{core}", self.0, kind.label).as_bytes());
        let hash = sha256_hex(format!("{}\n{inner_hash}", self.0).as_bytes());
        // 15 hexadecimal digits fit into 64 bits, and are far more than twelve decimal ones need.
        u64::from_str_radix(&hash[..15], 16).unwrap_or_default() % 1_000_000_000_000
    }
}

impl Redaction {
    /// Gives each secret the placeholder that follows from a key, in place of the next number.
    pub fn with_key(key: RedactionKey) -> Self {
        Self { key: Some(key), ..Self::default() }
    }

    /// Takes out a secret, from now on and everywhere. A secret that is known keeps its word.
    pub fn add(&mut self, kind: SecretKind, secret: &str) {
        if secret.is_empty() || self.placeholders.contains_key(secret) {
            return;
        }
        let core = common_spelling(kind, secret);
        let numbers = self.numbers.entry(kind.label).or_default();
        let next = numbers.len() + 1;
        let count = match &self.key {
            Some(key) => format!("{:012}", key.number(kind, &core)),
            None => numbers.entry(core).or_insert(next).to_string(),
        };
        let word = match kind.class {
            // It remains a valid address, so that code that parses it still works.
            SecretClass::Address => format!("redacted-{count}@example.com"),
            SecretClass::Key | SecretClass::Account | SecretClass::Personal => {
                format!("[redacted-{}-{count}]", kind.label)
            }
        };
        let has_digit = || secret.bytes().any(|byte| byte.is_ascii_digit());
        let scope = match kind.class {
            SecretClass::Key | SecretClass::Address => Scope::Everywhere,
            SecretClass::Account if secret.len() < MIN_DISTINCT_BYTES || !has_digit() => {
                Scope::Recognised
            }
            SecretClass::Account | SecretClass::Personal => Scope::Apart,
        };
        if kind.class == SecretClass::Address {
            // URLs contain addresses in this form.
            let word = word.replace('@', "%40");
            let url_placeholder = Placeholder { word, scope };
            self.placeholders.insert(secret.replace('@', "%40"), url_placeholder);
        }
        self.spelled.add(kind, secret, &word);
        self.placeholders.insert(secret.to_owned(), Placeholder { word, scope });
    }

    /// Keeps a secret unredacted. The placeholders of others do not change.
    pub fn exclude(&mut self, secret: &str) {
        let removed = self.placeholders.remove(secret);
        self.placeholders.remove(&secret.replace('@', "%40"));
        removed.iter().for_each(|placeholder| self.spelled.remove(&placeholder.word));
    }

    /// Returns the placeholder of a secret.
    pub fn placeholder(&self, secret: &str) -> Option<&str> {
        self.placeholders.get(secret).map(|p| &*p.word)
    }

    /// Returns what finds the secrets in texts.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many secrets.
    pub fn finder(&self) -> Result<RedactionFinder, String> {
        let values = AhoCorasick::new(self.placeholders.keys())
            .map_err(|error| format!("Too many texts to replace: {error}"))?;
        Ok(RedactionFinder {
            values,
            placeholders: self.placeholders.values().cloned().collect(),
            words: self.placeholders.clone(),
            spelled: self.spelled.clone(),
        })
    }
}

/// Finds the secrets of a redaction in texts.
#[derive(Clone, Debug)]
pub struct RedactionFinder {
    values: AhoCorasick,
    /// By the number of the value.
    placeholders: Vec<Placeholder>,
    /// By the value.
    words: BTreeMap<String, Placeholder>,
    spelled: SpelledNumbers,
}

/// Returns what all spellings of a value have in common: its letters and digits, of a phone number those without the country.
pub fn common_spelling(kind: SecretKind, value: &str) -> String {
    let letters = value.chars().filter(|c| c.is_alphanumeric() || *c == '@');
    let core: String = letters.flat_map(char::to_lowercase).collect();
    match kind.label {
        "phone" => {
            core[core.ceil_char_boundary(core.len().saturating_sub(NATIONAL_DIGITS))..].to_owned()
        }
        _ => core,
    }
}

/// The last digits of a phone number, which are the same with and without its country.
pub(super) const NATIONAL_DIGITS: usize = 9;

impl RedactionFinder {
    /// Finds the parts of a text to replace, in order, each with its placeholder; of what overlaps, the first and longest. What is in
    /// a placeholder is none.
    pub fn find(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        let mut parts = self.find_all(text);
        if parts.is_empty() {
            return parts;
        }
        let placeholders = find_placeholders(text);
        let is_free = |range: &Range<usize>| {
            let at = placeholders.partition_point(|r| r.end <= range.start);
            placeholders.get(at).is_none_or(|r| r.start >= range.end)
        };
        parts.retain(|(range, _)| is_free(range));
        parts.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
        remove_overlapping(&mut parts, |(range, _)| range);
        parts
    }

    /// Returns whether a value is replaced only where it is recognised.
    pub fn has_recognised(&self) -> bool {
        self.placeholders.iter().any(|p| p.scope == Scope::Recognised)
    }

    /// Returns the placeholder of a value that is replaced only where it is recognised.
    pub fn placeholder_if_recognised(&self, value: &str) -> Option<&str> {
        self.words.get(value).filter(|p| p.scope == Scope::Recognised).map(|p| &*p.word)
    }

    fn find_all(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        let hits = self.values.find_overlapping_iter(text);
        hits.map(|m| (m.range(), &self.placeholders[m.pattern().as_usize()]))
            .filter(|(range, placeholder)| match placeholder.scope {
                Scope::Everywhere => true,
                Scope::Apart => !is_part_of_word(text, range),
                Scope::Recognised => false,
            })
            .map(|(range, p)| (range, &*p.word))
            .chain(self.spelled.find(text))
            .collect()
    }

    /// Refuses a value with letters, such as a listed name, that occurs in the placeholders.
    ///
    /// # Errors
    ///
    /// Names the value, in a sentence without a full stop. It is a word of placeholders, and so no secret.
    pub fn check_placeholders(&self) -> Result<(), String> {
        for Placeholder { word, .. } in &self.placeholders {
            let mut values = self.find_all(word).into_iter().map(|(range, _)| &word[range]);
            if let Some(value) = values.find(|v| v.contains(char::is_alphabetic)) {
                let value = quoted(value);
                return Err(format!(
                    "{value} occurs in the placeholders; remove it from the list of names, or from the project's own patterns"
                ));
            }
        }
        Ok(())
    }
}
