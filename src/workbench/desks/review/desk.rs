//! The view state of the review desk: the review, the selection and the decisions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::status::{DecisionStatus, DecisionStatuses, Tally};
use crate::Core;
use compare::review::{
    ChangeKey, Decision, Decisions, IgnoreRule, LineCounts, PairKey, Review, ReviewGroup,
    ReviewVerdict, Reviewed, TakeChange, WritePlan,
};
use document::diff::Side;
use document::diff::fold::OpenFolds;
use document::text::{counted, thousands};
use protocol::{DocId, PairDetails, ReadProgress, ReviewBase, RuleDraft, RulePreview};

/// The progress of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum ReviewState {
    #[default]
    NotStarted,
    /// The number of compared pairs, and of all pairs.
    Comparing(usize, usize),
    /// Completed.
    Done,
    /// Failed, for this reason.
    Failed(Arc<str>),
}

/// The details of the selected pair.
#[derive(Clone, Debug, Default)]
pub struct PairPane {
    /// The requested pair: the review and its position in it.
    pub(super) target: Option<(Arc<Review>, usize)>,
    pub(super) number: u64,
    pub(super) shown: Option<Result<Arc<PairDetails>, String>>,
    pub opened: BTreeMap<usize, OpenFolds>,
    pub change: usize,
    /// The call that the user selected, by its place in [`PairDetails::calls`]; `None` for that of the change.
    pub call: Option<usize>,
}

/// The pairs of a review whose lines are counted: one, then the others of its group.
#[derive(Debug)]
pub(super) struct CountedLines {
    pub(super) review: Arc<Review>,
    pub(super) group: Option<usize>,
    pub(super) first: usize,
}

/// The view state of the review desk.
#[derive(Debug, Default)]
pub struct ReviewDesk {
    pub base: ReviewBase,
    pub(super) manual_pairs: BTreeMap<Arc<str>, Arc<str>>,
    pub(super) number: u64,
    pub(super) state: ReviewState,
    /// Whether files changed since the last comparison.
    pub(super) is_dirty: bool,
    pub review: Arc<Review>,
    pub(super) rules: Arc<[IgnoreRule]>,
    pub unread: usize,
    pub decisions: Decisions,
    /// Whether the saved decisions were loaded.
    pub(super) is_resumed: bool,
    pub statuses: DecisionStatuses,
    /// Numbers of lines that git shows of pairs, with the new file and with the old noise, or why that cannot be kept; without those that
    /// are not counted yet.
    pub(super) line_counts: BTreeMap<usize, Result<LineCounts, String>>,
    /// The pairs whose lines were requested last.
    pub(super) counted: Option<CountedLines>,
    /// The open group, by its position in the review.
    pub group: Option<usize>,
    pub pair: Option<usize>,
    pub doc: Option<DocId>,
    pub pane: PairPane,
    /// Whether the old recordings that the selected new one can be paired with are listed.
    pub shows_partners: bool,
    pub(super) draft: RuleDraft,
    pub(super) rule_preview: Option<RulePreview>,
    pub plan: Option<Arc<WritePlan>>,
    /// Numbers of lines that git shows of all files before and after the plan.
    pub plan_lines: LineCounts,
    /// While files are being written: the pairs whose decision needs no file. `None` while nothing is
    /// written.
    pub(super) applying: Option<Vec<PairKey>>,
    /// For each step of the journal, by the first pair that it wrote: the pairs whose files needed no change.
    pub(super) settled: BTreeMap<PairKey, Vec<PairKey>>,
    /// Whether the user has moved; until then the most important undecided pair is selected.
    pub(super) is_touched: bool,
    /// Grows with every change of what is shown.
    pub revision: u64,
}

/// Getters for the views.
impl ReviewDesk {
    /// The progress of the comparison, in pairs; `None` if none is running.
    pub fn progress(&self) -> Option<(usize, usize)> {
        let ReviewState::Comparing(done_count, total) = self.state else { return None };
        Some((done_count, total))
    }

