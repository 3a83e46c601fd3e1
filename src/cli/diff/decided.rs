//! Decisions about the pairs of a review, in words.

use compare::review::{Decisions, Review, ReviewGroup, ReviewProgress, ReviewVerdict};
use document::text::count;

/// The states of a pair, in the order in which they are listed.
const STATES: [&str; 7] = [
    "undecided",
    "to discuss",
    "accepted",
    "old noise kept",
    "rejected",
    "partly accepted",
    "ignored",
];

/// The state of a pair, one of [`STATES`].
pub(crate) fn pair_state(review: &Review, index: usize, decisions: &Decisions) -> &'static str {
    let reviewed = &review.pairs[index];
    let decision = decisions.decision(&reviewed.pair.key());
    match decision.and_then(|decision| decision.verdict.as_ref()) {
        // To skip is to decide later.
        Some(ReviewVerdict::Skip) | None if reviewed.needs_decision() => "undecided",
        Some(ReviewVerdict::Skip) | None => "ignored",
        Some(verdict) => verdict.label(),
    }
}

/// The note of a pair; may be empty.
pub(crate) fn pair_note<'a>(review: &Review, index: usize, decisions: &'a Decisions) -> &'a str {
    let decision = decisions.decision(&review.pairs[index].pair.key());
    decision.map_or("", |decision| &decision.note)
}

/// The number of pairs of a group in each state: `12 undecided, 288 accepted`.
pub(crate) fn group_state(review: &Review, group: &ReviewGroup, decisions: &Decisions) -> String {
    let states: Vec<&str> = group.pairs.iter().map(|i| pair_state(review, *i, decisions)).collect();
    let counts = STATES.into_iter().filter_map(|state| {
        let number = states.iter().filter(|other| **other == state).count();
        (number > 0).then(|| format!("{number} {state}"))
    });
    counts.collect::<Vec<_>>().join(", ")
}

/// Progress of a review: `12 of 14 decided, 1 group left`.
pub(crate) fn progress(review: &Review, decisions: &Decisions) -> String {
    let ReviewProgress { decided, pairs, groups_left } = review.progress(decisions);
    let groups = count(groups_left, "group");
    format!("{decided} of {pairs} decided, {groups} left")
}
