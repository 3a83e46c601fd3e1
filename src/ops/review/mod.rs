//! Takes made anew, against the takes they replace: what changed, in how many ways, and what is decided about it.
//!
//! The way of it: takes become [pairs](Pair), each pair is compared by structure and read in words, what is noise is set
//! aside, what follows from something else is folded under its first cause, and pairs that changed in the same way stand
//! in one group. [`Decisions`] say what becomes of each pair, and the [ledger] keeps them.

mod align;
mod change;
mod decide;
pub mod ledger;
mod likeness;
mod noise;
mod pair;
mod patch;
mod rule;
mod structure;
#[cfg(test)]
mod tests;

pub use change::{At, Change, ChangeKey, ChangeKind};
pub use decide::{Decision, Decisions, Verdict};
pub use pair::{Pair, PairKey, PairedBy, Take};
pub use rule::{Pattern, Rule};
