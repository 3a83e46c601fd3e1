//! Sets the delay of a chunk.

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(editor: &mut Stage<'_>, chunk: usize, delay_nanos: f64) -> Result<(), Refusal> {
    editor.delay(delay_nanos)?;
    editor.chunk(chunk)?;
    editor.set_delay(chunk, delay_nanos);
    Ok(())
}
