//! Compares two takes of one tape, aligned by their text, not by chunk numbers.
//!
//! The texts are compared; where both have a chunk border at the same place of the text, they are in step. The content
//! between two such places is a [`OverlayStep`]: different text, the same text in other chunks, or the same chunk. Timing
//! differences are reported separately.

mod align;
mod compared_take;
mod similarity;

use std::ops::Range;

use super::text::TapeText;
use super::timing::format_duration;
use crate::format::tape::Tape;
use crate::text::{counted, thousands};

pub use compared_take::{ComparedTake, DifferingSteps};
pub use similarity::{TapeSimilarity, TapeSimilarityKey};

/// Relation of the two takes between two places where they are in step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// One chunk in each, with the same text.
    Same,
    /// The same text, in other chunks.
    Recut,
    /// Different text, or text that only one of them has.
    Changed,
}

/// The content of both takes between two places where they are in step.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlayStep {
    /// How the texts relate.
    pub relation: Relation,
    /// The chunks of the left take; may be empty.
    pub left: Range<usize>,
    /// The chunks of the right take; may be empty.
    pub right: Range<usize>,
    /// Duration of these chunks in the left take, in nanoseconds.
    pub left_nanos: f64,
    /// Duration of these chunks in the right take, in nanoseconds.
    pub right_nanos: f64,
}

impl OverlayStep {
    /// Returns how much longer the right take is here, in nanoseconds.
    pub fn later_nanos(&self) -> f64 {
        self.right_nanos - self.left_nanos
    }

    /// Returns whether the same text took a different time, by more than a tolerance in nanoseconds.
    pub fn is_retimed(&self, tolerance_nanos: f64) -> bool {
        self.relation != Relation::Changed && self.later_nanos().abs() > tolerance_nanos
    }

    /// Returns whether the takes differ here.
    pub fn differs(&self, tolerance_nanos: f64) -> bool {
        self.relation != Relation::Same || self.is_retimed(tolerance_nanos)
    }

    /// Describes how the right take differs.
    pub fn describe(&self, tolerance_nanos: f64) -> String {
        let what = match (self.relation, self.left.is_empty(), self.right.is_empty()) {
            (Relation::Same, ..) => "",
            (Relation::Recut, true, _) => "more empty chunks",
            (Relation::Recut, _, true) => "fewer empty chunks",
            (Relation::Recut, ..) => "re-chunked",
            (Relation::Changed, true, _) => "text only in the other take",
            (Relation::Changed, _, true) => "text only in this take",
            (Relation::Changed, ..) => "text changed",
        };
        let by = format_duration(self.later_nanos().abs());
        let when = if !self.is_retimed(tolerance_nanos) {
            String::new()
        } else if self.later_nanos() > 0.0 {
            format!("{by} slower")
        } else {
            format!("{by} faster")
        };
        match (what, when.as_str()) {
            ("", "") => "the same".to_owned(),
            (what, "") => what.to_owned(),
            ("", when) => when.to_owned(),
            (what, when) => format!("{what}, {when}"),
        }
    }
}

/// Two aligned takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TakeOverlay {
    /// All chunks of both, in order.
    pub steps: Vec<OverlayStep>,
}

/// Number of steps by kind of difference. A step with the same text in other chunks may also be slower or faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlaySummary {
    /// Steps that are the same chunk in both, at the same speed.
    pub same: usize,
    /// Steps with other text.
    pub changed: usize,
    /// Steps with the same text in other chunks.
    pub recut: usize,
    /// Steps with the same text that took longer in the right take.
    pub slower: usize,
    /// Steps with the same text that took less time in the right take.
    pub faster: usize,
}

