//! The review desk: compares re-recorded files with the recordings they replace, and collects the decisions.
//!
//! The engine compares the files and sends a [`Review`](crate::ops::review::Review) that grows; the desk keeps the selection
//! and the decisions. Nothing is written before they are applied, which is one step of the journal.

mod actions;
mod applying;
mod deciding;
mod desk;
mod difftool;
mod effects;
mod events;
mod follow;
mod marks;
mod moving;
mod ruling;
#[cfg(test)]
mod tests;

pub use actions::{Reach, ReviewAction, ShownAs};
pub(super) use applying::taken_back;
pub use desk::ReviewDesk;
pub use effects::{Against, LookOrder, PairOrder, ReviewEffect, Shared};
pub use events::{Begun, Layout, PairShown, ReviewEvent, Snapshot, Why};
pub use marks::{Mark, Tally};
pub use ruling::{RuleDraft, Silences};
