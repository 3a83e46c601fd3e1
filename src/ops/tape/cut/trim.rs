//! Keeps a range of chunks.

use std::ops::Range;

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(editor: &mut Stage<'_>, keep: Range<usize>) -> Result<(), Refusal> {
    editor.some(&keep)?;
    editor.remove(|chunk| !keep.contains(&chunk));
    Ok(())
}
