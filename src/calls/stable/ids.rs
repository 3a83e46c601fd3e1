//! Generated ids: their forms, and what they become.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::collect::{FoundTexts, TextPlace};
use crate::source::sha256_hex;
use crate::tape::verify::ignore::{is_uuid, prefix_len};
use document::text::with_replaced;

/// Letters of an id.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    Digits,
    /// Lower-case hexadecimal digits.
    Hex,
    UpperHex,
    Lower,
    Upper,
    Mixed,
}

impl Alphabet {
    fn of(text: &str) -> Self {
        let has_byte = |condition: fn(&u8) -> bool| text.as_bytes().iter().any(&condition);
        let has_upper = has_byte(u8::is_ascii_uppercase);
        let has_lower = has_byte(u8::is_ascii_lowercase);
        let is_hex = text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        match (has_upper, has_lower, is_hex) {
            (false, false, _) => Self::Digits,
            (false, true, true) => Self::Hex,
            (true, false, true) => Self::UpperHex,
            (false, true, false) => Self::Lower,
            (true, false, false) => Self::Upper,
            (true, true, _) => Self::Mixed,
        }
    }

    fn letters(self) -> &'static [u8] {
        match self {
            Self::Digits => b"0123456789",
            Self::Hex => b"0123456789abcdef",
            Self::UpperHex => b"0123456789ABCDEF",
            Self::Lower => b"0123456789abcdefghijklmnopqrstuvwxyz",
            Self::Upper => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            Self::Mixed => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        }
    }

    /// The letters at the beginning, so that a new id is of the same alphabet again.
    fn marks(self) -> &'static [&'static [u8]] {
        const DIGITS: &[u8] = b"0123456789";
        match self {
            Self::Digits => &[b"123456789"],
            Self::Hex => &[b"abcdef", DIGITS],
            Self::UpperHex => &[b"ABCDEF", DIGITS],
            // From `g` on: up to `f` the letters are also hexadecimal.
            Self::Lower => &[b"ghijkmnpqrstuvwxyz", DIGITS],
            Self::Upper => &[b"GHJKLMNPQRSTUVWXYZ", DIGITS],
            Self::Mixed => &[b"GHJKLMNPQRSTUVWXYZ", DIGITS, b"ghijkmnpqrstuvwxyz"],
        }
    }
}

/// The most letters of an id. What a service encrypts is longer, and of another length in each recording.
const MAX_ID_BYTES: usize = 128;
/// Number of letters that a longer one becomes.
const SHORT_ID_BYTES: usize = 40;

/// Returns the id of the same form that a hash becomes.
fn id_from(old: &str, seed: &str) -> String {
    let is_long = old.len() > MAX_ID_BYTES;
    let old = old.get(..SHORT_ID_BYTES).filter(|_| is_long).unwrap_or(old);
    let (prefix, random_part) = old.split_at(prefix_len(old));
    let mut bytes = Vec::with_capacity(random_part.len());
    // One hash has sixteen numbers; longer ids need several.
    for round in 0.. {
        let hash = sha256_hex(format!("{seed}\n{round}").as_bytes());
        bytes.extend(hash.as_bytes().chunks(4).filter_map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u16::from_str_radix(pair, 16).ok()
        }));
        if bytes.len() >= random_part.len() {
            break;
        }
    }
    let pick = |letters: &[u8], number: u16| char::from(letters[number as usize % letters.len()]);
    let alphabet = Alphabet::of(random_part);
    let mut new = prefix.to_owned();
    let is_uuid = is_uuid(random_part);
    let marks = &alphabet.marks()[..if is_uuid { 1 } else { alphabet.marks().len() }];
    for (at, (letter, number)) in random_part.chars().zip(bytes).enumerate() {
        new.push(match (at, letter) {
            // Hyphens separate the numbers of the id, so they stay.
            (_, '-') if is_uuid || alphabet == Alphabet::Digits => '-',
            // The version of a UUID, and its variant.
            (14, _) if is_uuid => letter,
            (19, _) if is_uuid => '8',
            _ => pick(marks.get(at).copied().unwrap_or(alphabet.letters()), number),
        });
    }
    new
}

/// The ids of a file, each with what it becomes.
#[derive(Default)]
pub(super) struct StableIds {
    finder: Option<AhoCorasick>,
    /// By the number of the pattern.
    new: Vec<String>,
    /// Number of ids that become other ones.
    pub(super) changed: usize,
}

