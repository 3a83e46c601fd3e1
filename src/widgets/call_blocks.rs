//! The verdicts on the calls of an item, as blocks of its strip.

use calls::{CallRow, Item, ItemStatus};
use document::{Problem, Severity};

use crate::{BlockVerdict, CallBlock};

/// Returns the blocks of a file of calls, in its order.
pub fn call_blocks(item: &Item) -> Vec<CallBlock> {
    let blocks = item.calls.iter().enumerate();
    blocks.map(|(number, call)| call_verdict(item, number, call).into()).collect()
}

/// Returns the verdict on an item that is one call, by its status.
pub fn item_verdict(item: &Item) -> BlockVerdict {
    use ItemStatus::*;
    match item.status() {
        Unreadable | Incomplete | Failed | SourceGone | Outside => BlockVerdict::Wrong,
        StaleBreaks | Problems => BlockVerdict::OrderDecides,
        Stale => BlockVerdict::StillMatches,
        Renamed | Pending => BlockVerdict::Waiting,
        LineEnds | Unstamped | Fresh | Ok | Foreign => BlockVerdict::Right,
    }
}

fn call_verdict(item: &Item, number: usize, call: &CallRow) -> BlockVerdict {
    let has_error =
        |problem: &Problem| problem.severity == Severity::Error && call.has_problem(problem);
    let is_alike = |problem: &Problem| {
        problem.calls.as_ref().is_some_and(|calls| calls.numbers.contains(&number))
    };
    if call.failure.is_some_and(|failure| failure.is_of_call())
        || item.problems.iter().any(has_error)
    {
        BlockVerdict::Wrong
    } else if item.problems.iter().any(is_alike) {
        BlockVerdict::OrderDecides
    } else if call.api.is_none() && call.http.is_some() {
        BlockVerdict::OtherCall
    } else {
        BlockVerdict::Right
    }
}
