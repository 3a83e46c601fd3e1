//! The lines of a document: lines and columns, which text belongs to which part of a container, and the text between the
//! parts.

use std::ops::Range;

use crate::{Node, NodeKind, Syntax, Tree};

/// The lines of a document.
#[derive(Clone, Copy)]
pub(super) struct DocumentLines<'a> {
    pub(super) tree: &'a Tree,
    pub(super) text: &'a str,
}

/// Syntax of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContainerSyntax {
    /// In brackets: all of JSON, YAML's flow style.
    Brackets,
    /// By indentation.
    Block,
    /// A YAML mapping of one member without brackets, in a list in brackets: `[a: 1]`.
    Pair,
}

/// An element or a member in the text.
#[derive(Clone, Copy)]
pub(super) struct ContainerPart<'a> {
    pub(super) node: Node<'a>,
    /// Its first byte: the dash, the key, or the `?`, anchor or tag before the key.
    pub(super) start: usize,
    /// The byte after its value.
    pub(super) end: usize,
}

impl<'a> DocumentLines<'a> {
    pub(super) fn new(tree: &'a Tree) -> Self {
        Self { tree, text: tree.source().text() }
    }

    pub(super) fn is_yaml(&self) -> bool {
        self.tree.syntax() == Syntax::Yaml
    }

    /// Returns the start of the line that contains byte `at`.
    pub(super) fn line_start(&self, at: usize) -> usize {
        let line = self.text[..at].rfind(['\n', '\r']);
        // A byte order mark is no part of the first line.
        line.map_or(self.tree.source().content_start(), |end| end + 1)
    }

