//! How each pair and each group stands.

use crate::ops::review::{Decisions, Group, Review, Verdict};

/// How a pair stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mark {
    /// It has to be decided.
    #[default]
    Open,
    /// It was looked at and left for later.
    Skipped,
    /// The new take stays.
    Accepted,
    /// The old bytes come back.
    Rejected,
    /// Some of its changes are taken back.
    Parted,
    /// All that differs is set aside; it may be decided, but need not be.
    Aside,
}

impl Mark {
    /// How a pair of a review stands.
    pub fn of(review: &Review, at: usize, decisions: &Decisions) -> Self {
        let Some(reviewed) = review.pairs.get(at) else {
            return Self::Aside;
        };
        let decision = decisions.of(&reviewed.pair.key());
        match decision.and_then(|decision| decision.verdict.as_ref()) {
            Some(Verdict::Accept) => Self::Accepted,
            Some(Verdict::Reject) => Self::Rejected,
            Some(Verdict::Part(_)) => Self::Parted,
            Some(Verdict::Skip) if reviewed.needs_decision() => Self::Skipped,
            None if reviewed.needs_decision() => Self::Open,
            Some(Verdict::Skip) | None => Self::Aside,
        }
    }

    /// Whether nothing more is to be asked.
    pub fn is_done(self) -> bool {
        !matches!(self, Self::Open | Self::Skipped)
    }

    /// Whether somebody decided about it.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Accepted | Self::Rejected | Self::Parted)
    }

    /// What it is called.
    pub fn word(self) -> &'static str {
        match self {
            Self::Open => "undecided",
            Self::Skipped => "skipped",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Parted => "taken in part",
            Self::Aside => "set aside",
        }
    }
}

/// How the pairs of a group stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: [usize; 6],
}

impl Tally {
    pub(super) fn of(group: &Group, marks: &[Mark]) -> Self {
        let mut tally = Self::default();
        for at in &group.pairs {
            tally.add(marks.get(*at).copied().unwrap_or_default());
        }
        tally
    }

    pub(super) fn add(&mut self, mark: Mark) {
        self.counts[mark as usize] += 1;
    }

    pub(super) fn take(&mut self, mark: Mark) {
        self.counts[mark as usize] -= 1;
    }

    /// How many stand like this.
    pub fn count(&self, mark: Mark) -> usize {
        self.counts[mark as usize]
    }

    /// How many have to be decided.
    pub fn left(&self) -> usize {
        self.count(Mark::Open) + self.count(Mark::Skipped)
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.counts.iter().sum()
    }

    /// How many are decided, or need not be.
    pub fn done(&self) -> usize {
        self.all() - self.left()
    }

    /// How the group stands, in words: `accepted`, `3 accepted, 1 rejected`.
    pub fn words(&self) -> String {
        let marks = [
            Mark::Open,
            Mark::Skipped,
            Mark::Accepted,
            Mark::Rejected,
            Mark::Parted,
            Mark::Aside,
        ];
        let marks = marks.into_iter().filter(|mark| self.count(*mark) > 0);
        let marks: Vec<Mark> = marks.collect();
        match marks.as_slice() {
            [one] => one.word().to_owned(),
            marks => {
                let counted = |mark: &Mark| format!("{} {}", self.count(*mark), mark.word());
                marks.iter().map(counted).collect::<Vec<_>>().join(", ")
            }
        }
    }
}

/// Whether a pair is decided and its files are not known to be so.
fn waits(review: &Review, at: usize, decisions: &Decisions) -> bool {
    let key = review.pairs.get(at).map(|reviewed| reviewed.pair.key());
    let decision = key.and_then(|key| decisions.of(&key));
    decision.is_some_and(|decision| {
        let verdict = decision.verdict.as_ref();
        decision.applied.is_none() && verdict.is_some_and(Verdict::is_decision)
    })
}

/// How everything stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// One a pair.
    pub(super) pairs: Vec<Mark>,
    /// Whether the decision about each pair is to be applied.
    waiting: Vec<bool>,
    /// How many of these there are.
    pub(super) to_apply: usize,
    /// One a group.
    pub(super) groups: Vec<Tally>,
    /// All of them.
    pub(super) all: Tally,
    /// The groups with something undecided in their order, then the others.
    pub(super) order: Vec<usize>,
    /// How many of the groups have something undecided.
    pub(super) open_groups: usize,
}

impl Marks {
    pub(super) fn of(review: &Review, decisions: &Decisions) -> Self {
        let pairs = (0..review.pairs.len()).map(|at| Mark::of(review, at, decisions));
        let pairs: Vec<Mark> = pairs.collect();
        let waiting = (0..review.pairs.len()).map(|at| waits(review, at, decisions));
        let waiting: Vec<bool> = waiting.collect();
        let groups = review.groups.iter().map(|group| Tally::of(group, &pairs));
        let mut marks = Self {
            groups: groups.collect(),
            to_apply: waiting.iter().filter(|waits| **waits).count(),
            waiting,
            pairs,
            ..Self::default()
        };
        for at in review.groups.iter().flat_map(|group| &group.pairs) {
            marks.all.add(marks.pairs[*at]);
        }
        marks.sort();
        marks
    }

    /// Brings the marks of these pairs up to what is decided.
    pub(super) fn renew(
        &mut self,
        review: &Review,
        decisions: &Decisions,
        pairs: impl IntoIterator<Item = usize>,
    ) {
        for at in pairs {
            let (Some(group), before) = (review.pairs[at].group, self.pairs[at]) else {
                continue;
            };
            let (now, waits) = (
                Mark::of(review, at, decisions),
                waits(review, at, decisions),
            );
            self.pairs[at] = now;
            let waited = std::mem::replace(&mut self.waiting[at], waits);
            self.to_apply = self.to_apply + usize::from(waits) - usize::from(waited);
            for tally in [&mut self.groups[group], &mut self.all] {
                tally.take(before);
                tally.add(now);
            }
        }
        self.sort();
    }

    fn sort(&mut self) {
        let is_open = |group: &usize| self.groups[*group].left() > 0;
        let (open, done): (Vec<usize>, Vec<usize>) = (0..self.groups.len()).partition(is_open);
        self.open_groups = open.len();
        self.order = open;
        self.order.extend(done);
    }
}
