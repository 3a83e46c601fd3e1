//! Timings for testing a client.

use std::ops::Range;

use super::DelayShape;
use super::editor::TapeEditor;
use document::edit::EditRefusal;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    chunks: Range<usize>,
    shape: DelayShape,
) -> Result<(), EditRefusal> {
    editor.check_range(&chunks)?;
    let is_whole = editor.are_whole(&chunks);
    let mut delays: Vec<f64> =
        editor.tape.chunks[chunks.clone()].iter().map(|chunk| chunk.delay_nanos).collect();
    match shape {
        DelayShape::SlowStart { first_nanos } => delays[0] = first_nanos,
        DelayShape::Stall { nanos } => {
            editor.check_above_zero(nanos, "The stall")?;
            delays[0] += nanos;
        }
        DelayShape::Burst { chunks: 0 | 1 } => {
            return Err(editor.refuse("A burst needs at least two chunks"));
        }
        // The first of each group has the delay of all.
        DelayShape::Burst { chunks } => delays.chunks_mut(chunks).for_each(|group| {
            let sum = group.iter().sum();
            group.fill(0.0);
            group[0] = sum;
        }),
    }
    for (index, nanos) in chunks.zip(delays) {
        // A tape with whole nanoseconds gets no fractions by an edit.
        let nanos = if is_whole { nanos.round() } else { nanos };
        editor.check_delay(nanos)?;
        editor.set_delay(index, nanos);
    }
    Ok(())
}