    /// Returns the white space at the beginning of the line that contains byte `at`.
    pub(super) fn indentation(&self, at: usize) -> &'a str {
        let line = &self.text[self.line_start(at)..];
        let len = line.len() - line.trim_start_matches([' ', '\t']).len();
        &line[..len]
    }

    /// Returns the column of byte `at`, from 0, in characters.
    pub(super) fn column(&self, at: usize) -> usize {
        // PyYAML counts columns in characters as well.
        self.text[self.line_start(at)..at].chars().count()
    }

    /// Returns true if there is only white space before byte `at` on its line.
    pub(super) fn starts_line(&self, at: usize) -> bool {
        is_blank(&self.text[self.line_start(at)..at])
    }

    /// Returns the end of the line that contains byte `at`, before its line end.
    pub(super) fn line_end(&self, at: usize) -> usize {
        let len = self.text[at..].find(['\n', '\r']);
        len.map_or(self.text.len(), |len| at + len)
    }

    /// Returns the byte after the line end at `at`, if there is one.
    pub(super) fn next_line(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        match rest.as_bytes() {
            [b'\r', b'\n', ..] => Some(at + 2),
            [b'\r' | b'\n', ..] => Some(at + 1),
            _ => None,
        }
    }

    /// Returns the end of the text of a line that holds nothing more but a comment: before the spaces that end the line.
    pub(super) fn comment_end(&self, at: usize) -> usize {
        let rest = &self.text[at..self.line_end(at)];
        if rest.trim_start_matches([' ', '\t']).starts_with('#') {
            at + rest.trim_end_matches([' ', '\t']).len()
        } else {
            at
        }
    }

    /// Returns the number of blank lines behind the line that holds byte `at`, and the end of the last of them (before its line end).
    pub(super) fn blank_lines_after(&self, at: usize) -> (usize, usize) {
        let (mut count, mut end) = (0, self.line_end(at));
        while let Some(start) = self.next_line(end) {
            let next = self.line_end(start);
            // Behind the last line end there is no line.
            if !is_blank(&self.text[start..next]) || start == self.text.len() {
                break;
            }
            (count, end) = (count + 1, next);
        }
        (count, end)
    }

    /// Returns the line end used near byte `at`.
    pub(super) fn newline(&self, at: usize) -> &'a str {
        let end = match self.text[..at].rfind('\n') {
            Some(end) => end,
            None => match self.text[at..].find('\n') {
                Some(len) => at + len,
                None => return "\n",
            },
        };
        if self.text[..end].ends_with('\r') { "\r\n" } else { "\n" }
    }

    /// Skips white space, line ends and comments.
    pub(super) fn skip(&self, start: usize, end: usize) -> usize {
        let bytes = &self.text.as_bytes()[..end];
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            // Without white space before it, as in `a#b`, the sign is part of a plain text.
            let is_comment =
                byte == b'#' && self.is_yaml() && (at == 0 || bytes[at - 1].is_ascii_whitespace());
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => at += 1,
                _ if is_comment => at = self.line_end(at).min(end),
                _ => break,
            }
        }
        at
    }

    /// Returns how a list or an object is written.
    pub(super) fn shape(&self, container: Node<'_>) -> ContainerSyntax {
        let starts_with = |bracket| container.raw().starts_with(bracket);
        match container.kind() {
            _ if !self.is_yaml() => ContainerSyntax::Brackets,
            NodeKind::Array if starts_with('[') => ContainerSyntax::Brackets,
            NodeKind::Object if starts_with('{') => ContainerSyntax::Brackets,
            NodeKind::Object => match container.parent() {
                Some(list) if list.kind() == NodeKind::Array && list.raw().starts_with('[') => {
                    ContainerSyntax::Pair
                }
                _ => ContainerSyntax::Block,
            },
            _ => ContainerSyntax::Block,
        }
    }

    /// Returns true if a value is inside brackets, where block style is not possible.
    pub(super) fn is_in_brackets(&self, node: Node<'_>) -> bool {
        let parent_shape = node.parent().map(|parent| self.shape(parent));
        !self.is_yaml() || parent_shape.is_some_and(|shape| shape != ContainerSyntax::Block)
    }

    /// Returns the parts of a list or an object that is not an alias.
    pub(super) fn parts(&self, container: Node<'a>) -> Vec<ContainerPart<'a>> {
        let shape = self.shape(container);
        let mut parts: Vec<ContainerPart<'a>> = Vec::with_capacity(container.len());
        for node in container.items() {
            let span = node.span().range();
            let first = node.key_span().map_or(span.start, |key| key.range().start);
            let start = match (shape, parts.last()) {
                (ContainerSyntax::Block | ContainerSyntax::Pair, None) => {
                    container.span().range().start
                }
                (ContainerSyntax::Block | ContainerSyntax::Pair, Some(previous)) => {
                    self.skip(previous.end, first)
                }
                (ContainerSyntax::Brackets, None) => {
                    self.skip(container.span().range().start + 1, first)
                }
                (ContainerSyntax::Brackets, Some(previous)) => {
                    let comma = self.skip(previous.end, first);
                    let comma_end = comma + usize::from(self.text[comma..].starts_with(','));
                    self.skip(comma_end.min(first), first)
                }
            };
            let end = span.end;
            parts.push(ContainerPart { node, start, end });
        }
        parts
    }

    /// Returns the first byte at which the value of a member or an element may begin: behind the colon or dash, anchor and
    /// tag. `None` for a key without a colon.
    pub(super) fn lead(&self, part: &ContainerPart<'_>) -> Option<usize> {
        let value = part.node.span().range().start;
        let mut at = match part.node.key_span() {
            Some(key) => {
                let colon = self.skip(key.range().end, self.text.len());
                self.text[colon..].starts_with(':').then_some(colon + 1)?
            }
            None => part.start + usize::from(self.text[part.start..value].starts_with('-')),
        };
        loop {
            let next = self.skip(at, value);
            let rest = self.text.get(next..value).unwrap_or_default();
            if !rest.starts_with(['&', '!']) {
                return Some(at);
            }
            let len = rest.find(|c: char| c.is_ascii_whitespace());
            at = next + len.unwrap_or(rest.len());
        }
    }

    /// Returns true if there is a tag (`!name`) before a value of a list or a mapping.
    pub(super) fn has_tag(&self, node: Node<'a>) -> bool {
        let parts = node.parent().map(|parent| self.parts(parent));
        let part = parts.and_then(|parts| parts.get(node.index()).copied());
        let lead = part.and_then(|part| Some((part, self.lead(&part)?)));
        lead.is_some_and(|(part, lead)| {
            let start = part.node.key_span().map_or(part.start, |key| key.range().end);
            self.slice(start..lead).contains('!')
        })
    }

    /// Returns the text of a range of bytes.
    pub(super) fn slice(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }
}

/// Returns true if a text contains only spaces and tabs.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}
