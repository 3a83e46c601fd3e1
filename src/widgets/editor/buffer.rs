//! The buffer that egui's text field edits.

use std::ops::Range;

use egui::TextBuffer;
use egui::text::{CCursor, CCursorRange, CharIndex};

use super::indent;

/// The normalized text while it is edited. Inserted text gets normalized line ends, a new line gets the indentation of
/// the previous one, and Tab inserts one step of the file's indentation.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffer {
    pub(super) text: String,
    /// Text that the Tab key inserts.
    pub(super) step: String,
}

impl TextBuffer for Buffer {
    fn is_mutable(&self) -> bool {
        true
    }

    fn as_str(&self) -> &str {
        &self.text
    }

    fn insert_text(&mut self, text: &str, char_index: CharIndex) -> usize {
        let at = byte_at(&self.text, char_index);
        // egui inserts Enter as `\n` and Tab as `\t`; everything else is typed or pasted text.
        let new = match text {
            "\n" => format!("\n{}", indent::indentation(&self.text, at)),
            "\t" => self.step.clone(),
            _ => text.replace("\r\n", "\n").replace('\r', "\n"),
        };
        self.text.insert_str(at, &new);
        // egui moves the caret by the returned number of characters.
        new.chars().count()
    }

    fn delete_char_range(&mut self, range: Range<CharIndex>) {
        let start = byte_at(&self.text, range.start);
        let end = byte_at(&self.text, range.end).max(start);
        self.text.replace_range(start..end, "");
    }

    fn type_id(&self) -> std::any::TypeId {
        std::any::TypeId::of::<Self>()
    }
}

/// Returns the byte offset of a character; the end of the text for later characters.
pub(super) fn byte_at(text: &str, index: CharIndex) -> usize {
    let mut chars = text.chars();
    // Past the character before, so that the end of the text is a valid position, too.
    if let Some(n) = index.0.checked_sub(1) {
        chars.nth(n);
    }
    text.len() - chars.as_str().len()
}

/// Returns the caret at byte `at`.
pub(super) fn caret_at(text: &str, at: usize) -> CCursor {
    let at = text.floor_char_boundary(at);
    CCursor::new(text[..at].chars().count())
}

/// Returns the selected bytes.
pub(super) fn selected(text: &str, cursor: CCursorRange) -> Range<usize> {
    let [start, end] = cursor.sorted_cursors();
    let start = byte_at(text, start.index);
    start..byte_at(text, end.index).max(start)
}

/// Returns the selection of these bytes, with the caret at their end.
pub(super) fn selection(text: &str, range: &Range<usize>) -> CCursorRange {
    CCursorRange::two(caret_at(text, range.start), caret_at(text, range.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_text_has_normalized_line_ends() {
        let mut buffer = Buffer::default();
        assert_eq!(buffer.insert_text("é\r\nb\rc\n", CharIndex(0)), 6);
        assert_eq!(buffer.text, "é\nb\nc\n");
    }

    #[test]
    fn a_new_line_keeps_the_indentation() {
        let mut buffer = Buffer { text: "é\n  b".to_owned(), ..Buffer::default() };
        assert_eq!(buffer.insert_text("\n", CharIndex(5)), 3);
        assert_eq!(buffer.text, "é\n  b\n  ");
        buffer.delete_char_range(CharIndex(1)..CharIndex(5));
        assert_eq!(buffer.text, "é\n  ");
    }

    #[test]
    fn carets_convert_to_bytes_and_back() {
        let text = "aé😀";
        for at in [0, 1, 3, 7] {
            assert_eq!(byte_at(text, caret_at(text, at).index), at);
        }
        assert_eq!(byte_at(text, CharIndex(9)), 7);
        assert_eq!(selected(text, selection(text, &(1..3))), 1..3);
    }
}
