//! Moves chunks to an earlier or later time.

use std::ops::Range;

use super::FollowingChunks;
use super::editor::TapeEditor;
use crate::tape::timing::format_duration;
use document::edit::EditRefusal;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    chunks: Range<usize>,
    nanos: f64,
    rest: FollowingChunks,
) -> Result<(), EditRefusal> {
    editor.check_range(&chunks)?;
    if !nanos.is_finite() {
        return Err(editor.refuse("The shift must be a finite number of nanoseconds"));
    }
    let first = editor.chunk(chunks.start)?.delay_nanos;
    if first + nanos < 0.0 {
        let limit = format_duration(first);
        let reason = format!(
            "Chunk {} waits {limit}; it cannot move earlier by more than that",
            chunks.start + 1
        );
        return Err(editor.refuse_at(chunks.start, reason));
    }
    editor.check_delay(first + nanos)?;
    // A delay counts from the chunk before, so this one moves all of them.
    editor.set_delay(chunks.start, first + nanos);
    let next_chunk = editor.tape.chunks.get(chunks.end).filter(|_| rest == FollowingChunks::Stays);
    if let Some(next_chunk) = next_chunk {
        // Only the wait behind the shifted chunks makes up for the shift: that chunk and all behind it arrive when they did.
        let wait = next_chunk.delay_nanos - nanos;
        if wait < 0.0 {
            let limit = format_duration(next_chunk.delay_nanos);
            let reason = format!(
                "Chunk {} arrives {limit} later; the chunks before it cannot move later by more than that",
                chunks.end + 1
            );
            return Err(editor.refuse_at(chunks.end, reason));
        }
        editor.set_delay(chunks.end, wait);
    }
    Ok(())
}
