//! Gives chunks a steady rate.

use std::ops::Range;

use super::Rate;
use super::stage::Stage;
use crate::ops::edit::Refusal;
use crate::ops::tape::text::chars_of;
use crate::ops::tape::timing::SECOND;

pub(super) fn cut(editor: &mut Stage<'_>, chunks: Range<usize>, rate: Rate) -> Result<(), Refusal> {
    editor.some(&chunks)?;
    match rate {
        Rate::Each(nanos) => {
            editor.delay(nanos)?;
            chunks.for_each(|index| editor.set_delay(index, nanos));
        }
        Rate::CharsPerSecond(rate) => {
            editor.above_zero(rate, "The rate")?;
            let chars = chars_of(editor.tape).skip(chunks.start);
            for (index, chars) in chunks.zip(chars) {
                editor.set_delay(index, (chars as f64 / rate * SECOND).round());
            }
        }
    }
    Ok(())
}
