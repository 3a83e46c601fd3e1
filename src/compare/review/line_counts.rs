//! Number of lines that git shows of a review.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};
use schemars::JsonSchema;
use serde::Serialize;

use super::keep_noise::keep_noise;
use super::plan::{PlannedWrite, WritePlan};
use super::{PairKey, Review, Reviewed, Take, TakePair};
use document::diff::text::count_changed;
use document::files::FileStep;

/// Number of lines that git shows as added or removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LineCountsJson")]
pub struct LineCounts {
    /// With the new files.
    pub before: usize,
    /// With what was decided in this run.
    pub after: usize,
}

/// The files of a review by their paths: git compares what is at the same path, whatever replaces what.
pub struct LineCounter<'a> {
    old: HashMap<&'a str, &'a Take>,
    new: HashSet<&'a str>,
}

impl<'a> LineCounter<'a> {
    /// Collects the paths of a review.
    pub fn new(review: &'a Review) -> Self {
        let pairs = || review.pairs.iter().map(|reviewed| &reviewed.pair);
        let old = pairs().filter_map(|pair| pair.old.as_deref());
        let new = pairs().filter_map(|pair| pair.new.as_deref());
        Self {
            old: old.map(|take| (&*take.path, take)).collect(),
            new: new.map(|take| &*take.path).collect(),
        }
    }

    /// Counts the lines of a review, of which the decisions of a plan are not applied yet.
    pub fn count_review(&self, review: &Review, plan: &WritePlan) -> LineCounts {
        let mut writes: BTreeMap<&PairKey, Vec<&PlannedWrite>> = BTreeMap::new();
        for write in &plan.writes {
            writes.entry(&write.pair).or_default().push(write);
        }
        let changed = review.pairs.iter().filter(|reviewed| !reviewed.pair.is_unchanged());
        changed.fold(LineCounts::default(), |sum, reviewed| {
            let writes = writes.get(&reviewed.pair.key());
            sum.and(self.count_pair(&reviewed.pair, writes.map_or(&[], Vec::as_slice)))
        })
    }

    /// Counts the lines of a pair whose old noise would be kept.
    ///
    /// # Errors
    ///
    /// The reason that it is not possible, as a sentence without a full stop.
    pub fn count_with_old_noise(&self, reviewed: &Reviewed) -> Result<LineCounts, String> {
        let pair = &reviewed.pair;
        let kept_bytes = keep_noise(pair, &reviewed.compared)?;
        let path = pair.kept_path().map_or("", |take| &*take.path);
        Ok(LineCounts {
            before: self.count_written(pair, pair.new.as_deref().map(written)),
            after: self.count_written(pair, kept_bytes.as_deref().map(|bytes| (path, bytes))),
        })
    }

    /// Counts the lines of a pair with these writes of it.
    fn count_pair(&self, pair: &TakePair, writes: &[&PlannedWrite]) -> LineCounts {
        let count_before = self.count_written(pair, pair.new.as_deref().map(written));
        let writes = writes.iter().filter_map(|write| match &write.step {
            FileStep::Write { path, after, .. } => Some((&**path, after.as_deref())),
            _ => None,
        });
        let writes: Vec<_> = writes.collect();
        let file = writes.iter().find_map(|(path, after)| Some((*path, (*after)?)));
        // Without a write the new file stays as it is.
        let count = if writes.is_empty() { count_before } else { self.count_written(pair, file) };
        LineCounts { before: count_before, after: count }
    }

    /// Counts the lines of a pair of which these bytes are at this path; nothing, if no file of it remains.
    fn count_written(&self, pair: &TakePair, file: Option<(&str, &[u8])>) -> usize {
        // If another new file has the path of the old one, the old one counts for that file.
        let moved = pair.old.as_deref().filter(|old| !self.new.contains(&*old.path));
        let at_path = |path: &str| self.old.get(path).copied();
        let old_take = file.and_then(|(path, _)| at_path(path).or(moved));
        let old_bytes = old_take.map_or(&[][..], |take| &take.bytes);
        let lines = file.map_or(0, |(_, bytes)| count(old_bytes, bytes));
        let removed = moved.filter(|old| old_take.is_none_or(|old_take| old_take.path != old.path));
        lines + removed.map_or(0, |old| count(&old.bytes, &[]))
    }
}

fn written(take: &Take) -> (&str, &[u8]) {
    (&take.path, &take.bytes)
}

fn count(old: &[u8], new: &[u8]) -> usize {
    let [old, new] = [old, new].map(String::from_utf8_lossy);
    count_changed(&old, &new)
}

impl LineCounts {
    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { before: self.before + other.before, after: self.after + other.after }
    }
}
