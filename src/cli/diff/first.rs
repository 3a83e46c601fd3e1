//! Only where the runs part: the first difference of each, and how many follow.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use super::report::{ChangeJson, change};
use super::text::{path, print_change};
use super::{count, lower_first};
use crate::output::{Output, OutputStyle, shown};
use compare::review::{FirstDifference, PairStatus, Review};

#[derive(Serialize, JsonSchema)]
pub(super) struct FirstDifferenceJson<'a> {
    old: Option<&'a str>,
    new: Option<&'a str>,
    /// Numbers of the call in both files, from 1; `null` for files without calls.
    calls: Option<[Option<usize>; 2]>,
    /// `null` if the file is only on one side.
    first: Option<ChangeJson<'a>>,
    /// Number of later differences of the run.
    later: usize,
    /// Number of those that repeat an earlier one, or follow from it.
    following: usize,
}

/// Prints the first difference of each run.
pub(super) fn print(output: &mut Output, review: &Review) -> io::Result<()> {
    let firsts = review.first_differences();
    for first in &firsts {
        let reviewed = &review.pairs[first.pair];
        let place = first.call().map_or_else(String::new, |place| format!(" at {place}"));
        let verb = match (reviewed.compared.status, first.change) {
            (PairStatus::Added, _) => "is only on the new side".to_owned(),
            (PairStatus::Removed, _) => "is only on the old side".to_owned(),
            (_, None) => "cannot be compared".to_owned(),
            (_, Some(change)) => format!("parts{place}: {}", lower_first(change.lane().label())),
        };
        let line = format!("{} {verb}", path(reviewed));
        output.line(&output.styled(OutputStyle::Strong, &shown(&line)))?;
        if let Some(change) = first.change {
            print_change(output, change)?;
        }
        if let Some(line) = first.later_differences() {
            output.line(&output.styled(OutputStyle::Quiet, &format!("    {line}")))?;
        }
    }
    output.line(&match firsts.len() {
        0 => "No run differs in what is compared".to_owned(),
        1 => "1 run differs".to_owned(),
        runs => format!("{} differ", count(runs, "run")),
    })
}

/// Returns the first difference of each run as JSON.
pub(super) fn rows<'a>(review: &'a Review) -> Vec<FirstDifferenceJson<'a>> {
    let row = |found: FirstDifference<'a>| {
        let pair = &review.pairs[found.pair].pair;
        FirstDifferenceJson {
            old: pair.old.as_ref().map(|take| &*take.path),
            new: pair.new.as_ref().map(|take| &*take.path),
            calls: found.change.and_then(|change| Some(change.call.as_ref()?.numbers)),
            first: found.change.map(change),
            later: found.later,
            following: found.following,
        }
    };
    review.first_differences().into_iter().map(row).collect()
}
