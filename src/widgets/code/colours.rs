//! Classifies pieces of a file's text by the values parsed from it. This is exact in any part of any line, also in
//! YAML, where only the parser knows what is text.

use document::text::Span;
use document::{Document, NodeKind, Syntax};

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxPiece {
    /// The key of a member.
    Key,
    Text,
    /// A number, a date, or a literal such as `true`.
    Literal,
    Comment,
}

/// Returns the pieces in `window`, in order and clipped to it. Text between them is punctuation or was not parsed.
pub(super) fn pieces(document: &Document, window: Span) -> Vec<(Span, SyntaxPiece)> {
    let mut found_pieces: Vec<(Span, SyntaxPiece)> = Vec::new();
    let mut add = |span: Span, piece| {
        let (start, end) = (span.start.max(window.start), span.end.min(window.end));
        // Pieces must not overlap: the painter appends the text between one and the next.
        if start < end && found_pieces.last().is_none_or(|(last, _)| last.end <= start) {
            found_pieces.push((Span { start, end }, piece));
        }
    };
    for node in document.tree.nodes_from(window.start as usize) {
        let key = node.key_span();
        // The key of a member comes before its value: a member is in the window if only its key is.
        if node.span().start.min(key.map_or(u32::MAX, |key| key.start)) >= window.end {
            break;
        }
        if let Some(key) = key {
            add(key, SyntaxPiece::Key);
        }
        match node.kind() {
            // An alias has the kind of its target, but its own text is only a name.
            _ if node.is_alias() => add(node.span(), SyntaxPiece::Literal),
            NodeKind::String => add(node.span(), SyntaxPiece::Text),
            NodeKind::Null | NodeKind::Bool | NodeKind::Number | NodeKind::Timestamp => {
                add(node.span(), SyntaxPiece::Literal);
            }
            NodeKind::Array | NodeKind::Object | NodeKind::Expression => {}
        }
    }
    // JSON has no comments, and text of machines and code is not parsed into values.
    if matches!(document.syntax, Syntax::Yaml | Syntax::Toml) {
        add_comment(document, window, &mut found_pieces);
    }
    found_pieces
}

/// Returns the pieces of the whole text. No piece crosses the end of its line.
pub fn all_pieces(document: &Document) -> Vec<(Span, SyntaxPiece)> {
    let source = document.source();
    // Line by line, because a comment is searched once for each window.
    let lines = (0..source.line_count()).map(|line| source.line_span(line));
    lines.flat_map(|line| pieces(document, line)).collect()
}

/// Adds the YAML comment in `window`, if any: a `#` at the start of a line or after a space, outside of every value.
fn add_comment(document: &Document, window: Span, found_pieces: &mut Vec<(Span, SyntaxPiece)>) {
    let text = document.source().slice(window);
    let mut previous = None;
    for (at, c) in text.char_indices() {
        let place = window.start as usize + at;
        let is_outside = found_pieces.iter().all(|(span, _)| !span.range().contains(&place));
        if c == '#' && previous.is_none_or(char::is_whitespace) && is_outside {
            found_pieces.retain(|(span, _)| (span.start as usize) < place);
            found_pieces.push((Span::new(place, window.end as usize), SyntaxPiece::Comment));
            return;
        }
        previous = Some(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;

    fn pieces_in(text: &str, window: Span) -> Vec<(String, SyntaxPiece)> {
        let document = document::read(Source::new(text), "a.json");
        let found_pieces = pieces(&document, window).into_iter();
        found_pieces
            .map(|(span, piece)| (document.source().slice(span).to_owned(), piece))
            .collect()
    }

    #[test]
    fn keys_strings_and_literals_are_distinguished_from_any_position() {
        let text = r#"{"a": "x # y", "b": [1e3, null]}"#;
        let pieces = pieces_in(text, Span::new(0, text.len()));
        let words: Vec<&str> = pieces.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["\"a\"", "\"x # y\"", "\"b\"", "1e3", "null"]);
        let part_pieces = pieces_in(text, Span::new(8, 22));
        let expected = [
            ("# y\"", SyntaxPiece::Text),
            ("\"b\"", SyntaxPiece::Key),
            ("1", SyntaxPiece::Literal),
        ];
        assert_eq!(part_pieces.len(), 3);
        for ((word, piece), (expected, kind)) in part_pieces.iter().zip(expected) {
            assert!(expected.ends_with(word.trim()) || word.ends_with(expected), "{word}");
            assert_eq!(*piece, kind);
        }
    }
}
