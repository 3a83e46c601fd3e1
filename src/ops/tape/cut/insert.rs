//! Inserts a chunk.

use super::stage::Stage;
use crate::ops::edit::Refusal;

pub(super) fn cut(
    stage: &mut Stage<'_>,
    before: usize,
    delay_nanos: f64,
    text: &str,
) -> Result<(), Refusal> {
    stage.delay(delay_nanos)?;
    if let Some(last) = before.checked_sub(1) {
        stage.chunk(last)?;
    }
    let text = format!("\"{}\"", stage.content(text));
    stage.insert(before, delay_nanos, &text)
}