impl StableIds {
    /// Computes the ids from the calls of a file. An id that is a part of `stem`, the name of the file, names the file and stays.
    pub(super) fn new(file_texts: &FoundTexts<'_>, stem: &str) -> Self {
        let mut set = HashSet::new();
        let ids = file_texts.ids.iter();
        let ids: Vec<&str> =
            ids.map(String::as_str).filter(|id| !stem.contains(id) && set.insert(*id)).collect();
        // One id may begin with another.
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&ids);
        let Some(finder) = finder.ok().filter(|_| !ids.is_empty()) else { return Self::default() };
        let texts = file_texts.texts.iter();
        let places: Vec<Vec<(Range<usize>, usize)>> =
            texts.map(|text| find(&finder, &text.text)).collect();
        let mut first_texts: HashMap<usize, usize> = HashMap::new();
        let mut is_in_address = HashSet::new();
        let mut order = Vec::new();
        for (number, (text, places)) in file_texts.texts.iter().zip(&places).enumerate() {
            for (_, id) in places {
                first_texts.entry(*id).or_insert_with(|| {
                    order.push(*id);
                    number
                });
                if text.place == TextPlace::Address {
                    is_in_address.insert(*id);
                }
            }
        }
        // The program sends the ids that it chose itself again, so these may only change where they are not compared.
        order.retain(|id| match file_texts.texts[first_texts[id]].place {
            TextPlace::Response => true,
            TextPlace::RequestBody => !file_texts.compared.body && !is_in_address.contains(id),
            TextPlace::RequestHeader => {
                let compared = file_texts.compared;
                !compared.headers && !compared.body && !is_in_address.contains(id)
            }
            TextPlace::Address => false,
        });
        let stable_ids: HashSet<usize> = order.iter().copied().collect();
        let keys = call_keys(file_texts, &places, &stable_ids);
        let mut new: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let mut new_ids = HashSet::new();
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for id in order {
            let call = file_texts.texts[first_texts[&id]].call;
            let count = counts.entry(call).or_default();
            *count += 1;
            let key = keys.get(call).map_or("", String::as_str);
            let mut names = (0..).map(|salt| id_from(ids[id], &format!("{key}\n{count}\n{salt}")));
            // There are too few of some short ids for all calls.
            let new_id = names.by_ref().take(64).find(|id| new_ids.insert(id.clone()));
            if let Some(new_id) = new_id {
                new[id] = new_id;
            }
        }
        let changes = new.iter().zip(&ids).filter(|(new, old)| new != *old);
        Self { changed: changes.count(), finder: Some(finder), new }
    }

    /// Returns the ids in a text that become other ones, in order.
    pub(super) fn find(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let Some(finder) = self.finder.as_ref().filter(|_| self.changed > 0) else {
            return Vec::new();
        };
        let new = find(finder, text).into_iter().map(|(range, id)| (range, self.new[id].clone()));
        new.filter(|(range, new)| text[range.clone()] != **new).collect()
    }
}

/// Returns the ids in a text that are no parts of longer words.
fn find(finder: &AhoCorasick, text: &str) -> Vec<(Range<usize>, usize)> {
    let matches = finder.find_iter(text).filter(|id_match| {
        let mut head = text[..id_match.start()].chars().rev();
        // In JSON within a text an id may follow an escape: the letter of `\n` is no part of it.
        let is_escape =
            |c: char, left: Option<char>| matches!(c, 'n' | 'r' | 't') && left == Some('\\');
        let joins_before = match head.next() {
            Some(c) if c.is_alphanumeric() => !is_escape(c, head.next()),
            _ => false,
        };
        let next = text[id_match.end()..].chars().next();
        !joins_before && !next.is_some_and(char::is_alphanumeric)
    });
    matches.map(|m| (m.range(), m.pattern().as_usize())).collect()
}

/// Returns for each call a text of what was sent, without what varies.
fn call_keys(
    file_texts: &FoundTexts<'_>,
    places: &[Vec<(Range<usize>, usize)>],
    stable_ids: &HashSet<usize>,
) -> Vec<String> {
    let calls = file_texts.texts.iter().map(|text| text.call + 1).max();
    let mut keys = vec![String::new(); calls.unwrap_or_default()];
    for (text, places) in file_texts.texts.iter().zip(places) {
        if !matches!(text.place, TextPlace::Address | TextPlace::RequestBody) {
            continue;
        }
        let ids = places.iter().filter(|(_, id)| stable_ids.contains(id));
        let mut parts: Vec<(Range<usize>, &str)> =
            // An id that changes must not change what it is computed from.
            ids.map(|(range, _)| (range.clone(), "\0")).collect();
        parts.extend(text.times.iter().map(|(range, zero)| (range.clone(), &**zero)));
        parts.sort_by_key(|(range, _)| range.start);
        document::text::remove_overlapping(&mut parts, |(range, _)| range);
        // Writing into a text never fails.
        let _ = writeln!(keys[text.call], "{}", with_replaced(&text.text, &parts));
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    for key in &mut keys {
        let hash = sha256_hex(key.as_bytes());
        // Equal requests are distinguished by their order.
        let count = counts.entry(hash.to_string()).or_default();
        *count += 1;
        *key = format!("{hash} {count}");
    }
    keys
}
