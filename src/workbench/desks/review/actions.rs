//! Actions of the review desk.

use std::sync::Arc;

use compare::review::{ChangeKey, PairKey, ReviewVerdict};
use document::diff::Side;
use protocol::{ReviewBase, RuleDraft};

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
