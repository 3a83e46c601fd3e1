//! A tape prepared for display: everything that takes linear time is computed once, off the window's thread.

use std::sync::Arc;

use super::text::TapeText;
use super::timeline::{TimeRange, Timeline};
use super::timing::{Stats, TapePace, TapeSchedule};
use document::tape::{Chunk, Tape};
use document::{Document, DocumentBody};

/// The timing of a tape: its statistics, and its timeline at each pace.
#[derive(Clone, Debug)]
pub struct TapeTiming {
    stats: Stats,
    recorded: Timeline,
    whole_millis: Timeline,
}

impl TapeTiming {
    /// Computes the timing of a tape.
    pub fn new(tape: &Tape) -> Self {
        Self {
            // Both paces, so that switching between them in the window needs no work.
            stats: Stats::from_tape(tape),
            recorded: Timeline::new(tape, TapePace::Recorded),
            whole_millis: Timeline::new(tape, TapePace::WholeMillis),
        }
    }

    /// Returns the statistics.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Returns the timeline.
    pub fn timeline(&self, pace: TapePace) -> &Timeline {
        match pace {
            TapePace::Recorded => &self.recorded,
            TapePace::WholeMillis => &self.whole_millis,
        }
    }
}

/// A tape with its timelines and its text.
#[derive(Clone, Debug)]
pub struct PreparedTape {
    document: Arc<Document>,
    timing: TapeTiming,
    text: TapeText,
}

impl PreparedTape {
    /// Prepares a tape; `None` if the document is not a tape.
    pub fn new(document: Arc<Document>) -> Option<Self> {
        let DocumentBody::Tape(tape) = &document.body else { return None };
        Some(Self { timing: TapeTiming::new(tape), text: TapeText::new(tape), document })
    }

    /// Returns its document.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// Returns the tape.
    pub fn tape(&self) -> Option<&Tape> {
        match &self.document.body {
            DocumentBody::Tape(tape) => Some(tape),
            _ => None,
        }
    }

    /// Returns all chunks, in order.
    pub fn chunks(&self) -> &[Chunk] {
        self.tape().map_or(&[], |tape| &tape.chunks)
    }

    /// Returns its timing statistics.
    pub fn stats(&self) -> &Stats {
        self.timing.stats()
    }

    /// Returns the timeline.
    pub fn timeline(&self, pace: TapePace) -> &Timeline {
        self.timing.timeline(pace)
    }

    /// Returns when each chunk arrives.
    pub fn schedule(&self, pace: TapePace) -> &TapeSchedule {
        self.timeline(pace).schedule()
    }

    /// Returns the text of all chunks.
    pub fn text(&self) -> &TapeText {
        &self.text
    }
}

/// Number of columns of a miniature.
const MINIATURE_COLUMNS: usize = 64;

/// Returns a tape in a few columns of equal time: each from 0 (nothing arrives) to 1 (the largest chunk).
pub fn miniature(timeline: &Timeline) -> Arc<[f32]> {
    in_columns(timeline, MINIATURE_COLUMNS)
}

fn in_columns(timeline: &Timeline, columns: usize) -> Arc<[f32]> {
    let span = TimeRange { from_nanos: 0.0, to_nanos: timeline.schedule().total_nanos() };
    // All chunks may be empty.
    let max_chars = timeline.tallest().max(1) as f32;
    timeline.columns(span, columns).iter().map(|column| column.tallest as f32 / max_chars).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{document, stream, tape, text};
    use super::*;

    #[test]
    fn a_prepared_tape_describes_only_its_tape() {
        let chunks = stream(&[(1e9, "{\"a\":"), (5e5, ""), (1.5e6, "1}")]);
        let prepared = PreparedTape::new(Arc::new(document(&text(&chunks)))).unwrap();
        assert_eq!(prepared.chunks().len(), 3);
        assert_eq!(&prepared.text().text()[prepared.text().range(0)], "{\"a\":");
        let total = |pace| prepared.schedule(pace).total_nanos();
        assert_eq!((total(TapePace::Recorded), total(TapePace::WholeMillis)), (1.002e9, 1.001e9));
        assert!(PreparedTape::new(Arc::new(document("{}"))).is_none());
    }

    #[test]
    fn a_miniature_shows_where_much_comes() {
        let small = |chunks: &[(f64, &str)], columns| {
            let timeline = Timeline::new(&tape(chunks), TapePace::Recorded);
            in_columns(&timeline, columns).to_vec()
        };
        let chunks = [(1.0, "ab"), (1.0, ""), (1.0, "abcd"), (1.0, "abc")];
        assert_eq!(small(&chunks, 4), [0.0, 0.5, 0.0, 1.0]);
        assert_eq!(small(&[], 2), [0.0, 0.0]);
    }
}
