//! Finds the secrets of a document, each with its place.
//!
//! A fast scan of the whole text finds candidates; only there values are decoded and checked. Nearly every
//! file has no such place.

use super::marker_search::{MARKS, MarkGroup};
use super::{CustomPatterns, SecretKind, find, find_accounts, find_named, hint, named, places};
use crate::format::yaml::line_breaks::has_any;
use crate::format::{Node, NodeKind, Syntax, Tree};
use crate::text::Span;

/// A secret in a document.
#[derive(Clone, Debug)]
pub struct MarkedSecret<'t> {
    pub kind: SecretKind,
    /// The value that contains it, or whose key does; the root for text between the values.
    pub node: Node<'t>,
    /// Its bytes in the document.
    pub span: Span,
    /// The secret itself, decoded.
    pub text: String,
    /// What may be shown of it.
    pub hint: String,
}

/// Finds all secrets of a document, in the order of the text.
pub fn scan<'t>(tree: &'t Tree, own: &CustomPatterns) -> Vec<MarkedSecret<'t>> {
    let mut scan = Scan {
        tree,
        own,
        found: Vec::new(),
    };
    let (nodes, outside) = suspects(tree, own);
    for node in nodes {
        scan.key(node);
        scan.value(node);
    }
    if let Some(root) = tree.root() {
        for line in outside {
            scan.line(root, line);
        }
    }
    scan.found.sort_by_key(|marked| (marked.span, marked.kind));
    scan.found.dedup_by_key(|marked| marked.span);
    scan.found
}

/// Finds the ids of accounts in the values of a document, each at its first place.
pub fn scan_accounts<'t>(tree: &'t Tree, own: &CustomPatterns) -> Vec<MarkedSecret<'t>> {
    let mut scan = Scan {
        tree,
        own,
        found: Vec::new(),
    };
    let text = tree.source().text();
    let mut known: Vec<&str> = Vec::new();
    for id in find_accounts(text, own) {
        let at = id.range.start;
        let node = node_at(tree, at);
        let secret = &text[id.range.clone()];
        if let Some(node) = node.filter(|_| !known.contains(&secret)) {
            known.push(secret);
            let kind = id.kind;
            scan.found.push(MarkedSecret {
                kind,
                node,
                span: Span::new(at, id.range.end),
                text: secret.to_owned(),
                hint: hint(kind, secret),
            });
        }
    }
    scan.found
}

/// Returns the values in which something can be, and the lines on which something can be outside of all values.
fn suspects<'t>(tree: &'t Tree, own: &CustomPatterns) -> (Vec<Node<'t>>, Vec<Span>) {
    let text = tree.source().text();
    let mut hits = hits(text);
    if own.has_patterns() {
        return (tree.nodes().collect(), lines(tree, &hits));
    }
    hits.extend(hiding_escapes(tree));
    hits.sort_unstable();
    let (mut nodes, mut outside): (Vec<Node<'t>>, Vec<usize>) = (Vec::new(), Vec::new());
    for at in hits {
        if nodes
            .last()
            .is_some_and(|node| node.span().range().contains(&at) && is_scalar(*node))
        {
            continue;
        }
        match node_at(tree, at) {
            Some(node) => nodes.push(node),
            None => outside.push(at),
        }
    }
    (nodes, lines(tree, &outside))
}

fn is_scalar(node: Node<'_>) -> bool {
    !matches!(node.kind(), NodeKind::Object | NodeKind::Array) || node.is_alias()
}

/// Returns true if a byte is in a scalar or in a key.
fn holds(node: Node<'_>, at: usize) -> bool {
    let in_key = node.key_span().is_some_and(|key| key.range().contains(&at));
    in_key || is_scalar(node) && node.span().range().contains(&at)
}

/// Returns the places of markers of secrets.
fn hits(text: &str) -> Vec<usize> {
    let mut hits = Vec::new();
    MARKS.each(text, &mut |group, start, end| {
        if group != MarkGroup::Name || named::is_given(text, end) {
            hits.push(start);
        }
    });
    hits
}

/// Escapes behind which a mark could hide: of an ordinary character in JSON, any elsewhere; in YAML the first of each value that has
/// escapes at all.
fn hiding_escapes(tree: &Tree) -> Vec<usize> {
    let bytes = tree.source().text().as_bytes();
    match tree.syntax() {
        Syntax::Json => {
            let escapes = memchr::memmem::find_iter(bytes, b"\\u00");
            let is_ordinary = |at: &usize| matches!(bytes.get(at + 4), Some(b'2'..=b'7'));
            escapes.filter(is_ordinary).collect()
        }
        Syntax::Yaml => {
            let (mut escapes, mut from) = (Vec::new(), 0);
            while let Some(ahead) = memchr::memchr(b'\\', &bytes[from..]) {
                let at = from + ahead;
                let node = node_at(tree, at);
                let value = node.filter(|node| node.span().range().contains(&at));
                if value.is_none_or(has_escapes) {
                    escapes.push(at);
                }
                from = value.map_or(at + 1, |value| value.span().range().end);
            }
            escapes
        }
        Syntax::Toml | Syntax::Code | Syntax::Machine => {
            memchr::memchr_iter(b'\\', bytes).collect()
        }
    }
}

/// Returns whether a YAML scalar differs from its text in more than doubled quotes and indentation.
fn has_escapes(node: Node<'_>) -> bool {
    let raw = node.raw();
    // Only in a root may a line end be as long as the space that it becomes: elsewhere there is indentation after it.
    let is_verbatim = raw.starts_with('\'')
        && node.parent().is_some()
        && node
            .as_str()
            .is_some_and(|text| text.len() + 2 == raw.len());
    let has_lines = || memchr::memchr(b'\n', raw.as_bytes()).is_some() || has_any(raw);
    raw.starts_with('"') || !is_verbatim && !raw.starts_with('|') && has_lines()
}

/// Returns the scalar, or the member with the key, that has a byte.
fn node_at(tree: &Tree, at: usize) -> Option<Node<'_>> {
    tree.nodes_from(at).take(2).find(|node| holds(*node, at))
}

