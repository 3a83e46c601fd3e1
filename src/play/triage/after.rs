//! Plays failures and sets again after the fixes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::diagnosis::{SetDiagnosis, own_run};
use super::set_files::{FixedSet, SetFiles};
use super::{AssignedFailure, Cause, Triage};
use calls::Pool;

/// Result of the fixes of all causes.
#[derive(Clone, Debug, Default)]
pub struct AfterFixes {
    /// The positions of the failures of which each call finds its answer, in order.
    pub answered: Vec<usize>,
    /// The other failures, and why they still fail, as sentences without a full stop.
    pub failing: Vec<(usize, String)>,
    /// Number of those that contain no request, so that nothing is played.
    pub unplayed: usize,
    /// The changed sets by folder.
    pub sets: BTreeMap<Arc<str>, FixedSet>,
    /// Answers of the changed sets to their own requests.
    pub checks: Vec<SetCheck>,
}

/// Number of wrong answers of a set to the requests of its own recordings, before and after the fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetCheck {
    pub folder: Arc<str>,
    /// The number of requests.
    pub calls: usize,
    /// Number of requests with a wrong answer or none before.
    pub bad_before: usize,
    /// Number of requests with a wrong answer or none now.
    pub bad_after: usize,
}

impl AfterFixes {
    /// Returns the sets that answer fewer of their own requests than before.
    pub fn worse(&self) -> impl Iterator<Item = &SetCheck> {
        self.checks.iter().filter(|check| check.bad_after > check.bad_before)
    }
}

impl Triage {
    /// Applies all fixes in memory, and plays the failures and the changed sets again.
    pub fn after_fixes(&self, sets: &BTreeMap<Arc<str>, SetFiles>, pool: &Pool) -> AfterFixes {
        let mut after = AfterFixes::default();
        for folder in self.fixable_sets() {
            let Some(files) = sets.get(folder) else { continue };
            // The fixes of all causes together, since one file may need several and they may affect each other.
            let fixed_set = files.fixed(&self.fixes_of(folder), pool);
            after.checks.push(check(folder, files, &fixed_set.files));
            after.sets.insert(Arc::clone(folder), fixed_set);
        }
        for step in &self.plan.all.steps {
            let folder = step.path().rsplit_once('/').map_or(".", |(folder, _)| folder);
            after.sets.entry(folder.into()).or_default().steps.push(step.clone());
        }
        for (at, failure) in self.failures.iter().enumerate() {
            let AssignedFailure { folder, diagnosis } = match &failure.result {
                Ok(assigned) => assigned,
                Err(reason) => {
                    after.failing.push((at, reason.clone()));
                    continue;
                }
            };
            if diagnosis.cassette.is_some() {
                let is_answered = diagnosis.cause == Cause::AnsweredNow;
                if is_answered || self.plan.all.answered.contains(&at) {
                    after.answered.push(at);
                } else {
                    after.unplayed += usize::from(self.plan.all.unplayed.contains(&at));
                    after.failing.push((at, diagnosis.cause.title()));
                }
                continue;
            }
            if diagnosis.cause.has_no_request() {
                let reason = match &diagnosis.cause {
                    Cause::RecordingsPresent => diagnosis.cause.title(),
                    cause => {
                        format!("{}; restoring or recording again is not simulated", cause.title())
                    }
                };
                after.failing.push((at, reason));
                after.unplayed += 1;
                continue;
            }
            let fixed_files = after.sets.get(folder).map(|set| &set.files);
            let Some(files) = fixed_files.or(sets.get(folder)) else {
                after.failing.push((at, diagnosis.cause.title()));
                continue;
            };
            if diagnosis.is_answered_by(&failure.failure, files) {
                after.answered.push(at);
                continue;
            }
            // What still fails may do so for another cause than at first.
            let next = SetDiagnosis::new(files).diagnose(&failure.failure);
            let cause = next.map_or_else(|_| diagnosis.cause.clone(), |next| next.cause);
            after.failing.push((at, cause.title()));
        }
        after
    }
}

fn check(folder: &Arc<str>, old_files: &SetFiles, new_files: &SetFiles) -> SetCheck {
    let count_bad =
        |files: &SetFiles| own_run(files).calls.iter().filter(|call| call.verdict.is_bad()).count();
    SetCheck {
        folder: Arc::clone(folder),
        calls: new_files.set.recordings.len(),
        bad_before: count_bad(old_files),
        bad_after: count_bad(new_files),
    }
}
