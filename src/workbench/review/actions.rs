//! What is asked of the review desk.

use std::sync::Arc;

use super::effects::Against;
use super::ruling::RuleDraft;
use crate::ops::diff::Side;
use crate::ops::review::{ChangeKey, PairKey, Verdict};

/// What a decision is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// The selected pair.
    Pair,
    /// What is undecided in the group that is open.
    Group,
    /// Whatever is undecided.
    Rest,
}

/// How a pair is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ShownAs {
    /// As its readers would read it.
    #[default]
    Conversation,
    /// As values, both laid out alike.
    Json,
    /// As the files are written.
    Text,
}

/// Something the user asked for at the review desk.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewAction {
    /// Review against something else.
    Against(Against),
    /// Look at the takes again.
    LookAgain,
    /// Open a group, by its id, at the pair to begin with.
    Open(Arc<str>),
    /// Look at a pair.
    Select(PairKey),
    /// Look at a change of the pair, counted from 0 among those that are its own.
    ShowChange(usize),
    /// Show pairs like this.
    ShowAs(ShownAs),
    /// Show or hide what is set aside.
    ToggleAside,
    /// Show or hide what follows from something else.
    ToggleFollows,
    /// Decide.
    Decide(Reach, Verdict),
    /// Take a change of the selected pair from this side.
    Take(ChangeKey, Side),
    /// Take the latest decision back.
    Undo,
    /// Write this note on a pair.
    Note(PairKey, String),
    /// Pair the selected new take with the old one at this path.
    PairWith(Arc<str>),
    /// Pair the selected take as the program does.
    PairAsFound,
    /// Begin a rule that sets differences like the selected one aside.
    DraftRule,
    /// The rule as it is typed by now.
    TypeRule(RuleDraft),
    /// Keep the rule in the project's file.
    KeepRule,
    /// Show what applying would write.
    ProposeApply,
    /// Write what is shown.
    Apply,
    /// Propose the user's own diff tool for the selected pair.
    OpenDifftool,
}
