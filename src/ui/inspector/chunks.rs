//! The chunks of a tape in the inspector. There may be a million, so each row is made when it becomes visible.

use super::content::{RowState, RowText, SectionRow};
use super::prose::preview;
use calls::tape::timing::{SECOND, TapeSchedule, format_duration};
use document::{Document, DocumentBody, Node};

/// Shortest delay that is marked as a silence, in nanoseconds.
const MIN_SILENCE_NANOS: f64 = SECOND;

/// Returns chunk `index` (from 0) of a tape as a row.
pub(super) fn row(
    schedule: &TapeSchedule,
    document: &Document,
    index: usize,
) -> Option<SectionRow> {
    let DocumentBody::Tape(tape) = &document.body else { return None };
    let chunk = tape.chunks.get(index)?;
    let node = document.node(chunk.node);
    let row_text = |text: String, key: &str| RowText { text, node: node.get(key).map(Node::id) };
    // In quotes, because a chunk often begins or ends with a space.
    let title = row_text(format!("“{}”", preview(&chunk.text)), "text");
    let right = vec![
        row_text(format!("+{}", format_duration(chunk.delay_nanos)), "delayNs"),
        RowText::computed(format_duration(schedule.arrival_nanos(index))),
    ];
    Some(SectionRow {
        state: (chunk.delay_nanos >= MIN_SILENCE_NANOS).then_some(RowState::Doubtful),
        ..SectionRow::new(index, chunk.node, title, right, Vec::new())
    })
}
