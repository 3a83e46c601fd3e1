//! Describes an edit for the undo history.

use std::ops::Range;

use super::{DelayShape, TapeEdit};
use crate::tape::timing::format_duration;

impl TapeEdit {
    /// Describes the edit, as in "Set the delay of chunk 14 to 80 ms". Chunks are numbered from 1, as in the window.
    pub fn name(&self) -> String {
        match self {
            Self::SetDelay { chunk, delay_nanos } => {
                format!("Set the delay of chunk {} to {}", chunk + 1, format_duration(*delay_nanos))
            }
            Self::SetText { chunk, .. } => format!("Set the text of chunk {}", chunk + 1),
            Self::Insert { before, .. } => format!("Insert chunk {}", before + 1),
            Self::Delete { chunks } => format!("Delete {}", describe_chunks(chunks)),
            Self::Split { chunk, .. } => format!("Split chunk {}", chunk + 1),
            Self::Merge { chunks } => format!("Merge {}", describe_chunks(chunks)),
            Self::Scale { chunks, factor } => {
                format!("Scale the delays of {} by {factor}", describe_chunks(chunks))
            }
            Self::Shift { chunks, nanos, .. } => {
                let way = if *nanos < 0.0 { "earlier" } else { "later" };
                format!("Move {} {} {way}", describe_chunks(chunks), format_duration(nanos.abs()))
            }
            Self::Steady { chunks, delay_nanos } => {
                format!(
                    "Set the delays of {} to {}",
                    describe_chunks(chunks),
                    format_duration(*delay_nanos)
                )
            }
            Self::Shape { chunks, shape } => {
                format!("{} {}", shape.name(), describe_chunks(chunks))
            }
            Self::Trim { keep } => format!("Trim to {}", describe_chunks(keep)),
            Self::Redact { .. } => "Redact text".to_owned(),
        }
    }
}

impl DelayShape {
    fn name(&self) -> &'static str {
        match self {
            Self::SlowStart { .. } => "Slow start of",
            Self::Stall { .. } => "Stall at",
            Self::Burst { .. } => "Bursts in",
        }
    }
}

fn describe_chunks(chunks: &Range<usize>) -> String {
    match chunks.len() {
        1 => format!("chunk {}", chunks.start + 1),
        _ => format!("chunks {} to {}", chunks.start + 1, chunks.end),
    }
}
