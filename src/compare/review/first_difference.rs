//! The place at which two runs part: the first difference that matters, and what follows from it.

use std::collections::BTreeMap;

use super::{AlignedCalls, Review, ReviewLane, Reviewed, TakeChange};
use document::text::{counted, lower_first};

/// The first difference of a run: of a file with its calls, or of a conversation with a recording in each file.
#[derive(Clone, Copy, Debug)]
pub struct FirstDifference<'a> {
    /// The pair it is in, by its place in the review.
    pub pair: usize,
    /// The difference; `None` if the whole file was added or removed, or cannot be read.
    pub change: Option<&'a TakeChange>,
    /// Number of later differences of the run.
    pub later: usize,
    /// Number of those that repeat an earlier one, or follow from it.
    pub following: usize,
}

impl FirstDifference<'_> {
    /// Returns the call that it is in: `call 3`, or `call 3, now 4`.
    pub fn call(&self) -> Option<String> {
        match self.change?.call.as_ref()?.numbers {
            [Some(old), Some(new)] if old != new => Some(format!("call {old}, now {new}")),
            [Some(number), _] | [None, Some(number)] => Some(format!("call {number}")),
            [None, None] => None,
        }
    }

    /// Returns how many later differences there are, and whether they follow from it; `None` if there are none.
    pub fn later_differences(&self) -> Option<String> {
        let differences = counted(self.later, "later difference", "later differences");
        let verb = if self.later == 1 { "follows" } else { "follow" };
        match (self.later, self.following) {
            (0, _) => None,
            (later, following) if later == following => {
                Some(format!("{differences} {verb} from it"))
            }
            (_, 0) => Some(differences),
            (_, following) => {
                Some(format!("{differences}, of which {following} repeat earlier ones"))
            }
        }
    }

    /// Returns it in one sentence; `None` without calls.
    pub fn sentence(&self) -> Option<String> {
        let (call, change) = (self.call()?, self.change?);
        let cause = match lower_first(&change.sentence) {
            cause if cause.is_empty() => format!("{call}, {}", lower_first(change.lane().label())),
            // Files of several calls name the call first.
            cause if cause.starts_with("call ") => cause,
            cause => format!("{call}, {cause}"),
        };
        let later = self.later_differences().map_or_else(String::new, |text| format!("; {text}"));
        Some(format!("First difference that matters: {cause}{later}."))
    }

    /// Returns the calls that it is in.
    pub fn aligned(&self) -> Option<AlignedCalls> {
        let [old, new] = self.change?.call.as_ref()?.numbers;
        Some(AlignedCalls { old, new })
    }
}

impl Review {
    /// Returns the first difference of the run that a pair is, if it has the calls of a run.
    pub fn first_difference_of(&self, pair: usize) -> Option<FirstDifference<'_>> {
        self.pairs.get(pair).filter(|reviewed| reviewed.needs_decision())?;
        self.first_of(&[pair])
    }

    /// Returns the first difference of each run that differs, in the order of the review. Words count before noise: a difference in what was
    /// sent or answered is the first one, even if only a token count differs before it.
    pub fn first_differences(&self) -> Vec<FirstDifference<'_>> {
        let mut runs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, reviewed) in self.pairs.iter().enumerate() {
            if reviewed.needs_decision() {
                runs.entry(self.first_turn(index)).or_default().push(index);
            }
        }
        let mut found: Vec<_> = runs.values().filter_map(|run| self.first_of(run)).collect();
        found.sort_by_key(|first| first.pair);
        found
    }

    /// Returns the first turn of the conversation that a pair is in.
    fn first_turn(&self, index: usize) -> usize {
        let mut first = index;
        // A damaged file may name itself as the turn before it.
        for _ in 0..self.pairs.len() {
            match self.pairs[first].before {
                Some(before) => first = before,
                None => break,
            }
        }
        first
    }

    fn first_of(&self, run: &[usize]) -> Option<FirstDifference<'_>> {
        let entries = run.iter().flat_map(|index| entries(*index, &self.pairs[*index]));
        let mut entries: Vec<(usize, Option<&TakeChange>)> = entries.collect();
        entries.sort_by_key(|(index, change)| (*index, change.map_or((0, false), moment)));
        let matters = |change: &Option<&TakeChange>| {
            change.is_none_or(|c| c.follows.is_none() && c.lane() > ReviewLane::SameWords)
        };
        let first = entries.iter().position(|(_, change)| matters(change)).unwrap_or_default();
        let (pair, change) = *entries.get(first)?;
        let later = &entries[first + 1..];
        let follows = |(index, change): &&(usize, Option<&TakeChange>)| {
            change.is_some_and(|change| change.follows.is_some())
                || self.pairs[*index].first_cause == Some(pair)
        };
        let following = later.iter().filter(follows).count();
        Some(FirstDifference { pair, change, later: later.len(), following })
    }
}

/// Returns when a difference came to be: in which call, and whether only with its answer.
fn moment(change: &TakeChange) -> (usize, bool) {
    let numbers = change.call.as_ref().map_or([None, None], |call| call.numbers);
    let call = numbers.into_iter().flatten().min().unwrap_or_default();
    (call, change.lane() == ReviewLane::Answered)
}

/// Returns the differences of a pair that are not ignored; one without a change if the file is only on one side.
fn entries(index: usize, reviewed: &Reviewed) -> Vec<(usize, Option<&TakeChange>)> {
    let changes = reviewed.compared.changes.iter().filter(|change| change.ignored.is_none());
    let changes: Vec<_> = changes.map(|change| (index, Some(change))).collect();
    if changes.is_empty() { vec![(index, None)] } else { changes }
}