impl OverlaySummary {
    /// Describes the counts, given the tolerance they were made with.
    pub fn describe(&self, tolerance_nanos: f64) -> String {
        let by = format!("by more than {}", format_duration(tolerance_nanos));
        let texts = || counted(self.changed, "text", "texts");
        let retimed = match (self.slower, self.faster) {
            (0, 0) => None,
            (slower, 0) => Some(format!("{} slower {by}", thousands(slower))),
            (0, faster) => Some(format!("{} faster {by}", thousands(faster))),
            (slower, faster) => {
                let (slower, faster) = (thousands(slower), thousands(faster));
                Some(format!("{slower} slower and {faster} faster {by}"))
            }
        };
        let parts = [
            Some(format!("{} the same", thousands(self.same))),
            (self.recut > 0).then(|| format!("{} re-chunked", thousands(self.recut))),
            (self.changed > 0).then(|| format!("{} changed", texts())),
            retimed,
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl TakeOverlay {
    /// Aligns two takes.
    pub fn new(left: &Tape, right: &Tape) -> Self {
        let texts = [TapeText::new(left), TapeText::new(right)];
        let mut overlay = Self { steps: align::steps(&texts) };
        for step in &mut overlay.steps {
            step.left_nanos = nanos(left, step.left.clone());
            step.right_nanos = nanos(right, step.right.clone());
        }
        overlay
    }

    /// Counts the steps that differ.
    pub fn summary(&self, tolerance_nanos: f64) -> OverlaySummary {
        let mut summary = OverlaySummary::default();
        for step in &self.steps {
            let is_retimed = step.is_retimed(tolerance_nanos);
            let is_slower = is_retimed && step.later_nanos() > 0.0;
            summary.slower += usize::from(is_slower);
            summary.faster += usize::from(is_retimed && !is_slower);
            match step.relation {
                Relation::Same => summary.same += usize::from(!is_retimed),
                Relation::Recut => summary.recut += 1,
                Relation::Changed => summary.changed += 1,
            }
        }
        summary
    }
}

fn nanos(tape: &Tape, chunks: Range<usize>) -> f64 {
    let chunks = tape.chunks.get(chunks).unwrap_or_default();
    chunks.iter().map(|chunk| chunk.delay_nanos).sum()
}

#[cfg(test)]
mod tests {
    use super::super::testing::tape;
    use super::*;
    use proptest::prelude::*;

    fn over(left: &[(f64, &str)], right: &[(f64, &str)]) -> String {
        let overlay = TakeOverlay::new(&tape(left), &tape(right));
        let texts = |chunks: &[(f64, &str)], range: &Range<usize>| {
            let texts = chunks[range.clone()].iter().map(|(_, text)| format!("{text:?}"));
            texts.collect::<Vec<_>>().join(" ")
        };
        let line = |step: &OverlayStep| {
            let (l, r) = (texts(left, &step.left), texts(right, &step.right));
            let retimed = if step.is_retimed(0.5) {
                format!(" {:+}", step.later_nanos())
            } else {
                String::new()
            };
            format!("{:?} {l} | {r}{retimed}\n", step.relation)
        };
        overlay.steps.iter().map(line).collect()
    }

    #[test]
    fn changes_of_text_of_chunk_borders_and_of_timing_are_distinguished() {
        let left = [
            (5.0, "It goes"),
            (1.0, ""),
            (1.0, " out"),
            (1.0, " on Tues"),
            (1.0, "day"),
            (1.0, " at noon"),
        ];
        let right = [
            (7.0, "It goes"),
            (1.0, ""),
            (1.0, ""),
            (1.0, " out"),
            (1.0, " on"),
            (1.0, " Tuesday"),
            (1.0, " at two"),
            (1.0, "."),
        ];
        insta::assert_snapshot!(over(&left, &right), @r#"
        Same "It goes" | "It goes" +2
        Same "" | ""
        Recut  | "" +1
        Same " out" | " out"
        Recut " on Tues" "day" | " on" " Tuesday"
        Changed " at noon" | " at two" "."
        "#);
    }

    #[test]
    fn differences_are_described() {
        let left = [(5e6, "a"), (1e6, "b c"), (1e6, "d"), (9e6, "e")];
        let right = [(17e6, "a"), (1e6, "b"), (90e6, " c"), (1e6, "x"), (1e6, "e"), (1e6, "")];
        let overlay = TakeOverlay::new(&tape(&left), &tape(&right));
        let words = |tolerance| {
            let steps = overlay.steps.iter().map(|step| step.describe(tolerance));
            let summary = overlay.summary(tolerance).describe(tolerance);
            steps.chain([summary]).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(words(5e6), @"
        12 ms slower
        re-chunked, 90 ms slower
        text changed
        8 ms faster
        more empty chunks
        0 the same, 2 re-chunked, 1 text changed, 2 slower and 1 faster by more than 5 ms
        ");
        insta::assert_snapshot!(words(1e9), @"
        the same
        re-chunked
        text changed
        the same
        more empty chunks
        2 the same, 2 re-chunked, 1 text changed
        ");
    }

    #[test]
    fn words_of_only_one_take_are_a_step_of_their_own() {
        insta::assert_snapshot!(over(&[(1.0, "a "), (1.0, "b "), (1.0, "c")], &[(1.0, "a "), (1.0, "c")]), @r#"
        Same "a " | "a "
        Changed "b " | 
        Same "c" | "c"
        "#);
        insta::assert_snapshot!(over(&[], &[(1.0, "a"), (1.0, "")]), @r#"
        Changed  | "a"
        Recut  | "" +1
        "#);
        assert_eq!(over(&[], &[]), "");
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn every_chunk_is_in_one_step(left in prop::collection::vec("[ab ]{0,3}", 0..8), right in prop::collection::vec("[ab ]{0,3}", 0..8)) {
            let tapes = [&left, &right].map(|texts| tape(&texts.iter().map(|text| (1.0, text.as_str())).collect::<Vec<_>>()));
            let overlay = TakeOverlay::new(&tapes[0], &tapes[1]);
            let (mut l, mut r) = (0, 0);
            for step in &overlay.steps {
                prop_assert_eq!((step.left.start, step.right.start), (l, r));
                (l, r) = (step.left.end, step.right.end);
                let blocks = |texts: &[String]| texts.concat();
                let same = blocks(&left[step.left.clone()]) == blocks(&right[step.right.clone()]);
                prop_assert_eq!(step.relation != Relation::Changed, same);
                prop_assert!(step.relation != Relation::Same || step.left.len() == 1 && step.right.len() == 1);
            }
            prop_assert_eq!((l, r), (left.len(), right.len()));
        }

        #[test]
        fn a_take_is_in_step_with_itself(texts in prop::collection::vec("[aé ]{0,3}", 0..8)) {
            let tape = tape(&texts.iter().map(|text| (1.0, text.as_str())).collect::<Vec<_>>());
            let summary = TakeOverlay::new(&tape, &tape).summary(0.0);
            prop_assert_eq!(summary, OverlaySummary { same: texts.len(), ..OverlaySummary::default() });
        }
    }
}
