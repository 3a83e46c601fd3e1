//! Inserts a chunk.

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(
    editor: &mut Stage<'_>,
    before: usize,
    delay_nanos: f64,
    text: &str,
) -> Result<(), Refusal> {
    editor.delay(delay_nanos)?;
    if let Some(last) = before.checked_sub(1) {
        editor.chunk(last)?;
    }
    let text = format!("\"{}\"", editor.content(text));
    editor.insert(before, delay_nanos, &text)
}
