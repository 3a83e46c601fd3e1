//! An edit together with its inverse.

use super::TextEdit;

/// An edit that was made, with its inverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReversibleEdit {
    /// The edit.
    pub edit: TextEdit,
    /// The edit that undoes it.
    pub inverse: TextEdit,
}

impl ReversibleEdit {
    /// Applies an edit. Returns `None`, and changes nothing, when its range is invalid for this text.
    pub fn make(edit: TextEdit, text: &mut String) -> Option<Self> {
        let inverse = edit.apply(text)?;
        Some(Self { edit, inverse })
    }

    /// Merges this change with the one made right after it, if their ranges touch.
    pub fn merge(&self, next: &Self) -> Option<Self> {
        let (start, new_len) = (self.edit.range.start, self.edit.new.len());
        let (from, to) = (next.edit.range.start, next.edit.range.end);
        // The text between two separate edits is not stored here, so they cannot become one range.
        if to < start || from > start + new_len {
            return None;
        }
        // How far the next change's removed range extends beyond this one's text, in bytes at either end.
        let bytes_before = start.saturating_sub(from);
        let bytes_after = to.saturating_sub(start + new_len);
        let (removed_text, own_text) = (&next.inverse.new, &self.edit.new);
        // `get` refuses changes that were not made one after the other: their ranges do not fit each other's texts.
        let old = [
            removed_text.get(..bytes_before)?,
            &self.inverse.new,
            removed_text.get(removed_text.len() - bytes_after..)?,
        ];
        let new = [
            own_text.get(..from.saturating_sub(start))?,
            &next.edit.new,
            own_text.get((to - start).min(new_len)..)?,
        ];
        let (old, new, start) = (old.concat(), new.concat(), start - bytes_before);
        Some(Self {
            inverse: TextEdit { range: start..start + new.len(), new: old.clone() },
            edit: TextEdit { range: start..start + old.len(), new },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edit(text: &str, new: &str, a: usize, b: usize) -> TextEdit {
        let border = |at: usize| (0..=at % (text.len() + 1)).rfind(|at| text.is_char_boundary(*at));
        let (a, b) = (border(a).unwrap_or(0), border(b).unwrap_or(0));
        TextEdit { range: a.min(b)..a.max(b), new: new.to_owned() }
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn two_changes_that_touch_are_one(
            text in "[aé\n]{0,12}", first in "[bü]{0,5}", second in "[cß]{0,5}",
            a in 0usize..20, b in 0usize..20, c in 0usize..20, d in 0usize..20,
        ) {
            let mut after_one = text.clone();
            let first_edit = ReversibleEdit::make(edit(&text, &first, a, b), &mut after_one).unwrap();
            let mut after_two = after_one.clone();
            let second_edit = ReversibleEdit::make(edit(&after_one, &second, c, d), &mut after_two).unwrap();
            let touches = second_edit.edit.range.end >= first_edit.edit.range.start
                && second_edit.edit.range.start <= first_edit.edit.range.start + first.len();
            prop_assert_eq!(first_edit.merge(&second_edit).is_some(), touches);
            if let Some(merged_edit) = first_edit.merge(&second_edit) {
                let mut edited_text = text.clone();
                prop_assert_eq!(ReversibleEdit::make(merged_edit.edit.clone(), &mut edited_text), Some(merged_edit.clone()));
                prop_assert_eq!(&edited_text, &after_two);
                merged_edit.inverse.apply(&mut edited_text);
                prop_assert_eq!(edited_text, text);
            }
        }
    }
}
