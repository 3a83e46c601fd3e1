//! Compares re-recorded takes with the takes that they replace: what changed, in which groups, and what is decided.
//!
//! The way of it: takes become [pairs](Pair) ([`pair_up`]); each pair is [compared](compare()) by structure and read in
//! words, and noise is ignored; in a [`Review`], consequences of other changes are folded under
//! their first cause, and pairs that changed in the same way are in one [`Group`]. [`Decisions`] say what happens to
//! each pair, the [ledger] keeps them, and a [plan](plan()) says what is to be written then.

mod align;
mod candidate;
mod change;
mod compare;
mod decide;
mod group;
pub mod ledger;
mod likeness;
mod lineup;
mod noise;
mod pair;
mod pairing;
mod patch;
mod plan;
mod queue;
#[cfg(test)]
mod rerecorded;
mod rule;
mod structure;
mod subject;
#[cfg(test)]
mod tests;
mod ways;
mod words;

pub use change::{At, Change, ChangeKey, ChangeKind, Follows};
pub use compare::{Compared, Status, compare};
pub use decide::{Applied, Decision, Decisions, Verdict};
pub use group::Group;
pub use noise::Aside;
pub use pair::{Pair, PairKey, PairedBy, Take};
pub use pairing::pair_up;
pub use plan::{Origin, Plan, SIDECAR, Write, part, plan};
pub use queue::{Progress, Review, Reviewed, Silenced, Standing};
pub use rule::{Pattern, Rule};
pub use subject::Subject;
