//! The data that the editor shows of a file, and whether the file can be edited.

use std::sync::Arc;

use super::indent;
use super::normalized::NormalizedText;
use crate::code::{CodeData, ProblemMark, SyntaxPiece, all_pieces};
use document::Document;
use document::text::{Source, Span, TextEdit};
use protocol::{DocId, Revision};

/// Maximum size of an editable text, in bytes.
const MAX_TEXT_BYTES: usize = 512 * 1024;
/// Maximum length of a line of an editable text, in bytes.
const MAX_LINE_BYTES: usize = 20_000;

/// The text of one file for the editor. Rebuilt when the text, its parse result or its problems change.
#[derive(Clone, Debug)]
pub struct EditorData {
    /// The file.
    pub doc: DocId,
    /// Display name of the file.
    pub name: String,
    /// Revision of the text; edits refer to it.
    pub revision: Revision,
    /// The current text.
    pub source: Source,
    /// The latest parse result, with marks moved to their place in the current text. A read-only text is shown from
    /// this.
    pub code: CodeData,
    /// The text for editing, or why it is read-only.
    pub text: Result<EditorText, ReadOnlyReason>,
}

/// A text that can be edited.
#[derive(Clone, Debug)]
pub struct EditorText {
    /// The text with normalized line ends.
    pub normalized: NormalizedText,
    /// Syntax colours in order. Once the text is parsed, none crosses a line end.
    pub colours: Arc<Vec<Colour>>,
    /// One step of indentation.
    pub indent: String,
    parsed: Arc<ParsedText>,
}

/// Parse result of an earlier text. Kept until the current text is parsed.
#[derive(Debug)]
struct ParsedText {
    document: Arc<Document>,
    normalized: NormalizedText,
    colours: Arc<Vec<Colour>>,
}

/// A coloured piece of the normalized text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    pub piece: SyntaxPiece,
}

/// Reason for which a text is read-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnlyReason {
    /// The file is not UTF-8; only a replacement text is shown.
    NotUtf8,
    /// The text has too many bytes.
    Large,
    /// A line has too many bytes.
    LongLine,
}

impl EditorData {
    /// Builds the data from a text with its revision and the latest parse result of the file. `previous` is the previous
    /// data, parts of which may be reused.
    pub fn new(
        doc: DocId,
        name: &str,
        (source, revision): (&Source, Revision),
        mut code: CodeData,
        previous: Option<&Self>,
    ) -> Self {
        move_marks(&mut code.marks, code.document.source(), source);
        let text = match ReadOnlyReason::new(source) {
            Some(reason) => Err(reason),
            None => Ok(EditorText::new(source, &code.document, previous)),
        };
        Self { doc, name: name.to_owned(), revision, source: source.clone(), code, text }
    }
}

impl EditorText {
    fn new(source: &Source, document: &Arc<Document>, previous: Option<&EditorData>) -> Self {
        let previous = previous.and_then(|previous| previous.text.as_ref().ok());
        // Normalizing and classifying the parsed text happens once for each parse, not for each typed character.
        let reading = previous
            .map(|previous| previous.parsed.clone())
            .filter(|reading| Arc::ptr_eq(&reading.document, document))
            .unwrap_or_else(|| Arc::new(ParsedText::new(document)));
        let normalized_text = NormalizedText::new(source);
        // Moved from the parsed text, not from the previous one, so that inaccuracies do not add up while typing.
        let colours = match TextEdit::between(&reading.normalized.text, &normalized_text.text) {
            None => reading.colours.clone(),
            Some(edit) => {
                let colours = reading.colours.iter();
                Arc::new(colours.map(|colour| colour.after_edit(&edit)).collect())
            }
        };
        Self {
            colours,
            indent: indent::detect_indent(&normalized_text.text, document.syntax),
            normalized: normalized_text,
            parsed: reading,
        }
    }
}

impl ParsedText {
    fn new(document: &Arc<Document>) -> Self {
        let normalized_text = NormalizedText::new(document.source());
        let colours = all_pieces(document).into_iter().map(|(span, piece)| Colour {
            start: normalized_text.text_offset(span.start as usize),
            end: normalized_text.text_offset(span.end as usize),
            piece,
        });
        Self {
            document: document.clone(),
            colours: Arc::new(colours.collect()),
            normalized: normalized_text,
        }
    }
}

/// Moves the marks of a parsed text to their places in the current text, until that is parsed, too.
fn move_marks(marks: &mut [ProblemMark], read: &Source, current: &Source) {
    let Some(edit) = TextEdit::between(read.text(), current.text()) else { return };
    for mark in marks {
        let span = mark.span.range();
        // Text typed right before a mark moves it, and text typed right after it is not part of it.
        mark.span = Span::new(edit.map_start(span.start), edit.map_offset(span.end));
        mark.line = current.line_at(mark.span.start as usize);
    }
}

