//! How the review desk is shown: what is reviewed, where in it the user is, and what is decided.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::ShownAs;
use super::effects::{Against, Shared};
use super::events::PairShown;
use super::marks::{Mark, Marks, Tally};
use super::ruling::{RuleDraft, Silences};
use crate::ops::diff::fold::Opened;
use crate::ops::review::{
    Change, ChangeKey, Decision, Decisions, Group, PairKey, Plan, Review, Reviewed, Rule, Verdict,
};
use crate::workbench::library::DocId;

/// How far looking at the takes is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Looking {
    /// Nobody has looked yet.
    #[default]
    Not,
    /// So many pairs of so many were compared.
    At(usize, usize),
    /// Everything was compared.
    Done,
    /// It cannot be done, for this reason.
    Failed(Arc<str>),
}

/// The pair that is shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Pane {
    /// Which one is asked for: the review and its place in it.
    pub(super) of: Option<(Shared<Review>, usize)>,
    pub(super) number: u64,
    pub(super) shown: Option<Arc<PairShown>>,
    pub(super) opened: BTreeMap<usize, Opened>,
    pub(super) change: usize,
}

/// How the review desk is shown.
#[derive(Debug, Default)]
pub struct ReviewDesk {
    pub(super) against: Against,
    pub(super) by_hand: BTreeMap<Arc<str>, Arc<str>>,
    pub(super) number: u64,
    pub(super) looking: Looking,
    /// Something changed since the takes were looked at.
    pub(super) is_dirty: bool,
    pub(super) review: Shared<Review>,
    pub(super) rules: Arc<[Rule]>,
    pub(super) committed_at: Option<i64>,
    pub(super) unread: usize,
    pub(super) decisions: Decisions,
    /// Whether the decisions that were kept were taken over.
    pub(super) is_resumed: bool,
    pub(super) marks: Marks,
    pub(super) group: Option<usize>,
    pub(super) pair: Option<usize>,
    pub(super) doc: Option<DocId>,
    pub(super) pane: Pane,
    pub(super) shown_as: ShownAs,
    pub(super) shows_aside: bool,
    pub(super) shows_follows: bool,
    pub(super) draft: RuleDraft,
    pub(super) silences: Option<Silences>,
    pub(super) plan: Option<Arc<Plan>>,
    /// How many decisions needed no file while the files of the others are being written, which is one step once it is
    /// done; none while nothing is written.
    pub(super) applying: Option<usize>,
    /// The user chose where to be; until then it is where most is to be decided.
    pub(super) is_touched: bool,
    /// Grows with every change of what is shown.
    pub(super) revision: u64,
}

/// What views read.
impl ReviewDesk {
    /// What is reviewed.
    pub fn against(&self) -> &Against {
        &self.against
    }

    /// How far comparing is, in pairs; `None` when nothing is being compared.
    pub fn progress(&self) -> Option<(usize, usize)> {
        match self.looking {
            Looking::At(done, of) => Some((done, of)),
            _ => None,
        }
    }

    /// Whether the takes were looked at, as far as there are any.
    pub fn is_done(&self) -> bool {
        self.looking == Looking::Done
    }

