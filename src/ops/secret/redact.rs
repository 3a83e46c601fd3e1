//! Replaces secrets by placeholders: the same placeholder for the same secret everywhere.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::{FoundSecret, SecretClass, SecretKind};
use crate::ops::source::sha256_hex;

/// Returns whether a text contains a word that [`Redaction`] puts in place of a secret.
pub fn is_redacted(text: &str) -> bool {
    text.match_indices("redacted-").any(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let number = word.rsplit('-').next().unwrap_or(word);
        let is_numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let is_address = word == number && behind.starts_with("@example.com");
        let is_key = word != number && text[..at].ends_with('[') && behind.starts_with(']');
        is_numbered && (is_address || is_key)
    })
}

/// The secrets to redact, each with its placeholder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// By the secret.
    placeholders: BTreeMap<String, String>,
    /// How many there are of each label.
    counts: BTreeMap<&'static str, usize>,
    /// What the numbers of placeholders are computed from; without it, they are counted.
    key: Option<RedactionKey>,
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

    /// Returns the number of a secret: 12 digits. Case and separators do not count, so that one person has one number.
    fn number(&self, kind: SecretKind, secret: &str) -> u64 {
        let letters = secret
            .chars()
            .filter(|it| it.is_alphanumeric() || *it == '@');
        let plain: String = letters.flat_map(char::to_lowercase).collect();
        let inner = sha256_hex(format!("{}\n{}\n{plain}", self.0, kind.label).as_bytes());
        let hash = sha256_hex(format!("{}\n{inner}", self.0).as_bytes());
        let number = u64::from_str_radix(&hash[..15], 16).unwrap_or_default();
        number % 1_000_000_000_000
    }
}

impl Redaction {
    /// Gives each secret the placeholder that follows from a key, in place of the next number.
    pub fn with_key(key: RedactionKey) -> Self {
        Self {
            key: Some(key),
            ..Self::default()
        }
    }

    /// Takes out a secret, from now on and everywhere. A secret that is known keeps its word.
    pub fn add(&mut self, kind: SecretKind, secret: &str) {
        if secret.is_empty() || self.placeholders.contains_key(secret) {
            return;
        }
        let count = self.counts.entry(kind.label).or_default();
        *count += 1;
        let count = match &self.key {
            Some(key) => format!("{:012}", key.number(kind, secret)),
            None => count.to_string(),
        };
        let word = match kind.class {
            // It remains a valid address, so that code that parses it still works.
            SecretClass::Address => format!("redacted-{count}@example.com"),
            SecretClass::Key => format!("[redacted-{}-{count}]", kind.label),
        };
        self.placeholders.insert(secret.to_owned(), word);
    }

    /// Adds all secrets that were found in a text.
    pub fn add_all(&mut self, text: &str, found: &[FoundSecret]) {
        for it in found {
            self.add(it.kind, &text[it.range.clone()]);
        }
    }

    /// Keeps a secret unredacted. The placeholders of others do not change.
    pub fn exclude(&mut self, secret: &str) {
        self.placeholders.remove(secret);
    }

    /// Returns true if nothing is removed.
    pub fn is_empty(&self) -> bool {
        self.placeholders.is_empty()
    }

    /// Returns the placeholder of a secret.
    pub fn placeholder(&self, secret: &str) -> Option<&str> {
        self.placeholders.get(secret).map(String::as_str)
    }

    /// Returns the secrets with their placeholders.
    pub fn placeholders(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.placeholders.iter();
        all.map(|(secret, word)| (secret.as_str(), word.as_str()))
    }

    /// Returns the text with all secrets replaced; if one contains another, the longer one is replaced.
    pub fn apply(&self, text: &str) -> String {
        let (secrets, words): (Vec<&String>, Vec<&String>) = self.placeholders.iter().unzip();
        let mut finder = AhoCorasick::builder();
        match finder.match_kind(MatchKind::LeftmostLongest).build(secrets) {
            Ok(finder) => finder.replace_all(text, &words),
            // More secrets than a program can hold.
            Err(_) => text.to_owned(),
        }
    }
}
