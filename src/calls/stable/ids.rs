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
        let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(&is);
        let upper = has(u8::is_ascii_uppercase);
        let lower = has(u8::is_ascii_lowercase);
        let is_hex = text.bytes().all(|it| it.is_ascii_hexdigit() || it == b'-');
        match (upper, lower, is_hex) {
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

/// Returns the id of the same form that a hash becomes.
fn id_from(old: &str, seed: &str) -> String {
    let (prefix, rest) = old.split_at(prefix_len(old));
    let mut bytes = Vec::with_capacity(rest.len());
    // One hash has sixteen numbers; longer ids need several.
    for round in 0.. {
        let hash = sha256_hex(format!("{seed}\n{round}").as_bytes());
        bytes.extend(hash.as_bytes().chunks(4).filter_map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u16::from_str_radix(pair, 16).ok()
        }));
        if bytes.len() >= rest.len() {
            break;
        }
    }
    let pick = |letters: &[u8], number: u16| char::from(letters[number as usize % letters.len()]);
    let alphabet = Alphabet::of(rest);
    let mut new = prefix.to_owned();
    let is_uuid = is_uuid(rest);
    let marks = &alphabet.marks()[..if is_uuid { 1 } else { alphabet.marks().len() }];
    for (at, (old, number)) in rest.chars().zip(bytes).enumerate() {
        new.push(match (at, old) {
            // Hyphens separate the numbers of the id, so they stay.
            (_, '-') if is_uuid || alphabet == Alphabet::Digits => '-',
            // The version of a UUID, and its variant.
            (14, _) if is_uuid => old,
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
    pub(super) fn new(found: &FoundTexts<'_>, stem: &str) -> Self {
        let mut known = HashSet::new();
        let all = found.ids.iter();
        let all: Vec<&str> =
            all.map(String::as_str).filter(|id| !stem.contains(id) && known.insert(*id)).collect();
        // One id may begin with another.
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&all);
        let Some(finder) = finder.ok().filter(|_| !all.is_empty()) else { return Self::default() };
        let texts = found.texts.iter();
        let places: Vec<Vec<(Range<usize>, usize)>> =
            texts.map(|text| find(&finder, &text.text)).collect();
        let mut first: HashMap<usize, usize> = HashMap::new();
        let mut is_in_address = HashSet::new();
        let mut order = Vec::new();
        for (number, (text, places)) in found.texts.iter().zip(&places).enumerate() {
            for (_, id) in places {
                first.entry(*id).or_insert_with(|| {
                    order.push(*id);
                    number
                });
                if text.place == TextPlace::Address {
                    is_in_address.insert(*id);
                }
            }
        }
        // The program sends the ids that it chose itself again, so these may only change where they are not compared.
        order.retain(|id| match found.texts[first[id]].place {
            TextPlace::Response => true,
            TextPlace::RequestBody => !found.compared.body && !is_in_address.contains(id),
            TextPlace::RequestHeader => {
                let compared = found.compared;
                !compared.headers && !compared.body && !is_in_address.contains(id)
            }
            TextPlace::Address => false,
        });
        let stable: HashSet<usize> = order.iter().copied().collect();
        let keys = call_keys(found, &places, &stable);
        let mut new: Vec<String> = all.iter().map(|id| (*id).to_owned()).collect();
        let mut taken = HashSet::new();
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for id in order {
            let call = found.texts[first[&id]].call;
            let count = counts.entry(call).or_default();
            *count += 1;
            let key = keys.get(call).map_or("", String::as_str);
            let mut candidates =
                (0..).map(|salt| id_from(all[id], &format!("{key}\n{count}\n{salt}")));
            // There are too few of some short ids for all calls.
            let free = candidates.by_ref().take(64).find(|it| taken.insert(it.clone()));
            if let Some(free) = free {
                new[id] = free;
            }
        }
        let changed = new.iter().zip(&all).filter(|(new, old)| new != *old);
        Self { changed: changed.count(), finder: Some(finder), new }
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
    let apart = finder.find_iter(text).filter(|it| {
        let mut before = text[..it.start()].chars().rev();
        // In JSON within a text an id may follow an escape: the letter of `\n` is no part of it.
        let is_escape =
            |c: char, before: Option<char>| matches!(c, 'n' | 'r' | 't') && before == Some('\\');
        let joins_before = match before.next() {
            Some(c) if c.is_alphanumeric() => !is_escape(c, before.next()),
            _ => false,
        };
        let after = text[it.end()..].chars().next();
        !joins_before && !after.is_some_and(char::is_alphanumeric)
    });
    apart.map(|it| (it.range(), it.pattern().as_usize())).collect()
}

/// Returns for each call a text of what was sent, without what varies.
fn call_keys(
    found: &FoundTexts<'_>,
    places: &[Vec<(Range<usize>, usize)>],
    stable: &HashSet<usize>,
) -> Vec<String> {
    let calls = found.texts.iter().map(|text| text.call + 1).max();
    let mut keys = vec![String::new(); calls.unwrap_or_default()];
    for (text, places) in found.texts.iter().zip(places) {
        if !matches!(text.place, TextPlace::Address | TextPlace::RequestBody) {
            continue;
        }
        let ids = places.iter().filter(|(_, id)| stable.contains(id));
        let mut parts: Vec<(Range<usize>, &str)> =
            // An id that changes must not change what it is computed from.
            ids.map(|(range, _)| (range.clone(), "\0")).collect();
        parts.extend(text.times.iter().map(|(range, zero)| (range.clone(), &**zero)));
        parts.sort_by_key(|(range, _)| range.start);
        document::text::remove_overlapping(&mut parts, |(range, _)| range);
        // Writing into a text never fails.
        let _ = writeln!(keys[text.call], "{}", with_replaced(&text.text, &parts));
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    for key in &mut keys {
        let hash = sha256_hex(key.as_bytes());
        // Equal requests are distinguished by their order.
        let count = seen.entry(hash.to_string()).or_default();
        *count += 1;
        *key = format!("{hash} {count}");
    }
    keys
}
