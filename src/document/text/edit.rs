//! A change of text that can be undone.

use std::ops::Range;

/// Replaces a range of bytes by other text. Everything outside the range stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes to replace; must be on character boundaries.
    pub range: Range<usize>,
    /// The new text.
    pub new: String,
}

impl TextEdit {
    /// Returns the smallest single edit that turns `old` into `new`; `None` when they are the same.
    pub fn between(old: &str, new: &str) -> Option<TextEdit> {
        if old == new {
            return None;
        }
        let is_same = |(a, b): &(u8, u8)| a == b;
        let start = old.bytes().zip(new.bytes()).take_while(is_same).count();
        // The first byte that differs may be inside a character, which may start at another byte in the other text.
        let start = old.floor_char_boundary(start).min(new.floor_char_boundary(start));
        // Only the rests are compared from the end: in `aaa` and `aaaa` the equal ends would overlap the equal starts.
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let end = old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(is_same).count();
        let (old_end, new_end) = (old.len() - end, new.len() - end);
        // Two different characters may end with the same bytes.
        let step = (old.ceil_char_boundary(old_end) - old_end)
            .max(new.ceil_char_boundary(new_end) - new_end);
        Some(TextEdit { range: start..old_end + step, new: new[start..new_end + step].to_owned() })
    }

    /// Replaces `self.range` in `text` and returns the edit that puts the old text back.
    ///
    /// Returns `None`, and changes nothing, when the range is not one of this text.
    pub fn apply(&self, text: &mut String) -> Option<TextEdit> {
        let old = text.get(self.range.clone())?.to_owned();
        text.replace_range(self.range.clone(), &self.new);
        Some(TextEdit { range: self.range.start..self.range.start + self.new.len(), new: old })
    }

    /// Maps an offset of the old text to the new one; an offset within the replaced range maps to the end of the new text.
    pub fn map_offset(&self, at: usize) -> usize {
        let end = self.range.start + self.new.len();
        match at {
            at if at <= self.range.start => at,
            at if at >= self.range.end => end + (at - self.range.end),
            _ => end,
        }
    }

    /// Maps the offset of the start of something: text inserted right before it moves it.
    pub fn map_start(&self, at: usize) -> usize {
        match at.checked_sub(self.range.end) {
            Some(offset) => self.range.start + self.new.len() + offset,
            None => self.map_offset(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TextEdit;
    use proptest::prelude::*;

    #[test]
    fn what_two_texts_share_stays_outside_of_the_edit_between_them() {
        let difference = |old, new| TextEdit::between(old, new).map(|edit| (edit.range, edit.new));
        assert_eq!(difference("same", "same"), None);
        assert_eq!(difference("a: 1", "a: 12"), Some((4..4, "2".to_owned())));
        assert_eq!(difference("aaa", "aaaa"), Some((3..3, "a".to_owned())));
        // These two differ in the second of their two bytes.
        assert_eq!(difference("xéy", "xêy"), Some((1..3, "ê".to_owned())));
    }

    #[test]
    fn places_move_with_the_text_around_them() {
        let edit = TextEdit::between("one two three", "one 2 three").expect("they differ");
        let offsets = [0, 4, 5, 7, 13].map(|at| edit.map_offset(at));
        assert_eq!(offsets, [0, 4, 5, 5, 11]);
        let edit = TextEdit::between("ab", "a-b").expect("they differ");
        assert_eq!((edit.map_offset(1), edit.map_start(1)), (1, 2));
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn the_difference_makes_one_text_of_the_other(old in "[aéèê\u{1f600}\u{1f601}\n]{0,12}", new in "[aéèê\u{1f600}\u{1f601}\n]{0,12}") {
            let mut edited_text = old.clone();
            let edit = TextEdit::between(&old, &new);
            prop_assert_eq!(edit.is_none(), old == new);
            if let Some(edit) = edit {
                prop_assert!(edit.apply(&mut edited_text).is_some());
            }
            prop_assert_eq!(edited_text, new);
        }

        #[test]
        fn an_edit_and_its_inverse_give_back_every_byte(text in "\\PC{0,40}", new in "\\PC{0,10}", a in 0usize..200, b in 0usize..200) {
            let (start, end) = (a.min(b), a.max(b));
            let mut edited_text = text.clone();
            match (TextEdit { range: start..end, new }).apply(&mut edited_text) {
                Some(inverse) => {
                    inverse.apply(&mut edited_text);
                    prop_assert_eq!(edited_text, text);
                }
                None => prop_assert_eq!(edited_text, text),
            }
        }

        #[test]
        fn places_follow_to_borders_of_characters(old in "[aé😀\n]{0,12}", new in "[aé😀\n]{0,12}") {
            let Some(edit) = TextEdit::between(&old, &new) else { return Ok(()) };
            for at in (0..=old.len()).filter(|at| old.is_char_boundary(*at)) {
                prop_assert!(new.is_char_boundary(edit.map_offset(at)));
            }
        }
    }
}
