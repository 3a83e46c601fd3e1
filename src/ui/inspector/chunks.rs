//! The chunks of a tape in the inspector. There may be a million, so each row is made when it becomes visible.

use super::content::{RowState, RowText, SectionRow};
use super::prose::preview;
use calls::tape::timing::{SECOND, TapePace, TapeSchedule, format_duration};
use document::tape::Tape;
use document::{Document, DocumentBody, Node};

/// Shortest delay that is marked as a silence, in nanoseconds.
const SILENCE: f64 = SECOND;

/// Timing data for the chunk rows.
#[derive(Clone, Debug, Default)]
pub struct Chunks {
    schedule: TapeSchedule,
}

impl Chunks {
    /// Reads the chunks of a tape.
    pub(super) fn from_tape(tape: &Tape) -> Self {
        Self { schedule: TapeSchedule::from_tape(tape, TapePace::Recorded) }
    }

    /// Returns the number of chunks.
    pub fn len(&self) -> usize {
        self.schedule.len()
    }

    /// Returns whether there are no chunks, as in every file that is not a tape.
    pub fn is_empty(&self) -> bool {
        self.schedule.is_empty()
    }

    /// Returns chunk `index` (from 0) as a row.
    pub(super) fn row(&self, document: &Document, index: usize) -> Option<SectionRow> {
        let DocumentBody::Tape(tape) = &document.body else { return None };
        let chunk = tape.chunks.get(index)?;
        let node = document.node(chunk.node);
        let row_text =
            |text: String, key: &str| RowText { text, node: node.get(key).map(Node::id) };
        Some(SectionRow {
            node: chunk.node,
            state: (chunk.delay_nanos >= SILENCE).then_some(RowState::Doubtful),
            lead: (index + 1).to_string(),
            // In quotes, because a chunk often begins or ends with a space.
            title: row_text(format!("“{}”", preview(&chunk.text)), "text"),
            right: vec![
                row_text(format!("+{}", format_duration(chunk.delay_nanos)), "delayNs"),
                RowText::computed(format_duration(self.schedule.arrival_nanos(index))),
            ],
            parts: Vec::new(),
        })
    }
}
