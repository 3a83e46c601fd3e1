//! The review desk: compares re-recorded files with the recordings they replace, and collects the decisions.
//!
//! The engine compares the files and sends a [`Review`](compare::review::Review) that grows; the desk keeps the selection
//! and the decisions. Nothing is written before they are applied, which is one step of the journal.

mod applying;
mod deciding;
mod desk;
mod difftool;
mod handlers;
mod rule_draft;
mod status;
#[cfg(test)]
mod tests;

pub use desk::{DecisionScope, ReviewAction, ReviewDesk};
pub use status::{DecisionStatus, Tally};
