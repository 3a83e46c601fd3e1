//! A pair with what was found about it.

use super::{PairComparison, PairStatus, ReviewLane, TakePair};

/// A pair with what was found about it.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// The takes.
    pub pair: TakePair,
    /// The differences.
    pub compared: PairComparison,
    /// The turn before it in its conversation, by its place in the queue.
    pub before: Option<usize>,
    /// The pair in which the conversation first took another course, by its place in the queue, if that is an earlier one.
    pub first_cause: Option<usize>,
    /// Its group, by its index; `None` if nothing differs.
    pub group: Option<usize>,
    /// Its lane: that of its group.
    pub lane: ReviewLane,
}

impl Reviewed {
    /// Returns true if it has to be decided: something differs that is not ignored.
    pub fn needs_decision(&self) -> bool {
        !matches!(self.compared.status, PairStatus::Same | PairStatus::IgnoredOnly)
    }

    /// Returns whether it differs only in what is ignored, perhaps only in its bytes.
    pub fn is_noise(&self) -> bool {
        self.group.is_some() && !self.needs_decision()
    }
}
