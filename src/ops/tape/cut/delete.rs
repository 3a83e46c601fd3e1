//! Deletes chunks together with their delays.

use std::ops::Range;

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(stage: &mut Stage<'_>, chunks: Range<usize>) -> Result<(), Refusal> {
    stage.some(&chunks)?;
    stage.remove(|chunk| chunks.contains(&chunk));
    Ok(())
}
