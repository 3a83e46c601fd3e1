//! Plans the file changes that apply the decisions.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cassette;
use super::compare::find_fault;
use super::keep_noise::keep_noise;
use super::old_ids::OldIds;
use super::patch::patch;
use super::structure::{ValueDifference, differences};
use super::{
    Applied, ChangeKey, Decisions, PairKey, Review, ReviewVerdict, Take, TakeChange, TakePair,
};
use calls::source::sha256_hex;
use document::diff::Side;
use document::files::FileStep;

/// Places that the two takes of a pair come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeOrigin {
    /// The new takes are the files; the old ones are in git, or in another folder, which is left alone.
    Elsewhere,
    /// The old takes are the files, and each new one is in the same folder, with [`SIDECAR`] after its name.
    Sidecars,
}

/// End of the name of a pending take: `turn-2.json.new` beside `turn-2.json`.
pub const SIDECAR: &str = ".new";

/// One file to be written, made or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedWrite {
    /// The write; paths are from the project root.
    pub step: FileStep,
    /// The pair that was decided.
    pub pair: PairKey,
}

impl PlannedWrite {
    /// Returns what it leaves at the path of its pair; none where it is about another file.
    pub fn applied(&self) -> Option<Applied> {
        let FileStep::Write { path, after, .. } = &self.step else { return None };
        let sha256 = after.as_deref().map(|bytes| sha256_hex(bytes).into());
        (*path == self.pair.path).then(|| Applied::from_sha256(sha256))
    }

    /// Returns the write that undoes it.
    pub fn inverse(&self) -> Option<Self> {
        Some(Self { step: self.step.inverse()?, pair: self.pair.clone() })
    }
}

/// All files to write, as one step that is undone as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WritePlan {
    /// In the order of the queue.
    pub writes: Vec<PlannedWrite>,
    /// The pairs whose decision needs no write: their files are already as decided.
    pub settled: Vec<PairKey>,
    /// The pairs whose new takes stay as they are although the old noise should be kept, because the diff would not
    /// become smaller.
    pub as_recorded: Vec<PairKey>,
    /// The pairs whose decision cannot be carried out, each with the reason, a sentence without a full stop.
    pub refused: Vec<(PairKey, String)>,
}

type Bytes = Arc<[u8]>;

/// Plans what was decided and is not applied yet.
pub fn plan(review: &Review, decisions: &Decisions, origin: TakeOrigin) -> WritePlan {
    let mut plan = WritePlan::default();
    for reviewed in &review.pairs {
        let (pair, key) = (&reviewed.pair, reviewed.pair.key());
        let decision = decisions.decision(&key).filter(|decision| decision.applied.is_none());
        let Some(verdict) = decision.and_then(|decision| decision.verdict.as_ref()) else {
            continue;
        };
        let output = match verdict {
            ReviewVerdict::Skip | ReviewVerdict::Discuss => continue,
            ReviewVerdict::Accept => Ok(bytes(&pair.new)),
            ReviewVerdict::KeepNoise => keep_noise(pair, &reviewed.compared),
            ReviewVerdict::Reject => Ok(bytes(&pair.old)),
            ReviewVerdict::Part(changes) => partial_bytes(pair, changes).map(Some),
        };
        match output {
            Ok(output) => {
                let to = match verdict {
                    ReviewVerdict::Reject => pair.old.as_ref(),
                    ReviewVerdict::KeepNoise => pair.kept_path(),
                    _ => pair.new.as_ref(),
                };
                // Without noise there was nothing to keep, and equal bytes need no note.
                let has_noise = reviewed.compared.ignored_changes().next().is_some();
                if *verdict == ReviewVerdict::KeepNoise && has_noise && output == bytes(&pair.new) {
                    plan.as_recorded.push(key.clone());
                }
                plan.add(pair, &key, to.map(|take| &**take), output, origin);
            }
            Err(reason) => plan.refused.push((key, reason)),
        }
    }
    plan
}

fn bytes(take: &Option<Arc<Take>>) -> Option<Arc<[u8]>> {
    take.as_ref().map(|take| Arc::clone(&take.bytes))
}

impl WritePlan {
    /// Adds the writes that give the file at the path of `to` the content `kept_bytes`.
    fn add(
        &mut self,
        pair: &TakePair,
        key: &PairKey,
        to: Option<&Take>,
        kept_bytes: Option<Arc<[u8]>>,
        origin: TakeOrigin,
    ) {
        let mut new_files: Vec<(Arc<str>, Option<Bytes>)> = Vec::new();
        let mut old_files: Vec<(Arc<str>, Bytes)> = Vec::new();
        if let Some(new) = &pair.new {
            let path = match origin {
                TakeOrigin::Elsewhere => Arc::clone(&new.path),
                TakeOrigin::Sidecars => format!("{}{SIDECAR}", new.path).into(),
            };
            new_files.push((Arc::clone(&path), None));
            old_files.push((path, Arc::clone(&new.bytes)));
        }
        if let (Some(old), TakeOrigin::Sidecars) = (&pair.old, origin) {
            new_files.push((Arc::clone(&old.path), None));
            old_files.push((Arc::clone(&old.path), Arc::clone(&old.bytes)));
        }
        if let Some(to) = to {
            new_files.retain(|(path, _)| *path != to.path);
            new_files.push((Arc::clone(&to.path), kept_bytes));
        }
        let held =
            |path: &str| old_files.iter().find(|(o, _)| &**o == path).map(|(_, b)| Arc::clone(b));
        new_files.retain(|(path, after)| held(path) != *after);
        // No file is deleted before the one that replaces it is written.
        new_files.sort_by_key(|(_, after)| after.is_none());
        if new_files.is_empty() {
            self.settled.push(key.clone());
        }
        let writes = new_files.into_iter().map(|(path, after)| PlannedWrite {
            step: FileStep::Write { before: held(&path), after, path },
            pair: key.clone(),
        });
        self.writes.extend(writes);
    }
}

/// Returns the new take with these changes reverted to the old take; every other byte stays unchanged.
///
/// # Errors
///
/// The reason that it cannot be done, as a sentence without a full stop.
pub fn partial_bytes(pair: &TakePair, from_old: &BTreeSet<ChangeKey>) -> Result<Arc<[u8]>, String> {
    let (Some(old_take), Some(new_take)) = (&pair.old, &pair.new) else {
        return Err("There is no other take to take changes from".to_owned());
    };
    if from_old.is_empty() {
        return Ok(Arc::clone(&new_take.bytes));
    }
    let (old, new) = (old_take.read(), new_take.read());
    if let Some(fault) = find_fault([Some(&old), Some(&new)]) {
        return Err(format!("{fault}; the file can only be taken as a whole"));
    }
    if let Some(text) = cassette::partial_text(&old, &new, new_take, from_old) {
        return Ok(text?.into_bytes().into());
    }
    let all = differences(&old.tree, &new.tree);
    let is_chosen = |diff: &&ValueDifference<'_>| from_old.contains(&TakeChange::new(diff).key());
    let differences: Vec<&ValueDifference<'_>> = all.iter().filter(is_chosen).collect();
    if differences.len() < from_old.len() {
        return Err("The takes changed since these changes were chosen".to_owned());
    }
    // The old bytes also have the order and the spacing, which no change describes.
    if differences.len() == all.len() {
        return Ok(Arc::clone(&old_take.bytes));
    }
    let text = patch(&new.tree, &differences, Side::Right, &OldIds::default())
        .map_err(|refusal| refusal.to_string())?;
    Ok(text.into_bytes().into())
}
