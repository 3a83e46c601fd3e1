//! A change of text that can be taken back.

use std::ops::Range;

/// Replaces a range of bytes by other text. Everything outside the range stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes to replace; must lie on character borders.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub new: String,
}

impl TextEdit {
    /// The smallest single edit that makes `new` of `old`; `None` when they are the same.
    pub fn between(old: &str, new: &str) -> Option<TextEdit> {
        if old == new {
            return None;
        }
        let same = |(a, b): &(u8, u8)| a == b;
        let start = old.bytes().zip(new.bytes()).take_while(same).count();
        let start = old
            .floor_char_boundary(start)
            .min(new.floor_char_boundary(start));
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let both = old_rest.bytes().rev().zip(new_rest.bytes().rev());
        let end = both.take_while(same).count();
        let (old_end, new_end) = (old.len() - end, new.len() - end);
        // The bytes of two characters may end alike.
        let step = (old.ceil_char_boundary(old_end) - old_end)
            .max(new.ceil_char_boundary(new_end) - new_end);
        Some(TextEdit {
            range: start..old_end + step,
            new: new[start..new_end + step].to_owned(),
        })
    }

    /// Replaces `self.range` in `text` and returns the edit that puts the old text back.
    ///
    /// Returns `None`, and changes nothing, when the range is not one of this text.
    pub fn apply(&self, text: &mut String) -> Option<TextEdit> {
        let old = text.get(self.range.clone())?.to_owned();
        text.replace_range(self.range.clone(), &self.new);
        Some(TextEdit {
            range: self.range.start..self.range.start + self.new.len(),
            new: old,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::TextEdit;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_difference_makes_one_text_of_the_other(old in "[aéèê\u{1f600}\u{1f601}\n]{0,12}", new in "[aéèê\u{1f600}\u{1f601}\n]{0,12}") {
            let mut edited = old.clone();
            let edit = TextEdit::between(&old, &new);
            prop_assert_eq!(edit.is_none(), old == new);
            if let Some(edit) = edit {
                prop_assert!(edit.apply(&mut edited).is_some());
            }
            prop_assert_eq!(edited, new);
        }

        #[test]
        fn an_edit_and_its_inverse_give_back_every_byte(text in "\\PC{0,40}", new in "\\PC{0,10}", a in 0usize..200, b in 0usize..200) {
            let (start, end) = (a.min(b), a.max(b));
            let mut edited = text.clone();
            match (TextEdit { range: start..end, new }).apply(&mut edited) {
                Some(inverse) => {
                    inverse.apply(&mut edited);
                    prop_assert_eq!(edited, text);
                }
                None => prop_assert_eq!(edited, text),
            }
        }
    }
}
