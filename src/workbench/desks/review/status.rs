//! The status of pairs and groups.

use compare::review::{Decisions, Review, ReviewLane, ReviewVerdict};
use document::text::thousands;

/// The status of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DecisionStatus {
    /// Undecided.
    #[default]
    Open,
    /// Skipped for now.
    Skipped,
    /// Needs a talk with others before it can be decided.
    Discussed,
    /// The new recording is kept.
    Accepted,
    /// The new recording is kept with the ids, times, headers, order and format of the old one.
    NoiseKept,
    /// The old file is restored.
    Rejected,
    /// Some of its changes are undone.
    Partial,
    /// All differences are ignored; a decision is possible but not needed.
    Ignored,
}

impl DecisionStatus {
    /// The status of a pair of a review.
    pub fn of_pair(review: &Review, at: usize, decisions: &Decisions) -> Self {
        let Some(reviewed) = review.pairs.get(at) else { return Self::Ignored };
        let decision = decisions.decision(&reviewed.pair.key());
        match decision.and_then(|decision| decision.verdict.as_ref()) {
            Some(ReviewVerdict::Accept) => Self::Accepted,
            Some(ReviewVerdict::KeepNoise) => Self::NoiseKept,
            Some(ReviewVerdict::Reject) => Self::Rejected,
            Some(ReviewVerdict::Part(_)) => Self::Partial,
            Some(ReviewVerdict::Discuss) => Self::Discussed,
            Some(ReviewVerdict::Skip) if reviewed.needs_decision() => Self::Skipped,
            None if reviewed.needs_decision() => Self::Open,
            Some(ReviewVerdict::Skip) | None => Self::Ignored,
        }
    }

    /// Whether no decision is needed.
    pub fn is_done(self) -> bool {
        !matches!(self, Self::Open | Self::Skipped | Self::Discussed)
    }

    /// Whether the user decided about it.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Accepted | Self::NoiseKept | Self::Rejected | Self::Partial)
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Open => "undecided",
            Self::Skipped => "skipped",
            Self::Discussed => "to discuss",
            Self::Accepted => "accepted",
            Self::NoiseKept => "old noise kept",
            Self::Rejected => "rejected",
            Self::Partial => "partly accepted",
            Self::Ignored => "ignored",
        }
    }
}

/// The counts of a group's pairs by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    // One count for each status; the status is the index.
    counts: [usize; 8],
}

impl Tally {
    pub(super) fn add(&mut self, mark: DecisionStatus) {
        self.counts[mark as usize] += 1;
    }

    pub(super) fn remove(&mut self, mark: DecisionStatus) {
        self.counts[mark as usize] -= 1;
    }

    /// The number of pairs with this status.
    pub fn count(&self, mark: DecisionStatus) -> usize {
        self.counts[mark as usize]
    }

    /// The number of undecided pairs.
    pub fn undecided(&self) -> usize {
        self.count(DecisionStatus::Open)
            + self.count(DecisionStatus::Skipped)
            + self.count(DecisionStatus::Discussed)
    }

    /// The number of pairs that the user has neither decided nor marked for a talk.
    pub fn open(&self) -> usize {
        let statuses = [DecisionStatus::Open, DecisionStatus::Skipped, DecisionStatus::Ignored];
        statuses.into_iter().map(|it| self.count(it)).sum()
    }

