//! Combines many small replacements into one edit.

use std::ops::Range;

use document::text::TextEdit;

/// Replacements within one text that do not overlap.
#[derive(Debug, Default)]
pub(super) struct Patch {
    parts: Vec<TextEdit>,
}

impl Patch {
    pub(super) fn replace(&mut self, range: Range<usize>, new: impl Into<String>) {
        self.parts.push(TextEdit { range, new: new.into() });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns one edit from the first to the last changed byte; `None` if nothing changes. Copies each byte once.
    pub(super) fn finish(mut self, text: &str) -> Option<TextEdit> {
        // An edit that writes what the text already has changes nothing, and must not be in the history.
        self.parts.retain(|part| text.get(part.range.clone()) != Some(&part.new));
        // Insertions at one place stay in the order of the calls.
        self.parts.sort_by_key(|part| part.range.start);
        let start = self.parts.first()?.range.start;
        let mut new = String::new();
        let mut end = start;
        for part in &self.parts {
            new.push_str(text.get(end..part.range.start)?);
            new.push_str(&part.new);
            end = part.range.end;
        }
        Some(TextEdit { range: start..end, new })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_replacements_stays() {
        let mut patch = Patch::default();
        patch.replace(6..7, "7");
        patch.replace(1..3, "23");
        patch.replace(3..4, "-");
        patch.replace(5..5, "+");
        let edit = patch.finish("0123456789").expect("it changes something");
        assert_eq!((edit.range, edit.new.as_str()), (1..7, "23-4+57"));
    }

    #[test]
    fn what_is_so_already_is_no_change() {
        let mut patch = Patch::default();
        patch.replace(1..2, "1");
        assert_eq!(patch.finish("0123"), None);
    }
}
