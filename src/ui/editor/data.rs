//! What the editor knows of a file, and whether it edits it at all.

use std::sync::Arc;

use super::indent;
use super::shown::Shown;
use crate::format::Document;
use crate::text::{Source, TextEdit};
use crate::ui::code::{CodeData, Piece, all_pieces};
use crate::workbench::DocId;

/// The largest text that is edited, in bytes.
const LARGEST: usize = 512 * 1024;
/// The longest line that is edited, in bytes.
const LONGEST_LINE: usize = 20_000;

/// The text of one file as the editor shows it. Built when the text or its problems change.
#[derive(Clone, Debug)]
pub struct EditorData {
    /// The file.
    pub doc: DocId,
    /// What people call it.
    pub name: String,
    /// The text with its marks; where it is not edited, this is all that is shown.
    pub code: CodeData,
    /// The text for editing, or why it is not edited.
    pub text: Result<Arc<EditorText>, Fixed>,
}

/// A text that can be edited.
#[derive(Clone, Debug)]
pub struct EditorText {
    /// The text as it is shown.
    pub shown: Shown,
    /// What its pieces are, in order; none reaches over the end of its line.
    pub colours: Arc<Vec<Colour>>,
    /// What one step of indentation is written as.
    pub indent: String,
}

/// A piece of the shown text that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// What it is.
    pub piece: Piece,
}

/// Why a text is shown and not edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// What is shown is only a picture of its bytes.
    NotUtf8,
    /// It has too many bytes.
    Large,
    /// A line of it has too many bytes.
    LongLine,
}

impl EditorData {
    /// Takes the text of a file with its marks.
    pub fn new(doc: DocId, name: &str, code: CodeData) -> Self {
        let text = match Fixed::of(code.source()) {
            Some(fixed) => Err(fixed),
            None => Ok(Arc::new(EditorText::new(&code.document))),
        };
        Self {
            doc,
            name: name.to_owned(),
            code,
            text,
        }
    }
}

impl EditorText {
    fn new(document: &Document) -> Self {
        let shown = Shown::new(document.source());
        let colours = all_pieces(document)
            .into_iter()
            .map(|(span, piece)| Colour {
                start: shown.at(span.start as usize),
                end: shown.at(span.end as usize),
                piece,
            });
        Self {
            colours: Arc::new(colours.collect()),
            indent: indent::habit(shown.text(), document.syntax),
            shown,
        }
    }
}

impl Fixed {
    fn of(source: &Source) -> Option<Self> {
        let text = source.text();
        if source.fault().is_some() {
            return Some(Self::NotUtf8);
        }
        if text.len() > LARGEST {
            return Some(Self::Large);
        }
        let mut lines = text.split(['\n', '\r']);
        lines
            .any(|line| line.len() > LONGEST_LINE)
            .then_some(Self::LongLine)
    }

    /// Says it, and what can be done.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NotUtf8 => "Shown, not edited: this file is not UTF-8. Convert it first.",
            Self::Large => "Shown, not edited: more than 512 KB. Change single values instead.",
            Self::LongLine => {
                "Shown, not edited: a line has over 20,000 bytes. Change single values instead."
            }
        }
    }
}

impl Colour {
    /// The piece after an edit of its text: what is typed into a piece belongs to it until the file was read again.
    pub(super) fn follow(self, edit: &TextEdit) -> Self {
        let after = edit.range.start + edit.new.len();
        let start = if self.start >= edit.range.end {
            edit.follow(self.start)
        } else if self.start >= edit.range.start {
            after
        } else {
            self.start
        };
        let end = if self.end <= edit.range.start {
            self.end
        } else if self.end >= edit.range.end {
            edit.follow(self.end)
        } else {
            edit.range.start
        };
        Self {
            start,
            end: end.max(start),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(bytes: Vec<u8>) -> EditorData {
        let document = Arc::new(crate::format::read(Source::from_bytes(bytes), "a.json"));
        EditorData::new(DocId::new(0), "a.json", CodeData::new(&document, &[]))
    }

    fn fixed(bytes: Vec<u8>) -> Option<Fixed> {
        data(bytes).text.err()
    }

    #[test]
    fn what_cannot_be_edited_well_is_not() {
        assert_eq!(fixed(b"{\"a\": 1}".to_vec()), None);
        assert_eq!(fixed(b"{\"a\": \"\xff\"}".to_vec()), Some(Fixed::NotUtf8));
        assert_eq!(fixed(vec![b' '; LONGEST_LINE + 1]), Some(Fixed::LongLine));
        assert_eq!(fixed(b"[1,\r\n]".repeat(100_000)), Some(Fixed::Large));
    }

    #[test]
    fn colours_stand_where_the_text_is_shown() {
        let text = data(b"\xef\xbb\xbf{\r\n\"a\":\r\n true}".to_vec())
            .text
            .unwrap();
        let shown = text.shown.text();
        let words: Vec<&str> = text
            .colours
            .iter()
            .map(|colour| &shown[colour.start..colour.end])
            .collect();
        assert_eq!(words, ["\"a\"", "true"]);
    }

    #[test]
    fn what_is_typed_into_a_piece_takes_its_colour() {
        let colour = Colour {
            start: 2,
            end: 6,
            piece: Piece::Text,
        };
        let after = |start, end, new: &str| {
            let edit = TextEdit {
                range: start..end,
                new: new.to_owned(),
            };
            let colour = colour.follow(&edit);
            (colour.start, colour.end)
        };
        assert_eq!(after(3, 3, "xy"), (2, 8));
        assert_eq!(after(0, 1, ""), (1, 5));
        assert_eq!(after(6, 7, "x"), (2, 6));
        assert_eq!(after(4, 8, "x"), (2, 4));
        assert_eq!(after(1, 4, "x"), (2, 4));
        assert_eq!(after(0, 9, "x"), (1, 1));
    }
}