/// Returns the lines that hold these bytes, each once.
fn lines(tree: &Tree, hits: &[usize]) -> Vec<Span> {
    let text = tree.source().text();
    let line = |&at: &usize| {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |len| at + len);
        Span::new(start, end)
    };
    let mut lines: Vec<Span> = Vec::new();
    for at in hits {
        if lines.last().is_none_or(|last| !last.range().contains(at)) {
            lines.push(line(at));
        }
    }
    lines
}

struct Scan<'t, 'o> {
    tree: &'t Tree,
    own: &'o CustomPatterns,
    found: Vec<MarkedSecret<'t>>,
}

impl<'t> Scan<'t, '_> {
    fn key(&mut self, node: Node<'t>) {
        let (Some(key), Some(span)) = (node.key(), node.key_span()) else {
            return;
        };
        for found in find(key, self.own) {
            self.mark(node, span, key, found);
        }
    }

    fn value(&mut self, node: Node<'t>) {
        if node.is_alias() || node.kind() != NodeKind::String {
            return;
        }
        let Some(text) = node.as_str() else { return };
        let named = match name_of(node) {
            Some(name) => find_named(name, text, self.own),
            None => find(text, self.own),
        };
        for found in named {
            self.mark(node, node.span(), text, found);
        }
        // `{"name": "x-api-key", "value": "…"}`: the mark is in the name, the secret beside it.
        if let Some(value) = node.parent().and_then(|pair| pair.get("value"))
            && node.key() == Some("name")
        {
            self.value(value);
        }
    }

    fn mark(&mut self, node: Node<'t>, span: Span, text: &str, found: super::FoundSecret) {
        let secret = text[found.range.clone()].to_owned();
        let hint = hint(found.kind, &secret);
        let document = self.tree.source().text();
        let span = places::find_span(document, self.tree.syntax(), span, text, found.range);
        self.found.push(MarkedSecret {
            kind: found.kind,
            node,
            span,
            text: secret,
            hint,
        });
    }

    /// Checks the text outside of all values on a line: a comment, or text that could not be parsed.
    fn line(&mut self, root: Node<'t>, line: Span) {
        let text = self.tree.source().slice(line);
        for found in find(text, self.own) {
            let start = line.range().start;
            let span = Span::new(start + found.range.start, start + found.range.end);
            let is_known = self
                .found
                .iter()
                .any(|known| known.span.range().contains(&span.range().start));
            if !is_known {
                let secret = text[found.range.clone()].to_owned();
                let hint = hint(found.kind, &secret);
                self.found.push(MarkedSecret {
                    kind: found.kind,
                    node: root,
                    span,
                    text: secret,
                    hint,
                });
            }
        }
    }
}

/// Returns the name of a value: its key, or the `name` beside it if the key is `value`.
fn name_of(node: Node<'_>) -> Option<&str> {
    let key = node.key()?;
    let beside = || node.parent()?.get("name")?.as_str();
    match key {
        "value" => beside().or(Some(key)),
        _ => Some(key),
    }
}
