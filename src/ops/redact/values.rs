//! The values to replace, from all files.

use std::collections::BTreeMap;
use std::ops::Range;

use super::personal::{NameList, find_personal};
use crate::format::{Document, DocumentBody, Node, Tree};
use crate::ops::secret::{
    CustomPatterns, FoundSecret, Mask, Redaction, RedactionKey, SecretClass, SecretKind, find,
    find_placeholders, is_redacted, scan,
};
use crate::ops::tape::text::TapeText;

/// Secrets shorter than this are too common to be replaced wherever they occur.
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
        match kind.class {
            SecretClass::Personal => Self::Personal(kind.label),
            SecretClass::Address => Self::Email,
            SecretClass::Key | SecretClass::Account => Self::Secret,
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
    /// Adds the values in a document: in its texts and keys, in comments and numbers, in what cannot be parsed, and in the text of a
    /// tape across its chunks.
    pub fn add(&mut self, document: &Document, own: &CustomPatterns, names: &NameList) {
        // What a chunk has may be a part of a value.
        let chunks = chunk_spans(document);
        let is_chunk = |node: Node<'_>| is_in_any(&chunks, node.span().range().start);
        for marked in scan(&document.tree, own) {
            if !is_chunk(marked.node) {
                self.insert(marked.kind, &marked.text);
            }
        }
        for node in document.tree.nodes().filter(|node| !is_chunk(*node)) {
            if let Some(key) = node.key() {
                self.add_text(key, own, names);
            }
            if let Some(text) = node.as_str() {
                self.add_text(text, own, names);
            }
        }
        let text = document.source().text();
        let outside = outside_texts(&document.tree);
        let outside: Vec<&str> = outside.into_iter().map(|range| &text[range]).collect();
        self.add_text(&outside.join("\n\n"), own, names);
        if let DocumentBody::Tape(tape) = &document.body {
            let text = TapeText::new(tape);
            self.add_found(text.text(), find(text.text(), own));
            self.add_text(text.text(), own, names);
        }
    }

    /// Adds the values in a name, such as that of a file.
    pub fn add_text(&mut self, text: &str, own: &CustomPatterns, names: &NameList) {
        let mut found = find_personal(text, names);
        found.retain(|it| !own.allows(&text[it.range.clone()]));
        self.add_found(text, found);
    }

    fn add_found(&mut self, text: &str, found: Vec<FoundSecret>) {
        if found.is_empty() {
            return;
        }
        let known = find_placeholders(text);
        for it in found {
            if !is_in_any(&known, it.range.start) {
                self.insert(it.kind, &text[it.range]);
            }
        }
    }

    fn insert(&mut self, kind: SecretKind, value: &str) {
        let is_listed = kind.class == SecretClass::Personal;
        let is_long = is_listed || value.chars().count() >= MIN_LENGTH;
        if is_long && !is_redacted(value) && !self.found.contains_key(value) {
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

    /// Returns a mask that hides the values.
    pub fn mask(&self) -> Mask {
        let mut mask = Mask::default();
        for (value, kind) in &self.found {
            mask.add(*kind, value);
        }
        mask
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

/// Returns the bytes of the texts of a tape's chunks, in order; none for other documents.
pub(super) fn chunk_spans(document: &Document) -> Vec<Range<usize>> {
    let DocumentBody::Tape(tape) = &document.body else {
        return Vec::new();
    };
    let chunks = tape.chunks.iter();
    let texts = chunks.filter_map(|chunk| document.tree.find(chunk.node)?.get("text"));
    texts.map(|text| text.span().range()).collect()
}

/// Returns whether a byte is in one of some ranges, which are in order.
pub(super) fn is_in_any(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.start <= at)
}

/// Returns what is outside of texts and keys: comments, numbers, and what cannot be parsed.
pub(super) fn outside_texts(tree: &Tree) -> Vec<Range<usize>> {
    let texts = tree.nodes().flat_map(|node| {
        let text = node.as_str().filter(|_| !node.is_alias());
        let text = text.map(|_| node.span());
        [node.key_span(), text]
    });
    let (mut outside, mut end) = (Vec::new(), 0);
    for text in texts.flatten().map(crate::text::Span::range) {
        if text.start > end {
            outside.push(end..text.start);
        }
        end = end.max(text.end);
    }
    outside.push(end..tree.source().text().len());
    outside
}
