//! Keeps a range of chunks.

use std::ops::Range;

use super::editor::TapeEditor;
use crate::ops::edit::EditRefusal;

pub(super) fn apply(editor: &mut TapeEditor<'_>, keep: Range<usize>) -> Result<(), EditRefusal> {
    editor.check_range(&keep)?;
    editor.remove(|chunk| !keep.contains(&chunk));
    Ok(())
}
