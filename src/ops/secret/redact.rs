//! Replaces secrets by placeholders: the same placeholder for the same secret everywhere.

use std::collections::BTreeMap;

use super::{FoundSecret, SecretClass, SecretKind};

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
}

impl Redaction {
    /// Takes out a secret, from now on and everywhere. A secret that is known keeps its word.
    pub fn add(&mut self, kind: SecretKind, secret: &str) {
        if secret.is_empty() || self.placeholders.contains_key(secret) {
            return;
        }
        let count = self.counts.entry(kind.label).or_default();
        *count += 1;
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

    /// Returns the text with all secrets replaced; if one contains another, the longer one is replaced.
    pub fn apply(&self, text: &str) -> String {
        let mut secrets: Vec<(&String, &String)> = self.placeholders.iter().collect();
        secrets.sort_by_key(|(secret, _)| std::cmp::Reverse(secret.len()));
        let mut redacted = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let next = secrets
                .iter()
                .filter_map(|(secret, word)| Some((rest.find(secret.as_str())?, *secret, *word)))
                .min_by_key(|(at, secret, _)| (*at, std::cmp::Reverse(secret.len())));
            let Some((at, secret, word)) = next else {
                break;
            };
            redacted.push_str(&rest[..at]);
            redacted.push_str(word);
            rest = &rest[at + secret.len()..];
        }
        redacted.push_str(rest);
        redacted
    }
}