    /// Returns the progress of reading and comparing, in words; `None` when they are complete, or failed.
    pub fn progress_label(&self, core: &Core) -> Option<String> {
        Some(match (&self.state, core.progress) {
            (ReviewState::Failed(_), _) => return None,
            // Also after a review: it may have been of the files that were read until then.
            (_, Some(ReadProgress { read, known: 0, .. })) => {
                format!("Reading, {} so far", counted(read, "file", "files"))
            }
            (_, Some(ReadProgress { read, known, .. })) => {
                format!("Reading {} of {} files", thousands(read), thousands(known))
            }
            (ReviewState::Done, None) => return None,
            (ReviewState::Comparing(done, of), None) if *of > 0 => {
                format!("Compared {} of {}", thousands(*done), counted(*of, "file", "files"))
            }
            _ => "Looking for changes".to_owned(),
        })
    }

    /// Whether the comparison is complete.
    pub fn is_done(&self) -> bool {
        self.state == ReviewState::Done
    }

    /// Reason there is no review.
    pub fn fault(&self) -> Option<&str> {
        let ReviewState::Failed(reason) = &self.state else { return None };
        Some(reason)
    }

    /// A group by its position in the review, and its counts.
    pub fn group_at(&self, index: usize) -> Option<(&ReviewGroup, Tally)> {
        Some((self.review.groups.get(index)?, *self.statuses.groups.get(index)?))
    }

    /// The open group, and its counts.
    pub fn open_group(&self) -> Option<(&ReviewGroup, Tally)> {
        self.group_at(self.group?)
    }

    /// The status of a pair.
    pub fn status(&self, pair: usize) -> DecisionStatus {
        self.statuses.pairs.get(pair).copied().unwrap_or_default()
    }

    /// The selected pair.
    pub fn selected(&self) -> Option<&Reviewed> {
        self.review.pairs.get(self.pair?)
    }

    /// Whether an undecided pair would overwrite what was edited by hand.
    pub fn overwrites_edits(&self, pair: usize) -> bool {
        let reviewed = self.review.pairs.get(pair);
        let has_edits = reviewed.is_some_and(|reviewed| !reviewed.compared.edits.is_empty());
        has_edits && !self.status(pair).is_decided()
    }

    /// The decision about the selected pair.
    pub fn decision(&self) -> Option<&Decision> {
        self.decisions.decision(&self.selected()?.pair.key())
    }

    /// Numbers of lines that git shows of the selected pair; with the old noise, or why that cannot be kept. `None` while they are
    /// counted.
    pub fn pair_lines(&self) -> Option<Result<LineCounts, &str>> {
        Some(self.line_counts.get(&self.pair?)?.as_ref().copied().map_err(String::as_str))
    }

    /// Numbers of lines that git shows of the open group, without pairs whose old noise cannot be kept. `None` while they are counted.
    pub fn group_lines(&self) -> Option<LineCounts> {
        let (group, _) = self.open_group()?;
        let total: Option<Vec<_>> =
            group.pairs.iter().map(|index| self.line_counts.get(index)).collect();
        Some(total?.into_iter().flatten().fold(LineCounts::default(), |sum, lines| sum.and(*lines)))
    }

    /// The details of the selected pair, or why there are none; `None` while they are computed.
    pub fn shown(&self) -> Option<Result<&Arc<PairDetails>, &str>> {
        Some(self.pane.shown.as_ref()?.as_ref().map_err(String::as_str))
    }

    /// The open folds of a section.
    pub fn opened(&self, section: usize) -> Option<&OpenFolds> {
        self.pane.opened.get(&section)
    }

    pub fn change_in_focus(&self) -> Option<&TakeChange> {
        self.selected()?.compared.direct_changes().nth(self.pane.change)
    }

    /// The call to show, by its place in the details of the pair: the selected one, or that of the change in focus.
    pub fn shown_call(&self) -> usize {
        let Some(Ok(details)) = self.shown() else { return 0 };
        let entry = || {
            let change = self.change_in_focus()?;
            details.calls.iter().position(|call| change.is_in(call.numbers))
        };
        self.pane.call.filter(|index| *index < details.calls.len()).or_else(entry).unwrap_or(0)
    }

