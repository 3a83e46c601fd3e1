//! Keeps a range of chunks.

use std::ops::Range;

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(stage: &mut Stage<'_>, keep: Range<usize>) -> Result<(), Refusal> {
    stage.some(&keep)?;
    stage.remove(|chunk| !keep.contains(&chunk));
    Ok(())
}
