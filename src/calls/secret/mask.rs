//! Hides secrets in texts about a document: messages, pointers, rows of a list.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use sha2::{Digest as _, Sha256};

use super::pattern::MarkedForms;
use super::{SecretClass, SecretKind, hint, pattern};
use document::{Problem, escape_step, unescape_step};

/// The secrets of some documents. [`apply`](Self::apply) puts in place of each what may be shown of it, wherever a message
/// quotes it, also where the message has cut it.
///
/// Keys of published forms are left out even if they are not known: of a default mask, just these.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    /// All parts of [`PIECE_BYTES`] bytes of long secrets, without what every key of their form begins with.
    pieces: HashSet<[u8; PIECE_BYTES]>,
    /// Secrets that are too short to be recognised by a part, each with its hint.
    short: BTreeMap<Box<str>, Box<str>>,
    /// Finds the short secrets, in their order; `None` if they are too many for one search.
    finder: OnceLock<Option<AhoCorasick>>,
    /// Whether some of them say more than which account or client was used.
    has_others: bool,
    /// Secrets of which only a hash and their length in bytes are known, each with its hint.
    hashed: BTreeMap<HashedSecret, Box<str>>,
    /// The lengths of these.
    lengths: BTreeSet<usize>,
}

/// The hash and the length in bytes of a secret.
pub type HashedSecret = (u64, usize);

impl PartialEq for Mask {
    fn eq(&self, other: &Self) -> bool {
        (&self.pieces, &self.short, &self.hashed) == (&other.pieces, &other.short, &other.hashed)
    }
}

impl Eq for Mask {}

/// The number of consecutive bytes of a long secret from which on they are masked.
const PIECE_BYTES: usize = 10;

/// The fewest bytes of a long secret, without its public prefix.
const MIN_LONG_BYTES: usize = 12;

/// The most short secrets that are kept, so that their memory is bounded: a list of customers has an address in every line.
const MAX_SHORT_SECRETS: usize = 100_000;

impl Mask {
    pub fn add(&mut self, kind: SecretKind, secret: &str) {
        self.has_others |= kind.class != SecretClass::Account;
        let prefix = pattern::public_prefix(secret).map_or(0, str::len);
        let body = &secret.as_bytes()[prefix..];
        if kind.class == SecretClass::Key && body.len() >= MIN_LONG_BYTES {
            let parts = body.windows(PIECE_BYTES);
            self.pieces.extend(parts.filter_map(|piece| <[u8; PIECE_BYTES]>::try_from(piece).ok()));
        } else {
            self.add_short(secret, &hint(kind, secret));
        }
    }

    fn add_short(&mut self, key: &str, hint: &str) {
        if !key.is_empty() && self.short.len() < MAX_SHORT_SECRETS && !self.short.contains_key(key)
        {
            self.short.insert(key.into(), hint.into());
            // The search was built from fewer secrets.
            self.finder = OnceLock::new();
        }
    }

    /// Returns a mask of secrets of which only these hashes are known, each with its hint.
    pub fn of_hashes(hashes: impl IntoIterator<Item = (HashedSecret, Box<str>)>) -> Self {
        let hashed: BTreeMap<HashedSecret, Box<str>> = hashes.into_iter().collect();
        Self {
            lengths: hashed.keys().map(|(_, length)| *length).collect(),
            hashed,
            ..Self::default()
        }
    }

    /// Returns the hashes by which the same texts can be masked without the secrets themselves; `None` if one of them gives access or is
    /// about a person, since a hash of what is short can be guessed.
    pub fn hashes(&self) -> Option<Vec<(HashedSecret, Box<str>)>> {
        // A shorter one may be a word of other texts, and all numbers of that length can be tried.
        const MIN_HASHED_BYTES: usize = 8;
        let is_long = self.short.keys().all(|secret| {
            secret.len() >= MIN_HASHED_BYTES && !secret.bytes().all(|byte| byte.is_ascii_digit())
        });
        let hashes = self.short.iter().map(|(secret, hint)| (hashed(secret), hint.clone()));
        (is_long && !self.has_others).then(|| hashes.collect())
    }

    /// Returns whether a text contains one of the secrets, also as a part of a word.
    pub fn is_quoted_in(&self, text: &str) -> bool {
        self.short.keys().any(|secret| text.contains(&**secret))
    }

    /// Adds the secrets of another mask.
    pub fn merge(&mut self, other: &Self) {
        self.has_others |= other.has_others;
        self.hashed.extend(other.hashed.iter().map(|(secret, hint)| (*secret, hint.clone())));
        self.lengths.extend(&other.lengths);
        self.pieces.extend(&other.pieces);
        for (secret, hint) in &other.short {
            self.add_short(secret, hint);
        }
    }

