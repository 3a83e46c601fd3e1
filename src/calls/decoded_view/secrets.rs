//! Finds the secrets of a document, each with its place, in all of its texts as a reader of the wire sees them.
//!
//! A fast scan of a whole text finds candidates; only there values are decoded and checked. Nearly every file has no such place.

use std::collections::HashSet;
use std::ops::Range;

use super::{
    Covering, DocumentTexts, FoundParts, Part, Spot, TextName, TextSearch, search_tree, span_in,
};
use crate::secret::{
    CustomPatterns, FoundSecret, SecretClass, SecretKind, find, find_accounts, find_in_header,
    find_in_query, find_marks, find_named, hint,
};
use crate::tape::text::TapeText;
use document::FileKind;
use document::foreign::ForeignFormat;
use document::text::{Span, remove_overlapping};
use document::{Document, DocumentBody, Node, Tree};

/// A secret in a document.
#[derive(Clone, Debug)]
pub struct MarkedSecret<'t> {
    pub kind: SecretKind,
    /// The value that contains it, or whose key does; `None` outside of all values.
    pub node: Option<Node<'t>>,
    /// Its bytes in the document.
    pub span: Span,
    /// The secret itself, decoded.
    pub text: String,
    /// The part of it that may be shown.
    pub hint: String,
    pub covering: Covering,
    /// Its place in the value, behind the pointer of that.
    pub place: String,
}

/// Looks for secrets in texts.
#[derive(Clone, Copy, Debug)]
pub struct SecretSearch<'o> {
    own: &'o CustomPatterns,
    /// Whether ids of accounts count.
    is_of_http: bool,
}

impl<'o> SecretSearch<'o> {
    pub fn new(own: &'o CustomPatterns) -> Self {
        Self { own, is_of_http: false }
    }

    /// Creates a search for a document. Ids of accounts count in messages of HTTP only.
    pub fn of_document(document: &Document, own: &'o CustomPatterns) -> Self {
        let is_http =
            |format: ForeignFormat| matches!(format.kind(), FileKind::Cassette | FileKind::Har);
        let is_of_http =
            matches!(&document.body, DocumentBody::Foreign(foreign) if is_http(foreign.format));
        Self { own, is_of_http }
    }

    /// Finds the secrets of a text, in order; they do not overlap.
    pub fn find(&self, text: &str, name: TextName<'_>) -> Vec<FoundSecret> {
        let mut secrets = match name {
            TextName::None => find(text, self.own),
            TextName::Member(name) | TextName::NameOfPerson(name) => {
                find_named(name, text, self.own)
            }
            TextName::Header(name) => find_in_header(name, text, self.own),
            TextName::Cookie(name) => {
                let start = name.len() + 1;
                // The rules of cookies need the name with the value, as in the header.
                let cookie_secrets = find_in_header("cookie", &format!("{name}={text}"), self.own);
                let values = cookie_secrets
                    .into_iter()
                    .filter(|secret| secret.range.start >= start)
                    .map(|secret| FoundSecret {
                        range: secret.range.start - start..secret.range.end - start,
                        ..secret
                    });
                values.collect()
            }
            TextName::Query => return find_in_query(text, self.own),
        };
        if self.is_of_http {
            secrets.extend(find_accounts(text, self.own));
            secrets.sort_by_key(|s| s.range.start);
            remove_overlapping(&mut secrets, |s| &s.range);
        }
        secrets
    }
}

impl TextSearch for SecretSearch<'_> {
    fn search(&mut self, text: &str, name: TextName<'_>) -> Vec<Part> {
        self.find(text, name).into_iter().map(|s| Part::new(s, text)).collect()
    }

    fn marks(&self, text: &str) -> Option<Vec<usize>> {
        // A project's pattern has no marks, and may match anywhere.
        if self.own.has_patterns() {
            return None;
        }
        let mut marks = find_marks(text);
        if self.is_of_http {
            marks.extend(find_accounts(text, self.own).iter().map(|s| s.range.start));
        }
        Some(marks)
    }
}

impl<'t> DocumentTexts<'t, '_> {
    /// Finds all secrets, in the order of the text. The id of an account is found once.
    pub fn secrets(&self, patterns: &CustomPatterns) -> Vec<MarkedSecret<'t>> {
        self.marked(&mut SecretSearch::of_document(self.document, patterns))
    }

    /// Returns what is found, in the order of the text. The id of an account is found once.
    pub fn marked(&self, search: &mut dyn TextSearch) -> Vec<MarkedSecret<'t>> {
        marked(self.search(search), Some(self.document))
    }
}

/// Returns what is found in a tree, as [`DocumentTexts::marked`] does.
pub fn marked_tree<'t>(tree: &'t Tree, search: &mut dyn TextSearch) -> Vec<MarkedSecret<'t>> {
    marked(search_tree(tree, search), None)
}

fn marked<'t>(hits: Vec<FoundParts<'t>>, document: Option<&'t Document>) -> Vec<MarkedSecret<'t>> {
    let mut secrets = Vec::new();
    for parts in hits {
        for part in &parts.parts {
            let (node, range) = match parts.spot {
                Spot::Value(node) | Spot::Key(node) => (Some(node), parts.written(part)),
                Spot::Outside => (None, parts.written(part)),
                Spot::Chunks => match document.and_then(|d| in_chunk(d, part)) {
                    Some((node, range)) => (Some(node), range),
                    None => continue,
                },
            };
            secrets.extend(part.found.iter().map(|find| MarkedSecret {
                kind: find.kind,
                node,
                span: Span::new(range.start, range.end),
                hint: hint(find.kind, &find.text),
                text: find.text.clone(),
                covering: find.covering,
                place: find.place.clone(),
            }));
        }
    }
    secrets.sort_by_key(|s| (s.span, s.kind));
    // A body with layers is marked as a whole, so a secret that is in it twice would be listed twice.
    secrets.dedup_by(|a, b| (a.span, &a.text) == (b.span, &b.text));
    let mut accounts = HashSet::new();
    secrets.retain(|s| s.kind.class != SecretClass::Account || accounts.insert(s.text.clone()));
    secrets
}

/// Returns where a part of the text of a tape is: in its first chunk.
fn in_chunk<'t>(document: &'t Document, part: &Part) -> Option<(Node<'t>, Range<usize>)> {
    let DocumentBody::Tape(tape) = &document.body else { return None };
    let text = TapeText::new(tape);
    let chunks = text.chunks_of(part.range.clone());
    let node = document.tree.find(tape.chunks.get(chunks.start)?.node)?.get("text")?;
    let (start, range) = (text.range(chunks.start).start, &part.range);
    let text_range = node.span().range();
    let is_split = chunks.len() > 1;
    let part_range = || span_in(node, &(range.start - start..range.end - start));
    Some((node, if is_split { text_range } else { part_range() }))
}
