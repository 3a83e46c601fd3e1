//! The chunks of a tape in the inspector, each a row that is made when it is looked at: there may be a million.

use super::content::{Row, RowState, Told, preview};
use super::data::duration;
use crate::format::tape::Tape;
use crate::format::{Body, Document, Node};
use crate::ops::tape::timing::{Pace, SECOND, Schedule};

/// A wait of at least this many nanoseconds is a silence people notice.
const SILENCE: f64 = SECOND;

/// What rows of chunks need to know beside their document.
#[derive(Clone, Debug, Default)]
pub struct Chunks {
    schedule: Schedule,
}

impl Chunks {
    /// The chunks of a tape.
    pub(super) fn of(tape: &Tape) -> Self {
        Self {
            schedule: Schedule::of(tape, Pace::Recorded),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.schedule.len()
    }

    /// True when there is none; so it is in every file that is no tape.
    pub fn is_empty(&self) -> bool {
        self.schedule.is_empty()
    }

    /// One of them as a row, from 0 on.
    pub(super) fn row(&self, document: &Document, index: usize) -> Option<Row> {
        let Body::Tape(tape) = &document.body else {
            return None;
        };
        let chunk = tape.chunks.get(index)?;
        let node = document.node(chunk.node);
        let row_text = |text: String, key: &str| Told {
            text,
            node: node.get(key).map(Node::id),
        };
        Some(Row {
            node: chunk.node,
            state: (chunk.delay_nanos >= SILENCE).then_some(RowState::Odd),
            lead: (index + 1).to_string(),
            // In quotes, because a piece often begins or ends with a space.
            title: row_text(format!("“{}”", preview(&chunk.text)), "text"),
            right: vec![
                row_text(format!("+{}", duration(chunk.delay_nanos)), "delayNs"),
                Told::words(duration(self.schedule.arrival_nanos(index))),
            ],
            parts: Vec::new(),
        })
    }
}