    /// Whether the old side of a change was chosen.
    pub fn is_from_old(&self, change: &ChangeKey) -> bool {
        match self.decision().and_then(|decision| decision.verdict.as_ref()) {
            Some(ReviewVerdict::Part(changes)) => changes.contains(change),
            Some(ReviewVerdict::Reject) => true,
            _ => false,
        }
    }

    /// Whether every decision is made and applied.
    pub fn is_applied(&self) -> bool {
        let tally = self.statuses.all;
        self.is_done()
            && self.statuses.to_apply == 0
            && tally.undecided() == 0
            // If all differences are ignored, nothing was decided.
            && tally.done() > tally.count(DecisionStatus::Ignored)
    }

    /// The rule that is being edited, and its preview if that is known.
    pub fn draft(&self) -> (&RuleDraft, Option<&RulePreview>) {
        let silences = self.rule_preview.as_ref();
        // The preview may be of an earlier draft.
        (&self.draft, silences.filter(|silences| silences.draft == self.draft))
    }

    /// Whether the user paired the selected recording.
    pub fn is_paired_by_hand(&self) -> bool {
        let new = self.selected().and_then(|p| p.pair.new.as_ref());
        new.is_some_and(|new| self.manual_pairs.contains_key(&new.path))
    }

    /// The position of the pair with this key.
    pub(super) fn find(&self, key: &PairKey) -> Option<usize> {
        let pairs = &self.review.pairs;
        // The pairs are in the order of their paths.
        let first = pairs.partition_point(|p| p.pair.path() < &*key.path);
        let from_path = pairs.iter().enumerate().skip(first);
        let mut same_path = from_path.take_while(|(_, p)| p.pair.path() == &*key.path);
        same_path.find(|(_, p)| p.pair.key() == *key).map(|(index, _)| index)
    }

    /// The position of the group with this id.
    pub(super) fn find_group(&self, id: &str) -> Option<usize> {
        self.review.groups.iter().position(|group| group.id == id)
    }

    /// The position of the pair at a path.
    pub(super) fn find_path(&self, path: &str) -> Option<usize> {
        let pairs = &self.review.pairs;
        let index = pairs.partition_point(|p| p.pair.path() < path);
        (pairs.get(index)?.pair.path() == path).then_some(index)
    }
}

/// The pairs that a decision applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecisionScope {
    /// The selected pair.
    Pair,
    /// The undecided pairs of the open group, without those to discuss; if there are none, those to discuss; else all.
    Group,
    /// All undecided pairs of the lane of the open group, without those to discuss.
    Lane,
    /// All undecided pairs, without those to discuss.
    Rest,
}

/// An action of the review desk.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewAction {
    /// Sets what to compare with.
    SetBase(ReviewBase),
    /// Compares the recordings again.
    CompareAgain,
    /// Opens a group, by its id, at its first undecided pair.
    Open(Arc<str>),
    Select(PairKey),
    /// Selects a change of the pair, counted from 0 among its own changes.
    ShowChange(usize),
    /// Shows a call of the selected pair, by its place in its details.
    ShowCall(usize),
    Decide(DecisionScope, ReviewVerdict),
    /// Chooses the side of a change of the selected pair.
    ChooseSide(ChangeKey, Side),
    /// Undoes the latest decision.
    Undo,
    /// Sets the note of a pair.
    Note(PairKey, String),
    /// Sets the note of a group, by its id.
    GroupNote(Arc<str>, String),
    /// Shows or hides the old recordings that the selected new one can be paired with.
    TogglePartners,
    /// Pairs the selected new recording with the old one at this path.
    PairWith(Arc<str>),
    /// Pairs the selected recording automatically again.
    PairAsFound,
    /// Starts a rule that ignores differences like the selected one.
    DraftRule,
    /// Sets the values of the rule's form.
    TypeRule(RuleDraft),
    /// Adds the rule to the project's file.
    SaveRule,
    /// Shows what applying the decisions would write.
    ProposeApply,
    /// Applies the decisions as shown.
    Apply,
    /// Shows the command that opens the selected pair in a diff tool.
    OpenDifftool,
}
