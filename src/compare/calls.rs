//! Compares the calls of two documents of any format.

use super::recordings::{RecordingComparison, TimeFigure};
use super::review::AlignedCalls;
use calls::reading::{all_calls, calls};
use calls::tape::timing::{Gaps, Stats, format_duration};
use document::{Document, DocumentBody};

/// Compares the calls of two documents, paired by their positions: the first pair that differs, else the first one. `None` if
/// one of them has no calls.
pub fn compare(left: &Document, right: &Document) -> Option<RecordingComparison> {
    let mut comparisons = calls(left).into_iter().zip(calls(right)).filter_map(|(left, right)| {
        let comparison = RecordingComparison::new(&left.document, &right.document)?;
        let is_judged = left.is_file() && right.is_file();
        Some(if is_judged { comparison } else { comparison.without_verdicts() })
    });
    let first = comparisons.next()?;
    let differs = |comparisons: &RecordingComparison| !comparisons.differences.is_empty();
    if differs(&first) {
        return Some(first);
    }
    Some(comparisons.find(differs).unwrap_or(first))
}

/// Compares two aligned calls of two documents; `None` if one of them is missing or is of no model.
pub fn compare_call(
    left: &Document,
    right: &Document,
    numbers: AlignedCalls,
) -> Option<RecordingComparison> {
    let (left, right) = (all_calls(left), all_calls(right));
    let (left, right) =
        (left.get(numbers.old?.checked_sub(1)?)?, right.get(numbers.new?.checked_sub(1)?)?);
    let comparison = RecordingComparison::new(&left.document, &right.document)?;
    Some(comparison.without_verdicts())
}

/// Compares the same calls; those of two tapes with the figures of time that differ.
pub fn compare_timed(left: &Document, right: &Document) -> Option<RecordingComparison> {
    let comparison = compare(left, right)?;
    Some(match (times(left), times(right)) {
        (Some(left), Some(right)) => comparison.with_times([left, right]).without_verdicts(),
        _ => comparison,
    })
}

/// Returns the figures in which the times of two tapes are compared; `None` if the document is not a tape.
fn times(document: &Document) -> Option<Vec<TimeFigure>> {
    let DocumentBody::Tape(tape) = &document.body else { return None };
    let figure = |name, nanos, pointer| TimeFigure { name, time: format_duration(nanos), pointer };
    let of_chunk = |name, nanos, at: usize| {
        let chunk = &tape.chunks[at];
        figure(name, nanos, document.node(chunk.delay.unwrap_or(chunk.node)).pointer())
    };
    let stats = Stats::from_tape(tape);
    let first = stats.first_nanos.map(|nanos| of_chunk("First chunk after", nanos, 0));
    let longest = |gaps: Gaps| of_chunk("Longest gap", gaps.longest_nanos, gaps.longest_at);
    let total = figure("Total time", stats.total_nanos, "/stream".to_owned());
    Some(first.into_iter().chain(stats.gaps.map(longest)).chain([total]).collect())
}