    /// The number of pairs.
    pub fn all(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The number of pairs that need no decision.
    pub fn done(&self) -> usize {
        self.all() - self.undecided()
    }

    /// Number of pairs that have a decision, of those that need one: `0 of 41`; `Nothing to decide` if none needs one.
    pub fn progress(&self) -> String {
        match self.all() - self.count(DecisionStatus::Ignored) {
            0 => "Nothing to decide".to_owned(),
            needed => {
                let decided = needed - self.undecided();
                format!("{} of {}", thousands(decided), thousands(needed))
            }
        }
    }

    /// The counts as text: `accepted`, `3 accepted, 1 rejected`.
    pub fn summary(&self) -> String {
        let marks: Vec<DecisionStatus> = [
            DecisionStatus::Open,
            DecisionStatus::Skipped,
            DecisionStatus::Discussed,
            DecisionStatus::Accepted,
            DecisionStatus::NoiseKept,
            DecisionStatus::Rejected,
            DecisionStatus::Partial,
            DecisionStatus::Ignored,
        ]
        .into_iter()
        .filter(|mark| self.count(*mark) > 0)
        .collect();
        match marks.as_slice() {
            [one] => one.label().to_owned(),
            marks => {
                let counted =
                    |mark: &DecisionStatus| format!("{} {}", self.count(*mark), mark.label());
                marks.iter().map(counted).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// Whether a pair is decided, but its decision is not applied to the files.
fn is_unapplied(review: &Review, at: usize, decisions: &Decisions) -> bool {
    let key = review.pairs.get(at).map(|reviewed| reviewed.pair.key());
    let decision = key.and_then(|key| decisions.decision(&key));
    decision.is_some_and(|decision| {
        let verdict = decision.verdict.as_ref();
        decision.applied.is_none() && verdict.is_some_and(ReviewVerdict::is_decision)
    })
}

/// The status of all pairs and groups.
#[derive(Clone, Debug, Default)]
pub struct DecisionStatuses {
    pub(super) pairs: Vec<DecisionStatus>,
    /// Whether the decision about each pair is not applied yet.
    waiting: Vec<bool>,
    /// The number of decisions that are not applied yet.
    pub to_apply: usize,
    pub(super) groups: Vec<Tally>,
    /// Whether each group needs no decision.
    is_ignored: Vec<bool>,
    /// The lane of each group.
    lane_of: Vec<ReviewLane>,
    /// The pairs of each lane.
    lanes: [Tally; ReviewLane::ALL.len()],
    /// Of all pairs.
    pub all: Tally,
    /// The groups by lane; in a lane those with undecided pairs first, then the decided ones, then those that need no decision.
    pub(super) order: Vec<usize>,
}

impl DecisionStatuses {
    pub(super) fn new(review: &Review, decisions: &Decisions) -> Self {
        let pairs =
            (0..review.pairs.len()).map(|at| DecisionStatus::of_pair(review, at, decisions));
        let pairs: Vec<DecisionStatus> = pairs.collect();
        let waiting: Vec<bool> =
            (0..review.pairs.len()).map(|at| is_unapplied(review, at, decisions)).collect();
        let mut marks = Self {
            groups: vec![Tally::default(); review.groups.len()],
            is_ignored: review.groups.iter().map(|it| !it.needs_decision).collect(),
            lane_of: review.groups.iter().map(|it| it.lane).collect(),
            to_apply: waiting.iter().filter(|waits| **waits).count(),
            waiting,
            pairs,
            ..Self::default()
        };
        for (number, group) in review.groups.iter().enumerate() {
            for at in &group.pairs {
                let status = marks.pairs[*at];
                marks.groups[number].add(status);
                marks.lanes[group.lane as usize].add(status);
                marks.all.add(status);
            }
        }
        marks.sort();
        marks
    }

    /// Updates the status of these pairs after a decision.
    pub(super) fn update(
        &mut self,
        review: &Review,
        decisions: &Decisions,
        pairs: impl IntoIterator<Item = usize>,
    ) {
        for at in pairs {
            // A pair without a group is in no count.
            let (Some(group), before) = (review.pairs[at].group, self.pairs[at]) else { continue };
            let (now, waits) = (
                DecisionStatus::of_pair(review, at, decisions),
                is_unapplied(review, at, decisions),
            );
            self.pairs[at] = now;
            let waited = std::mem::replace(&mut self.waiting[at], waits);
            self.to_apply = self.to_apply + usize::from(waits) - usize::from(waited);
            let lane = self.lane_of[group] as usize;
            let tallies = [&mut self.groups[group], &mut self.lanes[lane], &mut self.all];
            for tally in tallies {
                tally.remove(before);
                tally.add(now);
            }
        }
        self.sort();
    }

    /// The counts of a lane's pairs.
    pub fn lane(&self, lane: ReviewLane) -> Tally {
        self.lanes[lane as usize]
    }

    /// Number of lanes that have undecided pairs.
    pub fn lanes_left(&self) -> usize {
        self.lanes.iter().filter(|tally| tally.undecided() > 0).count()
    }

    /// Whether a group has undecided pairs.
    pub(super) fn is_open(&self, group: usize) -> bool {
        self.groups[group].undecided() > 0
    }

    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        // `false` sorts first; otherwise the order of the review stays.
        order.sort_by_key(|group| {
            let (lane, is_ignored) = (self.lane_of[*group], self.is_ignored[*group]);
            (lane, !self.is_open(*group), is_ignored)
        });
        self.order = order;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_counts_only_pairs_that_need_a_decision() {
        let mut tally = Tally::default();
        tally.add(DecisionStatus::Ignored);
        assert_eq!(tally.progress(), "Nothing to decide");
        tally.add(DecisionStatus::Open);
        tally.add(DecisionStatus::Discussed);
        assert_eq!(tally.progress(), "0 of 2");
        tally.add(DecisionStatus::Rejected);
        assert_eq!(tally.progress(), "1 of 3");
    }
}
