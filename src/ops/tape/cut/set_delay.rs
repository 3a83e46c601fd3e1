//! Sets the delay of a chunk.

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(stage: &mut Stage<'_>, chunk: usize, delay_nanos: f64) -> Result<(), Refusal> {
    stage.delay(delay_nanos)?;
    stage.chunk(chunk)?;
    stage.set_delay(chunk, delay_nanos);
    Ok(())
}
