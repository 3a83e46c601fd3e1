//! Deletes chunks together with their delays.

use std::ops::Range;

use super::editor::TapeEditor;
use crate::ops::edit::EditRefusal;

pub(super) fn apply(editor: &mut TapeEditor<'_>, chunks: Range<usize>) -> Result<(), EditRefusal> {
    editor.check_range(&chunks)?;
    editor.remove(|chunk| chunks.contains(&chunk));
    Ok(())
}