    /// Returns true if no secret is known.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.short.is_empty() && self.hashed.is_empty()
    }

    /// Returns the text without the secrets.
    pub fn apply<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut replacements: Vec<(Range<usize>, Cow<'_, str>)> = Vec::new();
        if !self.short.is_empty() {
            // Built for the few texts about one file, so that building takes longer than searching.
            let kind = Some(AhoCorasickKind::NoncontiguousNFA);
            let secrets = || self.short.keys().map(|secret| &**secret);
            let finder =
                || AhoCorasick::builder().kind(kind).prefilter(false).build(secrets()).ok();
            let finder = self.finder.get_or_init(finder).iter();
            let ranges =
                // Overlapping: one inside a longer word, which does not count, may cover one that does.
                finder.flat_map(|finder| finder.find_overlapping_iter(text)).map(|m| m.range());
            replacements.extend(ranges.filter(|range| is_apart(text, range)).filter_map(|range| {
                let hint = self.short.get(&text[range.clone()])?;
                Some((range, Cow::Borrowed(&**hint)))
            }));
        }
        self.find_pieces(text, &mut replacements);
        self.find_hashed(text, &mut replacements);
        let set = MarkedForms::find(text);
        if set.has_any() {
            let keys =
                pattern::find(text, &set).into_iter().filter(|s| s.kind.class == SecretClass::Key);
            replacements.extend(keys.map(|secret| {
                let hint = hint(secret.kind, &text[secret.range.clone()]);
                (secret.range, Cow::Owned(hint))
            }));
        }
        if replacements.is_empty() {
            return Cow::Borrowed(text);
        }
        // If two begin together, the longer one counts.
        replacements.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let (mut masked_text, mut end) = (String::with_capacity(text.len()), 0);
        for (range, hint) in replacements {
            if range.start >= end {
                masked_text.push_str(&text[end..range.start]);
                masked_text.push_str(&hint);
            }
            end = end.max(range.end);
        }
        masked_text.push_str(&text[end..]);
        // A hint ends with this sign, and a part of the same secret may follow.
        Cow::Owned(masked_text.replace("……", "…"))
    }

    /// Finds parts of long secrets in a text.
    fn find_pieces(&self, text: &str, replacements: &mut Vec<(Range<usize>, Cow<'_, str>)>) {
        if self.pieces.is_empty() {
            return;
        }
        let mut parts: Vec<Range<usize>> = Vec::new();
        for (at, piece) in text.as_bytes().windows(PIECE_BYTES).enumerate() {
            if !self.pieces.contains(piece) {
                continue;
            }
            match parts.last_mut() {
                Some(part) if part.end >= at => part.end = at + PIECE_BYTES,
                _ => parts.push(at..at + PIECE_BYTES),
            }
        }
        // A part may begin or end inside a character.
        let ranges = parts
            .into_iter()
            .map(|part| text.floor_char_boundary(part.start)..text.ceil_char_boundary(part.end));
        replacements.extend(ranges.map(|part| (part, Cow::Borrowed("…"))));
    }

    /// Finds the secrets whose hashes are known: between two places that divide words, as far apart as such a secret is long.
    fn find_hashed<'s>(&'s self, text: &str, replacements: &mut Vec<(Range<usize>, Cow<'s, str>)>) {
        let Some(min_len) = self.lengths.first() else { return };
        let starts = text
            .char_indices()
            .map(|(start, _)| start)
            .take_while(|start| start + min_len <= text.len());
        for start in starts.filter(|start| is_apart(text, &(*start..text.len()))) {
            for range in self.lengths.iter().map(|length| start..start + length) {
                let secret = text.get(range.clone()).filter(|_| is_apart(text, &range));
                if let Some(hint) = secret.and_then(|secret| self.hashed.get(&hashed(secret))) {
                    replacements.push((range, Cow::Borrowed(&**hint)));
                }
            }
        }
    }

    /// Returns a JSON Pointer without the secrets that are keys in it.
    pub fn pointer<'a>(&self, pointer: &'a str) -> Cow<'a, str> {
        if self.is_empty() && !MarkedForms::find(pointer).has_any() {
            return Cow::Borrowed(pointer);
        }
        let token = |token: &str| {
            // A secret may have the signs that a pointer escapes.
            escape_step(&self.apply(&unescape_step(token)))
        };
        let tokens: Vec<String> = pointer.split('/').map(token).collect();
        match tokens.join("/") {
            text if text == pointer => Cow::Borrowed(pointer),
            text => Cow::Owned(text),
        }
    }

    /// Leaves the secrets out of all that a problem says.
    pub fn hide_in(&self, problem: &mut Problem) {
        if let Cow::Owned(message) = self.apply(&problem.message) {
            problem.message = message.into();
        }
        if let Cow::Owned(pointer) = self.pointer(&problem.pointer) {
            problem.pointer = pointer.into();
        }
        if let Some(help) = &mut problem.help
            && let Cow::Owned(text) = self.apply(help)
        {
            *help = text.into();
        }
    }
}

