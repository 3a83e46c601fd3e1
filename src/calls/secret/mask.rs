//! Hides secrets in texts about a document: messages, pointers, rows of a list.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;
use siphasher::sip::SipHasher13;

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
    /// Secrets of which only hashes are known, by the key of these.
    hashed: BTreeMap<HashKey, HashedSecrets>,
}

/// A random key without which texts cannot be compared with hashes of secrets: many secrets are short enough to be guessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct HashKey(pub [u8; 16]);

impl HashKey {
    fn hash(self, bytes: &[u8]) -> u64 {
        SipHasher13::new_with_key(&self.0).hash(bytes)
    }
}

impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey")
    }
}

/// Secrets of which only hashes are known, all with one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HashedSecrets {
    /// Short secrets by their length in bytes and their hash, each with its hint.
    pub short: BTreeMap<usize, BTreeMap<u64, Box<str>>>,
    /// All parts of ten bytes of long secrets.
    pub pieces: foldhash::HashSet<u64>,
}

impl HashedSecrets {
    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.short.is_empty() && self.pieces.is_empty()
    }
}

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

/// Fewer short secrets than these are those of a file.
const MAX_FEW_SECRETS: usize = 64;

impl Mask {
    pub fn add(&mut self, kind: SecretKind, secret: &str) {
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

    /// Returns a mask of secrets of which only hashes with this key are known.
    pub fn of_hashes(key: HashKey, secrets: HashedSecrets) -> Self {
        Self { hashed: BTreeMap::from([(key, secrets)]), ..Self::default() }
    }

    /// Returns hashes by which the same texts can be masked without the secrets themselves.
    pub fn hashes(&self, key: HashKey) -> HashedSecrets {
        let mut secrets = HashedSecrets::default();
        for (secret, hint) in &self.short {
            let hints = secrets.short.entry(secret.len()).or_default();
            hints.insert(key.hash(secret.as_bytes()), hint.clone());
        }
        secrets.pieces = self.pieces.iter().map(|piece| key.hash(piece)).collect();
        secrets
    }

    /// Returns whether bytes contain one of the secrets, also as a part of a word.
    pub fn is_quoted_in(&self, bytes: &[u8]) -> bool {
        /// A shorter one is in many texts by chance, which show nothing of it.
        const MIN_BYTES: usize = 4;
        // A text that quotes a sentence may have cut it between two words.
        let words = self
            .short
            .keys()
            .filter_map(|secret| secret.split_whitespace().max_by_key(|w| w.len()));
        let mut words = words.filter(|word| word.len() >= MIN_BYTES);
        let is_piece = |piece: &[u8]| self.pieces.contains(piece);
        words.any(|word| memmem::find(bytes, word.as_bytes()).is_some())
            || !self.pieces.is_empty() && bytes.windows(PIECE_BYTES).any(is_piece)
    }

    /// Adds the secrets of another mask.
    pub fn merge(&mut self, other: &Self) {
        for (key, secrets) in &other.hashed {
            let hashed = self.hashed.entry(*key).or_default();
            for (length, hints) in &secrets.short {
                let hints = hints.iter().map(|(hash, hint)| (*hash, hint.clone()));
                hashed.short.entry(*length).or_default().extend(hints);
            }
            hashed.pieces.extend(&secrets.pieces);
        }
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
        let mut replacements = self.find_known(text);
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

    /// Returns whether a text may contain a secret; if not, [`apply`](Self::apply) changes no part of it.
    pub fn may_hide(&self, text: &str) -> bool {
        MarkedForms::find(text).has_any() || !self.find_known(text).is_empty()
    }

    /// Finds the secrets of the mask in a text, each with its hint.
    fn find_known(&self, text: &str) -> Vec<(Range<usize>, Cow<'_, str>)> {
        let mut replacements: Vec<(Range<usize>, Cow<'_, str>)> = Vec::new();
        if !self.short.is_empty() {
            // Of a file with few secrets, only few texts are searched: building a search that is quicker would take most of the time.
            let kind =
                (self.short.len() < MAX_FEW_SECRETS).then_some(AhoCorasickKind::NoncontiguousNFA);
            let mut builder = AhoCorasick::builder();
            builder.kind(kind).prefilter(kind.is_none());
            let finder = || builder.build(self.short.keys().map(|secret| &**secret)).ok();
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
        for (key, secrets) in self.hashed.iter().filter(|(_, secrets)| !secrets.short.is_empty()) {
            find_hashed(*key, &secrets.short, text, &mut replacements);
        }
        replacements
    }

    /// Finds parts of long secrets in a text.
    fn find_pieces(&self, text: &str, replacements: &mut Vec<(Range<usize>, Cow<'_, str>)>) {
        let hashed = || self.hashed.iter().filter(|(_, secrets)| !secrets.pieces.is_empty());
        if self.pieces.is_empty() && hashed().next().is_none() {
            return;
        }
        let is_known = |piece: &[u8]| {
            self.pieces.contains(piece)
                || hashed().any(|(key, secrets)| secrets.pieces.contains(&key.hash(piece)))
        };
        let mut parts: Vec<Range<usize>> = Vec::new();
        for (at, piece) in text.as_bytes().windows(PIECE_BYTES).enumerate() {
            if !is_known(piece) {
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

/// Finds short secrets whose hashes are known: between two places that divide words, as far apart as such a secret is long.
fn find_hashed<'s>(
    key: HashKey,
    secrets: &'s BTreeMap<usize, BTreeMap<u64, Box<str>>>,
    text: &str,
    replacements: &mut Vec<(Range<usize>, Cow<'s, str>)>,
) {
    let max_length = secrets.last_key_value().map_or(0, |(length, _)| *length);
    let (mut starts, mut last) = (Vec::new(), None);
    let chars = text.char_indices().map(|(index, c)| (index, Some(c)));
    for (index, next) in chars.chain([(text.len(), None)]) {
        if !joins(next) {
            let near = |start: &&usize| index - **start <= max_length;
            let ranges = starts.iter().rev().take_while(near).map(|start| *start..index);
            replacements.extend(ranges.filter_map(|range| {
                let hints = secrets.get(&range.len())?;
                let hint = hints.get(&key.hash(&text.as_bytes()[range.clone()]))?;
                Some((range, Cow::Borrowed(&**hint)))
            }));
        }
        if !joins(last) {
            starts.push(index);
        }
        last = next;
    }
}

/// Returns true if the text at a range is a separate word and not a part of a path, so that short secrets are not found inside other words.
fn is_apart(text: &str, range: &Range<usize>) -> bool {
    !joins(text[..range.start].chars().next_back()) && !joins(text[range.end..].chars().next())
}

/// Returns whether a character beside a word makes it a part of a longer one.
fn joins(neighbour: Option<char>) -> bool {
    neighbour.is_some_and(|c| c.is_alphanumeric() || "_-./\\".contains(c))
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
    fn hashes_hide_the_same_without_the_secrets() {
        let (key, mut known) = (HashKey([7; 16]), mask());
        let account = SecretKind { class: SecretClass::Account, ..mask_kind() };
        known.add(account, "org-1");
        known.add(account, "7673");
        let hashed = Mask::of_hashes(key, known.hashes(key));
        let token = token();
        for text in [
            "`org-1` and org-1, é7673",
            "org-1s é org-, 7673. 7673",
            "hunter2",
            "tapes/hunter2.json hunter22 (hunter2) anna@acme.org/anna@acme.org",
            &format!("{token}, `{}…`, `{}`é", &token[..20], &token[17..]),
            "8f3e9d1c7b5a4e2f8f3e9d1c 8f3e9d1c7b5a4e2fé",
            "",
        ] {
            assert_eq!(hashed.apply(text), known.apply(text));
            assert_eq!(hashed.may_hide(text), known.may_hide(text));
            let mut both = known.clone();
            both.merge(&hashed);
            assert_eq!(both.apply(text), known.apply(text));
        }
        let shown = format!("{hashed:?}");
        assert!(!known.is_quoted_in(shown.as_bytes()), "{shown}");
        // Without the key, a guess cannot be checked.
        let other_key = HashKey([8; 16]);
        let other = Mask::of_hashes(other_key, known.hashes(key));
        assert_eq!(other.apply("hunter2 anna@acme.org"), "hunter2 anna@acme.org");
        // Also where the text would not be masked.
        for text in ["/users/hunter2/chat", "xhunter2x", &token[9..22]] {
            assert!(known.is_quoted_in(text.as_bytes()), "{text}");
        }
        assert!(!known.is_quoted_in(b"hunter, org-2"));
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
