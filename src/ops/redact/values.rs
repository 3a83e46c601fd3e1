//! The values to replace, from all files.

use std::collections::BTreeMap;

use super::personal::{NameList, find_personal};
use crate::format::{Document, DocumentBody, Node, NodeKind};
use crate::ops::secret::{
    CustomPatterns, FoundSecret, Redaction, RedactionKey, SecretClass, SecretKind, find, scan,
};
use crate::ops::tape::text::TapeText;

/// Values shorter than this are too common to be replaced wherever they occur.
const MIN_LENGTH: usize = 4;

/// What is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// Keys, tokens and passwords.
    Secret,
    Email,
    /// Other personal data, by its label.
    Personal(&'static str),
}

impl ValueKind {
    fn of(kind: SecretKind) -> Self {
        match kind.label {
            "phone" | "card" | "account" | "street" | "name" => Self::Personal(kind.label),
            _ if kind.class == SecretClass::Address => Self::Email,
            _ => Self::Secret,
        }
    }

    /// All, in the order of their names on the command line.
    pub const ALL: [Self; 7] = [
        Self::Secret,
        Self::Email,
        Self::Personal("phone"),
        Self::Personal("street"),
        Self::Personal("card"),
        Self::Personal("account"),
        Self::Personal("name"),
    ];

    /// Returns its name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Secret => "secret",
            Self::Email => "email",
            Self::Personal(label) => label,
        }
    }
}

/// The personal data and secrets of all files.
#[derive(Clone, Debug, Default)]
pub struct PersonalValues {
    /// By value.
    found: BTreeMap<String, SecretKind>,
}

impl PersonalValues {
    /// Adds the values in a document: in its texts and keys, in comments, and in the text of a tape across its chunks.
    pub fn add(&mut self, document: &Document, own: &CustomPatterns, names: &NameList) {
        // What a chunk has may be a part of a value.
        let is_chunk = |node: Node<'_>| {
            matches!(document.body, DocumentBody::Tape(_)) && node.pointer().starts_with("/stream/")
        };
        for marked in scan(&document.tree, own) {
            if !is_chunk(marked.node) {
                self.insert(marked.kind, &marked.text);
            }
        }
        for node in document.tree.nodes().filter(|node| !is_chunk(*node)) {
            if let Some(key) = node.key() {
                self.add_text(key, names);
            }
            if node.kind() == NodeKind::String
                && let Some(text) = node.as_str()
            {
                self.add_text(text, names);
            }
        }
        if let DocumentBody::Tape(tape) = &document.body {
            let text = TapeText::new(tape);
            self.add_found(text.text(), find(text.text(), own));
            self.add_text(text.text(), names);
        }
    }

    /// Adds the values in a name, such as that of a file.
    pub fn add_text(&mut self, text: &str, names: &NameList) {
        self.add_found(text, find_personal(text, names));
    }

    fn add_found(&mut self, text: &str, found: Vec<FoundSecret>) {
        for it in found {
            self.insert(it.kind, &text[it.range]);
        }
    }

    fn insert(&mut self, kind: SecretKind, value: &str) {
        if value.chars().count() >= MIN_LENGTH && !self.found.contains_key(value) {
            self.found.insert(value.to_owned(), kind);
        }
    }

    /// Removes the values that are not of these kinds.
    pub fn retain(&mut self, kinds: &[ValueKind]) {
        self.found
            .retain(|_, kind| kinds.contains(&ValueKind::of(*kind)));
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns how many values of each kind there are.
    pub fn counts(&self) -> BTreeMap<ValueKind, usize> {
        let mut counts = BTreeMap::new();
        for kind in self.found.values() {
            *counts.entry(ValueKind::of(*kind)).or_default() += 1;
        }
        counts
    }

    /// Returns the placeholders of all values.
    pub fn redaction(&self, key: RedactionKey) -> Redaction {
        let mut redaction = Redaction::with_key(key);
        for (value, kind) in &self.found {
            redaction.add(*kind, value);
        }
        redaction
    }
}
