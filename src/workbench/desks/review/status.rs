//! The status of pairs and groups.

use compare::review::{Decisions, Review, ReviewVerdict};
use document::text::named_enum;

named_enum! {
    /// The status of a pair.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum DecisionStatus {
        /// Undecided.
        #[default]
        Open = "undecided",
        /// Skipped for now.
        Skipped = "skipped",
        /// Needs a talk with others before it can be decided.
        Discussed = "to discuss",
        /// The new recording is kept.
        Accepted = "accepted",
        /// The new recording is kept with the ids, times, headers, order and format of the old one.
        NoiseKept = "old noise kept",
        /// The old file is restored.
        Rejected = "rejected",
        /// Some of its changes are undone.
        Partial = "partly accepted",
        /// All differences are ignored; a decision is possible but not needed.
        Ignored = "ignored",
    }

    pub fn label;
}

impl DecisionStatus {
    /// The status of a pair of a review.
    pub fn of_pair(review: &Review, index: usize, decisions: &Decisions) -> Self {
        let Some(pair) = review.pairs.get(index) else { return Self::Ignored };
        let decision = decisions.decision(&pair.pair.key());
        match decision.and_then(|decision| decision.verdict.as_ref()) {
            Some(ReviewVerdict::Accept) => Self::Accepted,
            Some(ReviewVerdict::KeepNoise) => Self::NoiseKept,
            Some(ReviewVerdict::Reject) => Self::Rejected,
            Some(ReviewVerdict::Part(_)) => Self::Partial,
            Some(ReviewVerdict::Discuss) => Self::Discussed,
            Some(ReviewVerdict::Skip) if pair.needs_decision() => Self::Skipped,
            None if pair.needs_decision() => Self::Open,
            Some(ReviewVerdict::Skip) | None => Self::Ignored,
        }
    }

    /// Whether the user decided about it.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Accepted | Self::NoiseKept | Self::Rejected | Self::Partial)
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
        statuses.into_iter().map(|s| self.count(s)).sum()
    }

    /// The number of pairs.
    pub fn all(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The number of pairs that need no decision.
    pub fn done(&self) -> usize {
        self.all() - self.undecided()
    }

    /// The number of pairs that the user decided about.
    pub fn decided(&self) -> usize {
        self.done() - self.count(DecisionStatus::Ignored)
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
            [mark] => mark.label().to_owned(),
            marks => {
                let label =
                    |mark: &DecisionStatus| format!("{} {}", self.count(*mark), mark.label());
                marks.iter().map(label).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// Whether a pair is decided, but its decision is not applied to the files.
fn is_unapplied(review: &Review, index: usize, decisions: &Decisions) -> bool {
    let key = review.pairs.get(index).map(|pair| pair.pair.key());
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
    /// Of all pairs.
    pub all: Tally,
}

impl DecisionStatuses {
    pub(super) fn new(review: &Review, decisions: &Decisions) -> Self {
        let pairs =
            (0..review.pairs.len()).map(|index| DecisionStatus::of_pair(review, index, decisions));
        let pairs: Vec<DecisionStatus> = pairs.collect();
        let waiting: Vec<bool> =
            (0..review.pairs.len()).map(|index| is_unapplied(review, index, decisions)).collect();
        let mut marks = Self {
            groups: vec![Tally::default(); review.groups.len()],
            to_apply: waiting.iter().filter(|is_waiting| **is_waiting).count(),
            waiting,
            pairs,
            ..Self::default()
        };
        for (number, group) in review.groups.iter().enumerate() {
            for index in &group.pairs {
                let status = marks.pairs[*index];
                marks.groups[number].add(status);
                marks.all.add(status);
            }
        }
        marks
    }

    /// Updates the status of these pairs after a decision.
    pub(super) fn update(
        &mut self,
        review: &Review,
        marks: &Decisions,
        pairs: impl IntoIterator<Item = usize>,
    ) {
        for index in pairs {
            // A pair without a group is in no count.
            let (Some(group), old_status) = (review.pairs[index].group, self.pairs[index]) else {
                continue;
            };
            let (new_status, is_waiting) =
                (DecisionStatus::of_pair(review, index, marks), is_unapplied(review, index, marks));
            self.pairs[index] = new_status;
            let was_waiting = std::mem::replace(&mut self.waiting[index], is_waiting);
            self.to_apply = self.to_apply + usize::from(is_waiting) - usize::from(was_waiting);
            for tally in [&mut self.groups[group], &mut self.all] {
                tally.remove(old_status);
                tally.add(new_status);
            }
        }
    }

    /// Number of groups that have undecided pairs.
    pub fn groups_left(&self) -> usize {
        self.groups.iter().filter(|tally| tally.undecided() > 0).count()
    }

    /// Whether a group has undecided pairs.
    pub(super) fn is_open(&self, group: usize) -> bool {
        self.groups[group].undecided() > 0
    }
}
