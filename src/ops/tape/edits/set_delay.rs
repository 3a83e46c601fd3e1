//! Sets the delay of a chunk.

use super::editor::TapeEditor;
use crate::ops::edit::EditRefusal;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    chunk: usize,
    delay_nanos: f64,
) -> Result<(), EditRefusal> {
    editor.check_delay(delay_nanos)?;
    editor.chunk(chunk)?;
    editor.set_delay(chunk, delay_nanos);
    Ok(())
}