fn hashed(secret: &str) -> HashedSecret {
    let bytes = Sha256::digest(secret.as_bytes());
    (bytes.iter().take(8).fold(0, |hash, byte| (hash << 8) | u64::from(*byte)), secret.len())
}

/// Returns true if the text at a range is a separate word and not a part of a path, so that short secrets are not found inside other words.
fn is_apart(text: &str, range: &Range<usize>) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_-./\\".contains(c));
    !joins(text[..range.start].chars().next_back()) && !joins(text[range.end..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::super::{CustomPatterns, find};
    use super::*;

    /// Returns a key in the issuer's format, assembled at run time so that this file contains no complete key.
    fn token() -> String {
        format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2))
    }

    fn mask() -> Mask {
        let mut mask = Mask::default();
        for text in [
            &*token(),
            "password=hunter2",
            "mail to anna@acme.org",
            "token: \"8f3e9d1c7b5a4e2f8f3e9d1c\"",
        ] {
            for secret in find(text, &CustomPatterns::default()) {
                mask.add(secret.kind, &text[secret.range]);
            }
        }
        assert_eq!(mask.short.len(), 2);
        mask
    }

    #[test]
    fn a_secret_is_hidden_whole_and_in_parts() {
        let (mask, token) = (mask(), token());
        let masked = |text: &str| mask.apply(text).into_owned();
        assert_eq!(masked(&format!("`{token}` is no value")), "`ghp_…` is no value");
        assert_eq!(masked(&format!("`{}…`", &token[..20])), "`ghp_…`");
        assert_eq!(masked(&format!("at `{}`", &token[17..])), "at `…`");
        assert_eq!(masked("`hunter2`, hunter2"), "`…`, …");
        assert_eq!(masked("tapes/hunter2.json hunter22"), "tapes/hunter2.json hunter22");
        assert_eq!(masked("to anna@acme.org"), "to …@acme.org");
        assert_eq!(masked("8f3e9d1c7b5a4e2f8f3e9d1c 8f3e9d1c7b5a4e2fé"), "… …é");
        // A key in a published format, without a name.
        let other = token.replace("Zk", "Ab");
        assert_eq!(Mask::default().apply(&other), "ghp_…");
        assert_eq!(masked("nothing here"), "nothing here");
    }

    #[test]
    fn what_names_an_account_is_hidden_by_its_hash_alone() {
        let account = SecretKind { class: SecretClass::Account, ..mask_kind() };
        let mut accounts = Mask::default();
        accounts.add(account, "org-Aq3Zk8Rt1mXw7LpBy5Nc");
        let hashed = Mask::of_hashes(accounts.hashes().unwrap());
        for text in [
            "`org-Aq3Zk8Rt1mXw7LpBy5Nc` and org-Aq3Zk8Rt1mXw7LpBy5Nc, é",
            "org-Aq3Zk8Rt1mXw7LpBy5Ncs é org-Aq3Zk8Rt1mXw7LpBy5N",
            "org-Aq3Zk8Rt1mXw7LpBy5Nc",
            "",
        ] {
            assert_eq!(hashed.apply(text), accounts.apply(text));
        }
        assert!(!hashed.apply("org-Aq3Zk8Rt1mXw7LpBy5Nc").contains("Zk8Rt1"));
        // What gives access, what is short, and a number are not known by their hash.
        assert_eq!(mask().hashes(), None);
        for guessable in ["org-1", "767398002385"] {
            let mut accounts = Mask::default();
            accounts.add(account, guessable);
            assert_eq!(accounts.hashes(), None, "{guessable}");
        }
        // Also where the text would not be masked.
        assert!(accounts.is_quoted_in("/organizations/org-Aq3Zk8Rt1mXw7LpBy5Nc/chat"));
        assert!(!accounts.is_quoted_in("org-other"));
    }

    fn mask_kind() -> SecretKind {
        find("password=hunter2", &CustomPatterns::default())[0].kind
    }

    #[test]
    fn keys_of_pointers_are_hidden_one_by_one() {
        let mut mask = mask();
        let key = "x0/y1~z2/x3";
        mask.add(find("password=hunter2", &CustomPatterns::default())[0].kind, key);
        assert_eq!(mask.pointer(&format!("/context/{}/0", token())), "/context/ghp_…/0");
        assert_eq!(mask.pointer("/a/x0~1y1~0z2~1x3/hunter2"), "/a/…/…");
        assert_eq!(mask.pointer("/a~1b/~0/0"), "/a~1b/~0/0");
        assert_eq!(mask.pointer(""), "");
    }
}
