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
        let most = format_duration(first);
        let reason = format!(
            "Chunk {} waits {most}; it cannot move earlier by more than that",
            chunks.start + 1
        );
        return Err(editor.refuse_at(chunks.start, reason));
    }
    editor.check_delay(first + nanos)?;
    // A delay counts from the chunk before, so this one moves all of them.
    editor.set_delay(chunks.start, first + nanos);
    let behind = editor.tape.chunks.get(chunks.end).filter(|_| rest == FollowingChunks::Stays);
    if let Some(behind) = behind {
        // Only the wait behind the shifted chunks makes up for the shift: that chunk and all behind it arrive when they did.
        let wait = behind.delay_nanos - nanos;
        if wait < 0.0 {
            let most = format_duration(behind.delay_nanos);
            let reason = format!(
                "Chunk {} arrives {most} later; the chunks before it cannot move later by more than that",
                chunks.end + 1
            );
            return Err(editor.refuse_at(chunks.end, reason));
        }
        editor.set_delay(chunks.end, wait);
    }
    Ok(())
}
