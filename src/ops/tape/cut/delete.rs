//! Deletes chunks together with their delays.

use std::ops::Range;

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(editor: &mut Stage<'_>, chunks: Range<usize>) -> Result<(), Refusal> {
    editor.some(&chunks)?;
    editor.remove(|chunk| chunks.contains(&chunk));
    Ok(())
}