    /// Why there is nothing to review.
    pub fn fault(&self) -> Option<&str> {
        match &self.looking {
            Looking::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    /// All that was found so far.
    pub fn review(&self) -> &Review {
        &self.review
    }

    /// When the old takes were committed, in seconds since 1970 (UTC), if they come from git.
    pub fn committed_at(&self) -> Option<i64> {
        self.committed_at
    }

    /// How many files could not be read.
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// Which folds are open, by section.
    pub fn all_opened(&self) -> &BTreeMap<usize, Opened> {
        &self.pane.opened
    }

    /// What becomes of a pair, if that is decided.
    pub fn verdict(&self, pair: &PairKey) -> Option<&Verdict> {
        self.decisions.verdict(pair)
    }

    /// How all pairs that differ stand.
    pub fn tally(&self) -> Tally {
        self.marks.all
    }

    /// How many groups have something undecided.
    pub fn groups_left(&self) -> usize {
        self.marks.open_groups
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.marks.order.len()
    }

    /// The group in a row of the list, with its place, and how it stands. Those with something undecided come first.
    pub fn group_row(&self, row: usize) -> Option<(usize, &Group, Tally)> {
        let at = *self.marks.order.get(row)?;
        Some((at, self.review.groups.get(at)?, *self.marks.groups.get(at)?))
    }

    /// The row in which the open group stands.
    pub fn open_row(&self) -> Option<usize> {
        let open = self.group?;
        self.marks.order.iter().position(|group| *group == open)
    }

    /// The group that is open, and how it stands.
    pub fn open_group(&self) -> Option<(&Group, Tally)> {
        let at = self.group?;
        Some((self.review.groups.get(at)?, *self.marks.groups.get(at)?))
    }

    /// How a pair stands.
    pub fn mark(&self, pair: usize) -> Mark {
        self.marks.pairs.get(pair).copied().unwrap_or_default()
    }

    /// The place of the selected pair.
    pub fn pair(&self) -> Option<usize> {
        self.pair
    }

    /// The selected pair.
    pub fn selected(&self) -> Option<&Reviewed> {
        self.review.pairs.get(self.pair?)
    }

    /// What was said about the selected pair.
    pub fn decision(&self) -> Option<&Decision> {
        self.decisions.of(&self.selected()?.pair.key())
    }

    /// The selected pair as it is laid out; `None` while that is being done.
    pub fn shown(&self) -> Option<&Arc<PairShown>> {
        self.pane.shown.as_ref()
    }

    /// How pairs are shown.
    pub fn shown_as(&self) -> ShownAs {
        self.shown_as
    }

    /// Which folds of a section are open.
    pub fn opened(&self, section: usize) -> Option<&Opened> {
        self.pane.opened.get(&section)
    }

    /// The change in focus, from 0, among the pair's own.
    pub fn change(&self) -> usize {
        self.pane.change
    }

    /// The change in focus.
    pub fn change_in_focus(&self) -> Option<&Change> {
        self.selected()?.compared.own().nth(self.pane.change)
    }

    /// Whether a change of the selected pair is taken from the old side.
    pub fn is_from_old(&self, change: &ChangeKey) -> bool {
        match self
            .decision()
            .and_then(|decision| decision.verdict.as_ref())
        {
            Some(Verdict::Part(changes)) => changes.contains(change),
            Some(Verdict::Reject) => true,
            _ => false,
        }
    }

    /// Whether what is set aside is shown.
    pub fn shows_aside(&self) -> bool {
        self.shows_aside
    }

    /// Whether what follows from something else is shown.
    pub fn shows_follows(&self) -> bool {
        self.shows_follows
    }

    /// Whether there is a decision to take back.
    pub fn can_undo(&self) -> bool {
        self.decisions.can_undo()
    }

    /// How many decisions are not applied yet.
    pub fn to_apply(&self) -> usize {
        self.marks.to_apply
    }

    /// The rule that is typed, and what it would silence if that is known by now.
    pub fn draft(&self) -> (&RuleDraft, Option<&Silences>) {
        let silences = self.silences.as_ref();
        (
            &self.draft,
            silences.filter(|silences| silences.draft == self.draft),
        )
    }

    /// What applying would write, once it was asked for.
    pub fn plan(&self) -> Option<&Arc<Plan>> {
        self.plan.as_ref()
    }

    /// Old takes that the selected one could be paired with: those without a partner, the nearest first.
    pub fn others(&self) -> Vec<Arc<str>> {
        /// More than these nobody reads through.
        const MOST: usize = 12;
        let Some(new) = self.selected().and_then(|it| it.pair.new.as_ref()) else {
            return Vec::new();
        };
        let alone = self.review.pairs.iter().filter(|it| it.pair.new.is_none());
        let mut alone: Vec<&Arc<str>> = alone
            .filter_map(|it| Some(&it.pair.old.as_ref()?.path))
            .collect();
        let in_common = |path: &str| {
            let same = path.bytes().zip(new.path.bytes());
            same.take_while(|(a, b)| a == b).count()
        };
        alone.sort_by_key(|path| std::cmp::Reverse(in_common(path)));
        alone.into_iter().take(MOST).cloned().collect()
    }

    /// Whether the selected take was paired by the user.
    pub fn is_paired_by_hand(&self) -> bool {
        let new = self.selected().and_then(|it| it.pair.new.as_ref());
        new.is_some_and(|new| self.by_hand.contains_key(&new.path))
    }

    /// Grows with every change of what is shown.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The place of a pair by what names it.
    pub(super) fn find(&self, key: &PairKey) -> Option<usize> {
        let pairs = &self.review.pairs;
        let first = pairs.partition_point(|it| it.pair.path() < &*key.path);
        let same_path = pairs.iter().enumerate().skip(first);
        let mut same_path = same_path.take_while(|(_, it)| it.pair.path() == &*key.path);
        same_path
            .find(|(_, it)| it.pair.key() == *key)
            .map(|(at, _)| at)
    }

    /// The place of the pair at a path.
    pub(super) fn find_path(&self, path: &str) -> Option<usize> {
        let pairs = &self.review.pairs;
        let at = pairs.partition_point(|it| it.pair.path() < path);
        (pairs.get(at)?.pair.path() == path).then_some(at)
    }
}
