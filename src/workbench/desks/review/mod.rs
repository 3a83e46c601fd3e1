//! The review desk: compares re-recorded files with the recordings they replace, and collects the decisions.
//!
//! The engine compares the files and sends a [`Review`](compare::review::Review) that grows; the desk keeps the selection
//! and the decisions. Nothing is written before they are applied, which is one step of the journal.

mod actions;
mod applying;
mod deciding;
mod desk;
mod difftool;
mod handlers;
mod moving;
mod rule_draft;
mod status;
#[cfg(test)]
mod tests;

pub use actions::{DecisionScope, ReviewAction};
pub use desk::ReviewDesk;
pub use status::{DecisionStatus, Tally};
