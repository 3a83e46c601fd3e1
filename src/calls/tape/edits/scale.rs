//! Multiplies the delays of chunks.

use std::ops::Range;

use super::editor::TapeEditor;
use document::edit::EditRefusal;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    chunks: Range<usize>,
    factor: f64,
) -> Result<(), EditRefusal> {
    editor.check_range(&chunks)?;
    editor.check_above_zero(factor, "The factor")?;
    let is_whole = editor.are_whole(&chunks);
    // Arrival times are rounded instead of delays, so that the errors of rounding do not add up.
    let round = |nanos: f64| if is_whole { nanos.round() } else { nanos };
    let (mut previous_arrival, mut previous_scaled_arrival) = (0.0, 0.0);
    for index in chunks {
        let delay = editor.chunk(index)?.delay_nanos;
        let arrival = previous_arrival + delay;
        let scaled_arrival = round(arrival * factor);
        let new = if is_whole { scaled_arrival - previous_scaled_arrival } else { delay * factor };
        editor.check_delay(new)?;
        // A chunk without a valid delay would be given one.
        if delay > 0.0 {
            editor.set_delay(index, new);
        }
        (previous_arrival, previous_scaled_arrival) = (arrival, scaled_arrival);
    }
    Ok(())
}
