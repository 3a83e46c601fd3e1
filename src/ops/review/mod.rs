//! Takes made anew, against the takes they replace: what changed, in how many ways, and what is decided about it.
//!
//! The way of it: takes become [pairs](Pair) ([`pair_up`]); each pair is [compared](compare()) by structure and read in
//! words, and what is noise is set aside; put together as a [`Review`], what follows from something else is folded under
//! its first cause, and pairs that changed in the same way stand in one [`Group`]. [`Decisions`] say what becomes of
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
