//! How many lines git shows of a review.

use std::collections::BTreeMap;

use super::keep_noise::keep_noise;
use super::plan::{PlannedWrite, WritePlan};
use super::{PairKey, Review, Reviewed, Take};
use crate::ops::diff::text::count_changed;
use crate::ops::files::FileStep;

/// How many lines git shows as added or removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// With the new takes.
    pub before: usize,
    /// With what was decided.
    pub after: usize,
}

impl LineCounts {
    /// Counts the lines of a review, of which the decisions of a plan are not applied yet.
    pub fn of_review(review: &Review, plan: &WritePlan) -> Self {
        let mut writes: BTreeMap<&PairKey, Vec<&PlannedWrite>> = BTreeMap::new();
        for write in &plan.writes {
            writes.entry(&write.pair).or_default().push(write);
        }
        let pairs = review.pairs.iter();
        let changed = pairs.filter(|reviewed| !reviewed.pair.is_unchanged());
        changed.fold(Self::default(), |sum, reviewed| {
            let writes = writes.get(&reviewed.pair.key());
            sum.and(Self::of_pair(reviewed, writes.map_or(&[], Vec::as_slice)))
        })
    }

    /// Counts the lines of a pair with these writes of it.
    fn of_pair(reviewed: &Reviewed, writes: &[&PlannedWrite]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let of_take = |take: &Take| text(&take.bytes);
        let [old, new] = [&reviewed.pair.old, &reviewed.pair.new]
            .map(|take| take.as_deref().map(of_take).unwrap_or_default());
        let before = count_changed(&old, &new);
        let mut left: Option<String> = None;
        for write in writes {
            if let FileStep::Write { after, .. } = &write.step {
                let after = after.as_deref().map(text);
                left = after.or(left).or_else(|| Some(String::new()));
            }
        }
        let after = left.map_or(before, |left| count_changed(&old, &left));
        Self { before, after }
    }

    /// Counts the lines of a pair whose old noise would be kept.
    ///
    /// # Errors
    ///
    /// Why that is not possible, as a sentence without a full stop.
    pub fn with_old_noise(reviewed: &Reviewed) -> Result<Self, String> {
        let kept = keep_noise(&reviewed.pair, &reviewed.compared)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let old = reviewed.pair.old.as_deref();
        let old = old.map(|take| text(&take.bytes)).unwrap_or_default();
        let kept = kept.as_deref().map(text).unwrap_or_default();
        Ok(Self {
            after: count_changed(&old, &kept),
            ..Self::of_pair(reviewed, &[])
        })
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            before: self.before + other.before,
            after: self.after + other.after,
        }
    }
}