impl ReadOnlyReason {
    fn new(source: &Source) -> Option<Self> {
        let text = source.text();
        // Saving the replacement text would destroy the bytes that it stands for.
        if source.fault().is_some() {
            return Some(Self::NotUtf8);
        }
        if text.len() > MAX_TEXT_BYTES {
            return Some(Self::Large);
        }
        // A lone `\r` ends a line in the editor, too.
        let mut lines = text.split(['\n', '\r']);
        lines.any(|line| line.len() > MAX_LINE_BYTES).then_some(Self::LongLine)
    }

    /// Returns the reason and what to do.
    pub fn message(self) -> &'static str {
        match self {
            Self::NotUtf8 => "Read-only: the file is not UTF-8. Convert it to edit it here.",
            Self::Large => {
                "Read-only: the file is larger than 512 KB. Change single values instead."
            }
            Self::LongLine => {
                "Read-only: a line is longer than 20,000 bytes. Change single values instead."
            }
        }
    }
}

impl Colour {
    /// Returns the piece after an edit: text typed inside a piece belongs to it until the file is parsed again.
    pub(super) fn after_edit(self, edit: &TextEdit) -> Self {
        let start = match self.start {
            start if start < edit.range.start => start,
            start => edit.map_start(start.max(edit.range.end)),
        };
        let end = if self.end <= edit.range.start {
            self.end
        } else if self.end >= edit.range.end {
            edit.map_offset(self.end)
        } else {
            edit.range.start
        };
        Self { start, end: end.max(start), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(bytes: Vec<u8>) -> EditorData {
        let source = Source::from_bytes(bytes);
        let document = Arc::new(document::read(source.clone(), "a.json"));
        let code = CodeData::new(&document, &[]);
        let text = (&source, Revision::default());
        EditorData::new(DocId::new(0), "a.json", text, code, None)
    }

    fn fixed(bytes: Vec<u8>) -> Option<ReadOnlyReason> {
        data(bytes).text.err()
    }

    #[test]
    fn unsuitable_texts_are_read_only() {
        assert_eq!(fixed(b"{\"a\": 1}".to_vec()), None);
        assert_eq!(fixed(b"{\"a\": \"\xff\"}".to_vec()), Some(ReadOnlyReason::NotUtf8));
        assert_eq!(fixed(vec![b' '; MAX_LINE_BYTES + 1]), Some(ReadOnlyReason::LongLine));
        assert_eq!(fixed(b"[1,\r\n]".repeat(100_000)), Some(ReadOnlyReason::Large));
    }

    #[test]
    fn colours_match_the_normalized_text() {
        let text = data(b"\xef\xbb\xbf{\r\n\"a\":\r\n true}".to_vec()).text.unwrap();
        let normalized_text = &text.normalized.text;
        let words: Vec<&str> =
            text.colours.iter().map(|colour| &normalized_text[colour.start..colour.end]).collect();
        assert_eq!(words, ["\"a\"", "true"]);
    }

    #[test]
    fn marks_and_colours_move_with_the_text_until_it_is_parsed() {
        let read = Source::new("{\n\"a\": 1,\n\"a\": 2}");
        let current = Source::new("{\n\n\"a\": 1,\n\"a\": 2}");
        let span = Span::new(10, 13);
        let rule = document::RuleId::DuplicateKey;
        let problem = document::Problem::at(rule, &read, span, "", "twice");
        let document = Arc::new(document::read(read, "a.json"));
        let code = CodeData::new(&document, &[problem]);
        let text = (&current, Revision::default());
        let data = EditorData::new(DocId::new(0), "a.json", text, code, None);
        let mark = &data.code.marks[0];
        assert_eq!((mark.line, current.slice(mark.span)), (3, "\"a\""));
        let text = data.text.unwrap();
        let first = text.colours[0];
        assert_eq!(&text.normalized.text[first.start..first.end], "\"a\"");
    }

    #[test]
    fn text_typed_into_a_piece_takes_its_colour() {
        let colour = Colour { start: 2, end: 6, piece: SyntaxPiece::Text };
        let colour_after = |start, end, new: &str| {
            let edit = TextEdit { range: start..end, new: new.to_owned() };
            let colour = colour.after_edit(&edit);
            (colour.start, colour.end)
        };
        assert_eq!(colour_after(3, 3, "xy"), (2, 8));
        assert_eq!(colour_after(0, 1, ""), (1, 5));
        assert_eq!(colour_after(6, 7, "x"), (2, 6));
        assert_eq!(colour_after(4, 8, "x"), (2, 4));
        assert_eq!(colour_after(1, 4, "x"), (2, 4));
        assert_eq!(colour_after(0, 9, "x"), (1, 1));
    }
}
