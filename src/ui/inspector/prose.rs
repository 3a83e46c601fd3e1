//! A text in the inspector: folded when it is long, or its beginning on one line.

use document::NodeId;
use document::text::{visible, visible_lines};

/// Texts of more lines than this are folded.
const FOLD_LINES: usize = 12;
/// Texts of more bytes than this are folded even if they have few lines.
const FOLD_BYTES: usize = 900;
/// Maximum bytes of one text shown here; the text view shows all.
const MAX_TEXT_BYTES: usize = 100_000;
/// Maximum bytes of a one-line preview.
pub(super) const MAX_PREVIEW_BYTES: usize = 240;

/// A text, folded when it is long. Hidden characters are escaped; line ends and tabs stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prose {
    /// The node it was read from; also identifies unfolded texts.
    pub node: Option<NodeId>,
    /// The whole text, up to what can be shown here.
    pub text: String,
    /// Bytes of `text` shown while folded; all of them for a short text.
    pub folded: usize,
    /// Number of lines of the text in the file.
    pub lines: usize,
    /// Whether `text` is only the beginning.
    pub is_truncated: bool,
}

impl Prose {
    /// Prepares a text for display.
    pub(super) fn new(node: Option<NodeId>, text: &str) -> Self {
        // Cut first, since escaping a text of megabytes would delay the frame.
        let beginning = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        let visible_text = visible_lines(beginning).trim_end().to_owned();
        let fold_end = nth_line_end(&visible_text, FOLD_LINES);
        // Folding only two lines is not worth a click.
        let folded = match nth_line_end(&visible_text, FOLD_LINES + 3) {
            // As above: a few bytes more are not worth a click, either.
            None if visible_text.len() <= FOLD_BYTES + FOLD_BYTES / 2 => visible_text.len(),
            None => visible_text.floor_char_boundary(FOLD_BYTES),
            Some(_) => visible_text
                .floor_char_boundary(fold_end.unwrap_or(visible_text.len()).min(FOLD_BYTES)),
        };
        Self {
            node,
            lines: memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() + 1,
            is_truncated: beginning.len() < text.len(),
            folded,
            text: visible_text,
        }
    }

    /// Returns the text shown while folded.
    pub fn beginning(&self) -> &str {
        self.text.get(..self.folded).unwrap_or(&self.text)
    }

    /// Returns whether a part of the text is folded.
    pub fn is_folded(&self) -> bool {
        self.folded < self.text.len()
    }
}

fn nth_line_end(text: &str, n: usize) -> Option<usize> {
    memchr::memchr_iter(b'\n', text.as_bytes()).nth(n.checked_sub(1)?)
}

/// Returns the beginning of a text on one line, with hidden characters escaped.
pub(super) fn preview(text: &str) -> String {
    let beginning = &text[..text.floor_char_boundary(MAX_PREVIEW_BYTES)];
    let dots = if beginning.len() < text.len() { " …" } else { "" };
    format!("{}{dots}", visible(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_folded_and_slightly_long_ones_are_not() {
        let text = |lines: usize| {
            let lines: Vec<String> = (1..=lines).map(|n| format!("line {n}")).collect();
            Prose::new(None, &lines.join("\r\n"))
        };
        assert!(!text(14).is_folded());
        let long = text(38);
        assert!(long.is_folded() && long.beginning().ends_with("line 12"));
        assert_eq!(long.lines, 38);
        let one_line = Prose::new(None, &"é".repeat(200_000));
        assert!(one_line.is_folded() && one_line.is_truncated);
    }
}
