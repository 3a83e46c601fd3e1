//! The place at which two runs part: the first difference that matters, and what follows from it.

use std::collections::BTreeMap;

use super::{Review, ReviewLane, Reviewed, TakeChange};

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

impl Review {
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
