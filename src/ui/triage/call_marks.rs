//! The calls of a failed test as blocks of a strip.

use play::playback::failure_log::{FailureKind, LoggedFailure};
use play::playback::{CallVerdict, PlaybackRun};
use play::run_log::{FailedTest, MissKind};
use widgets::{BlockVerdict, CallBlock};

/// The most calls of a cassette that are drawn: a log may count any number.
const MAX_BLOCKS: usize = 64;

/// The calls of a failed test, and after them the recordings that no call reached.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CallMarks {
    pub(super) blocks: Vec<CallBlock>,
    /// The position of the failing call.
    pub(super) failing: usize,
}

impl CallMarks {
    /// Marks the calls before the failing one, that one as it is answered now, and the recordings that are left.
    pub(super) fn new(
        failure: &LoggedFailure,
        run: Option<&PlaybackRun>,
        is_answered: bool,
    ) -> Self {
        if let Some(test) = failure.cassette_test() {
            return Self::of_cassette(test, is_answered);
        }
        let Some(run) = run.filter(|run| !run.calls.is_empty()) else {
            let has_none = failure.lacks_recordings();
            let failing = if has_none { 0 } else { failure.calls.len() };
            let last = if has_none { BlockVerdict::Missing } else { BlockVerdict::Wrong };
            let mut blocks = vec![CallBlock::from(BlockVerdict::Right); failing];
            blocks.push(last.into());
            return Self { blocks, failing };
        };
        // A client that finds no match prints only the request that fails; the recordings that were used show the calls before.
        let earlier = run.before.used.iter().filter(|is_used| **is_used).count();
        let logged = |call: usize| match failure.calls.get(call) {
            Some(call) if !call.mismatches.is_empty() => BlockVerdict::OrderDecides,
            _ => BlockVerdict::Right,
        };
        let mut blocks: Vec<CallBlock> = (0..earlier).map(|call| logged(call).into()).collect();
        blocks.extend(run.calls.iter().map(|call| CallBlock::from(verdict(&call.verdict))));
        let failing = earlier + failing_call(run);
        let used = run.state_after(run.calls.len()).used;
        let left = used.iter().filter(|is_used| !**is_used).count();
        // The failing call would have used one of them, unless there are more calls than recordings.
        let is_missed = run.calls.iter().any(|call| call.verdict.is_unanswered())
            && !matches!(failure.kind, FailureKind::PastEnd { .. });
        let unreached = left.saturating_sub(usize::from(is_missed));
        blocks.extend(std::iter::repeat_n(CallBlock::from(BlockVerdict::NotReached), unreached));
        Self { blocks, failing }
    }
}

impl CallMarks {
    /// Marks the calls that the log counts as played, the failing one, and those that are left.
    fn of_cassette(test: &FailedTest, is_answered: bool) -> Self {
        let (recorded, played) = test.miss.counts.unwrap_or_default();
        let (recorded, played) = (recorded.min(MAX_BLOCKS), played.min(MAX_BLOCKS));
        let failing = match test.miss.kind {
            _ if is_answered => BlockVerdict::Right,
            MissKind::NoCassette => BlockVerdict::Missing,
            _ => BlockVerdict::Wrong,
        };
        let mut blocks = vec![CallBlock::from(BlockVerdict::Right); played];
        blocks.push(failing.into());
        let left = recorded.saturating_sub(played + usize::from(is_answered));
        blocks.extend(std::iter::repeat_n(CallBlock::from(BlockVerdict::NotReached), left));
        Self { blocks, failing: played }
    }
}

/// Returns the first call with a wrong answer or none; without one, the last call.
pub(super) fn failing_call(run: &PlaybackRun) -> usize {
    let bad = run.calls.iter().position(|call| call.verdict.is_bad());
    bad.unwrap_or(run.calls.len().saturating_sub(1))
}

fn verdict(verdict: &CallVerdict) -> BlockVerdict {
    match verdict {
        CallVerdict::Right => BlockVerdict::Right,
        CallVerdict::FirstOf(_) | CallVerdict::ByPosition(_) | CallVerdict::Unknown(_) => {
            BlockVerdict::OrderDecides
        }
        _ => BlockVerdict::Wrong,
    }
}
