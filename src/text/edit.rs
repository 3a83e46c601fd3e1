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
