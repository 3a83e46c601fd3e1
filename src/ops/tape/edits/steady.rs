//! Gives chunks the same delay.

use std::ops::Range;

use super::editor::TapeEditor;
use crate::ops::edit::EditRefusal;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    chunks: Range<usize>,
    nanos: f64,
) -> Result<(), EditRefusal> {
    editor.check_range(&chunks)?;
    editor.check_delay(nanos)?;
    chunks.for_each(|index| editor.set_delay(index, nanos));
    Ok(())
}
