//! The review desk: compares re-recorded files with the recordings they replace, and collects the decisions.
//!
//! The engine compares the files and sends a [`Review`](crate::ops::review::Review) that grows; the desk keeps the selection
//! and the decisions. Nothing is written before they are applied, which is one step of the journal.

mod actions;
mod applying;
mod deciding;
mod desk;
mod difftool;
mod events;
mod handlers;
mod moving;
mod requests;
mod rule_draft;
mod status;
#[cfg(test)]
mod tests;

pub use actions::{DecisionScope, ReviewAction};
pub use desk::ReviewDesk;
pub use events::{
    PairCall, PairDetails, PairText, ReviewEvent, ReviewSnapshot, ReviewStart, SourceChangeNote,
};
pub use requests::{
    CountLines, PairRequest, PlanReview, ReviewBase, ReviewRequest, SaveDecisions, SaveIgnoreRule,
    WriteReview,
};
pub use rule_draft::{RuleDraft, RulePreview};
pub use status::{DecisionStatus, Tally};
