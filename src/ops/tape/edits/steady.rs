//! Gives chunks a steady rate.

use std::ops::Range;

use super::Rate;
use super::editor::TapeEditor;
use crate::ops::edit::EditRefusal;
use crate::ops::tape::text::chars_of;
use crate::ops::tape::timing::SECOND;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    chunks: Range<usize>,
    rate: Rate,
) -> Result<(), EditRefusal> {
    editor.check_range(&chunks)?;
    match rate {
        Rate::Each(nanos) => {
            editor.check_delay(nanos)?;
            chunks.for_each(|index| editor.set_delay(index, nanos));
        }
        Rate::CharsPerSecond(rate) => {
            editor.check_above_zero(rate, "The rate")?;
            let chars = chars_of(editor.tape).skip(chunks.start);
            for (index, chars) in chunks.zip(chars) {
                editor.set_delay(index, (chars as f64 / rate * SECOND).round());
            }
        }
    }
    Ok(())
}
