//! Inserts a chunk.

use super::editor::TapeEditor;
use crate::ops::edit::EditRefusal;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    before: usize,
    delay_nanos: f64,
    text: &str,
) -> Result<(), EditRefusal> {
    editor.check_delay(delay_nanos)?;
    if let Some(last) = before.checked_sub(1) {
        editor.chunk(last)?;
    }
    let text = format!("\"{}\"", editor.content(text));
    editor.insert(before, delay_nanos, &text)
}
