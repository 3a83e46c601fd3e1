//! A tape compared with another take, prepared for display.

use std::ops::Range;
use std::sync::Arc;

use super::{OverlayStep, OverlaySummary, TakeOverlay};
use crate::format::Document;
use crate::format::tape::Tape;
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::ops::tape::timeline::TimeRange;
use crate::ops::tape::timing::TapePace;

/// Another take, and its alignment with the tape.
#[derive(Clone, Debug)]
pub struct ComparedTake {
    other: PreparedTape,
    overlay: TakeOverlay,
}

/// The steps that differ by more than a tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct DifferingSteps {
    tolerance_nanos: f64,
    steps: Vec<usize>,
    summary: OverlaySummary,
}

impl ComparedTake {
    /// Compares a tape with `other`; `None` if that is not a tape.
    pub fn new(tape: &Tape, other: Arc<Document>) -> Option<Self> {
        let other = PreparedTape::new(other)?;
        let overlay = TakeOverlay::new(tape, other.tape()?);
        Some(Self { other, overlay })
    }

    /// Returns the other take.
    pub fn other(&self) -> &PreparedTape {
        &self.other
    }

    /// Returns all steps in order, with the tape on the left and the other take on the right.
    pub fn steps(&self) -> &[OverlayStep] {
        &self.overlay.steps
    }

    /// Finds the steps that differ.
    pub fn find_differing(&self, tolerance_nanos: f64) -> DifferingSteps {
        let steps = self.steps().iter().enumerate();
        let steps = steps.filter(|(_, step)| step.differs(tolerance_nanos));
        DifferingSteps {
            tolerance_nanos,
            steps: steps.map(|(at, _)| at).collect(),
            summary: self.overlay.summary(tolerance_nanos),
        }
    }

    /// Returns the time range of a step in the tape and in the other take.
    pub fn time_ranges(
        &self,
        tape: &PreparedTape,
        step: &OverlayStep,
        pace: TapePace,
    ) -> [TimeRange; 2] {
        let stretch = |prepared: &PreparedTape, chunks: &Range<usize>| {
            let schedule = prepared.schedule(pace);
            // If one take has no chunk here, the chunks of the other are between two of its chunks.
            let at = |chunk: usize| match chunk {
                0 if chunks.is_empty() => 0.0,
                chunk if chunks.is_empty() => schedule.arrival_nanos(chunk - 1),
                chunk => schedule.arrival_nanos(chunk),
            };
            let from_nanos = at(chunks.start);
            TimeRange {
                from_nanos,
                to_nanos: at(chunks.end.saturating_sub(1).max(chunks.start)).max(from_nanos),
            }
        };
        [stretch(tape, &step.left), stretch(&self.other, &step.right)]
    }
}

impl DifferingSteps {
    /// Returns the tolerance, in nanoseconds.
    pub fn tolerance_nanos(&self) -> f64 {
        self.tolerance_nanos
    }

    /// Returns the steps by their positions in [`ComparedTake::steps`].
    pub fn steps(&self) -> &[usize] {
        &self.steps
    }

    /// Returns the number of steps by kind of difference.
    pub fn summary(&self) -> &OverlaySummary {
        &self.summary
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{document, stream, text};
    use super::*;

    #[test]
    fn steps_that_differ_have_their_place_in_both_takes() {
        let read = |chunks: &[(f64, &str)]| Arc::new(document(&text(&stream(chunks))));
        let tape = PreparedTape::new(read(&[(1e6, "a"), (1e6, "b c"), (1e6, "d")])).unwrap();
        let other = read(&[(9e6, "a"), (1e6, "b"), (2e6, " c"), (1e6, ""), (1e6, "d")]);
        let takes = ComparedTake::new(tape.tape().unwrap(), other).unwrap();
        let reported = |tolerance| {
            let differing = takes.find_differing(tolerance);
            let reported = differing.steps().iter().map(|at| {
                let step = &takes.steps()[*at];
                let [ours, theirs] = takes.time_ranges(&tape, step, TapePace::Recorded);
                let millis =
                    |stretch: TimeRange| [stretch.from_nanos / 1e6, stretch.to_nanos / 1e6];
                let (ours, theirs) = (millis(ours), millis(theirs));
                format!("{at} {ours:?} {theirs:?} {}", step.describe(tolerance))
            });
            reported.collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(reported(5e6), @"
        0 [1.0, 1.0] [9.0, 9.0] 8 ms slower
        1 [2.0, 2.0] [10.0, 12.0] re-chunked
        2 [2.0, 2.0] [13.0, 13.0] more empty chunks
        ");
        insta::assert_snapshot!(reported(10e6), @"
        1 [2.0, 2.0] [10.0, 12.0] re-chunked
        2 [2.0, 2.0] [13.0, 13.0] more empty chunks
        ");
        assert!(ComparedTake::new(tape.tape().unwrap(), Arc::new(document("{}"))).is_none());
    }
}
