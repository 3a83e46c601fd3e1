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
    let delays: Vec<f64> =
        editor.tape.chunks[chunks.clone()].iter().map(|chunk| chunk.delay_nanos).collect();
    let new = match shape {
        DelayShape::SlowStart { first_nanos } => slow_start(delays, |_| first_nanos),
        DelayShape::Stall { nanos } => {
            editor.check_above_zero(nanos, "The stall")?;
            slow_start(delays, |delay| delay + nanos)
        }
        DelayShape::Burst { chunks: 0 | 1 } => {
            return Err(editor.refuse("A burst needs at least two chunks"));
        }
        DelayShape::Burst { chunks } => burst(&delays, chunks),
    };
    for (index, nanos) in chunks.zip(new) {
        // A tape with whole nanoseconds gets no fractions by an edit.
        let nanos = if is_whole { nanos.round() } else { nanos };
        editor.check_delay(nanos)?;
        editor.set_delay(index, nanos);
    }
    Ok(())
}

/// Replaces the first delay.
fn slow_start(mut delays: Vec<f64>, new: impl Fn(f64) -> f64) -> Vec<f64> {
    if let Some(delay) = delays.first_mut() {
        *delay = new(*delay);
    }
    delays
}

/// Groups chunks: the first of each group has the delay of all.
fn burst(delays: &[f64], size: usize) -> Vec<f64> {
    let burst = |some: &[f64]| {
        let mut new = vec![0.0; some.len()];
        new[0] = some.iter().sum();
        new
    };
    delays.chunks(size).flat_map(burst).collect()
}
