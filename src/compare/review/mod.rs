//! Compares re-recorded takes with the takes that they replace: what changed, in which groups, and what is decided.
//!
//! Takes become [pairs](TakePair) ([`pair_up`]); each pair is [compared](compare()) by structure and read in
//! words, and noise is ignored; cassettes are compared by their calls; in a [`Review`], consequences of other changes are folded under
//! their first cause, and pairs that changed in the same way are in one [`ReviewGroup`]. [`Decisions`] say what happens to
//! each pair, the [ledger] keeps them, and a [plan](plan()) says what is to be written then.

mod align;
mod candidate;
mod cassette;
mod change;
mod change_pattern;
mod compare;
mod decide;
mod describe;
mod evidence;
mod first_difference;
mod group;
mod hand_edit;
mod ignore_rule;
mod keep_noise;
mod lane;
pub mod ledger;
mod line_counts;
mod lineup;
mod noise;
mod old_ids;
mod pair;
mod pairing;
mod partner;
mod patch;
mod plan;
mod queue;
#[cfg(test)]
mod rerecorded_tests;
mod reviewed;
mod run;
mod shared_change;
mod similarity;
mod structure;
mod subject;
#[cfg(test)]
mod tests;

pub use cassette::{RecordedAnswers, aligned_calls, decoded_values};
pub use change::{AlignedCalls, CallPlace, ChangeKey, Follows, TakeChange, TakeValue};
pub use compare::{ComparisonFault, FileFault, PairComparison, PairStatus, compare, count_reasons};
pub use decide::{Applied, Decision, Decisions, ReviewVerdict};
pub use first_difference::FirstDifference;
pub use group::ReviewGroup;
pub use hand_edit::{EditedCall, HandEdit, RecordedTake, find_overwritten};
pub use ignore_rule::{IgnoreRule, PointerPattern};
pub use keep_noise::keep_noise;
pub use lane::ReviewLane;
pub use line_counts::{LineCounter, LineCounts};
pub use noise::IgnoreReason;
pub use pair::{PairKey, PairedBy, Take, TakePair};
pub use pairing::{EachNumber, pair_up, pair_up_with};
pub use partner::PartnerCandidate;
pub use patch::value_edits;
pub use plan::{PlannedWrite, SIDECAR, TakeOrigin, WritePlan, partial_bytes, plan};
pub use queue::{Review, ReviewProgress, RuleEffect, TurnStatus};
pub use reviewed::Reviewed;
pub use run::{RunComparison, compare_runs};
pub use shared_change::{SharedChange, shared_changes};
pub use structure::ChangeKind;
pub use subject::ChangeSubject;
