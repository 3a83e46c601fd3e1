//! Plays the failures of a run again, against the sets as they are now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cause::Cause;
use super::diagnosis::{SetDiagnosis, describe_present};
use super::no_recordings::restore_command;
use super::set_files::SetFiles;
use super::{
    AssignedFailure, CassetteFiles, CassettePlan, CauseGroup, DiagnosedTest, Triage, all_fixes,
    keep_calls_of_others,
};
use crate::playback::fixes::Fix;
use document::text::lower_first;

/// Answers of the sets as they are now to the failures of a run, and the fixes that remain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunProgress {
    /// By the position of the failure in [`Triage::failures`]: whether each of its calls finds its answer.
    pub answered: Vec<bool>,
    /// By the position of the cause in [`Triage::groups`]: the fixes of each set that still has some, by folder, in the order in which
    /// they are applied.
    pub fixes: Vec<BTreeMap<Arc<str>, Vec<Fix>>>,
    /// The folders in which a client found no recordings and that have some now.
    pub present: BTreeMap<Arc<str>, PresentRecordings>,
    /// The changes of cassettes that remain.
    pub plan: CassettePlan,
}

/// The recordings that a folder has now in which a client found none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PresentRecordings {
    /// Number of the committed files that are there, as a sentence; empty if none is known to be missing.
    missing: String,
    /// Verdict on their own requests, as a sentence; empty if each gets its answer.
    own_requests: String,
}

impl RunProgress {
    /// Returns how many failures are answered.
    pub fn count(&self) -> usize {
        self.answered.iter().filter(|is_answered| **is_answered).count()
    }

    /// Returns how many of some failures are answered.
    pub fn count_of(&self, failures: &[usize]) -> usize {
        let is_answered = |at: &&usize| self.answered.get(**at) == Some(&true);
        failures.iter().filter(is_answered).count()
    }

    /// Describes how the run is answered, as a sentence without a full stop; `None` if nothing is answered.
    pub fn describe(&self) -> Option<String> {
        let (failure_count, answered_count) = (self.answered.len(), self.count());
        let rest = match failure_count - answered_count {
            _ if answered_count == 0 => return None,
            0 => return Some(format!("All {failure_count} answered now")),
            1 => "1 still fails".to_owned(),
            rest => format!("{rest} still fail"),
        };
        Some(format!("{answered_count} of {failure_count} answered now; {rest}"))
    }

    /// Returns whether a folder in which a client found no recordings has all of them now, as far as is known.
    pub fn is_restored(&self, folder: &str) -> bool {
        self.present.get(folder).is_some_and(|present| present.missing.is_empty())
    }

    /// Returns whether all folders of a cause whose client found no recordings have them now.
    pub fn is_all_restored(&self, group: &CauseGroup) -> bool {
        group.cause.has_no_request() && group.fixes.keys().all(|folder| self.is_restored(folder))
    }

    /// Describes a cause in a few words, as its folders are now.
    pub fn title(&self, group: &CauseGroup) -> String {
        let title = match &group.cause {
            // The recordings may have been deleted since the run was read.
            Cause::RecordingsPresent => Cause::NoRecordings { revision: None }.title(),
            cause => cause.title(),
        };
        if self.is_all_restored(group) {
            Cause::RecordingsPresent.title()
        } else if group.fixes.keys().any(|folder| self.present.contains_key(folder)) {
            format!("Some {}", lower_first(&title))
        } else {
            title
        }
    }

    /// Describes the recordings that are there now for a cause whose client found none, in sentences; `None` if there are none.
    pub fn describe_present(&self, group: &CauseGroup) -> Option<String> {
        let folders = group.fixes.keys();
        let present: Vec<_> = folders.filter_map(|f| self.present.get_key_value(f)).collect();
        let place = match (present.len(), group.fixes.len()) {
            (0, _) => return None,
            (some, all) if some < all => format!(" in {some} of {all} folders"),
            _ => String::new(),
        };
        let missing = present.iter().find(|(_, folder)| !folder.missing.is_empty());
        let wrong = present.iter().find(|(_, folder)| !folder.own_requests.is_empty());
        let subject = if missing.is_some() { "Some recordings" } else { "Recordings" };
        let why = Cause::RecordingsPresent.describe();
        let mut text = format!("{subject} are there now{place}. {why}");
        let missing = missing.map(|(folder, recordings)| (folder, &recordings.missing));
        let wrong = wrong.map(|(folder, recordings)| (folder, &recordings.own_requests));
        for (folder, remark) in missing.into_iter().chain(wrong) {
            text += &format!(" {folder}: {remark}");
        }
        Some(text)
    }

    /// Returns the fixes of all causes for each set, by folder.
    pub fn all_fixes(&self) -> BTreeMap<Arc<str>, Vec<Fix>> {
        let mut all: BTreeMap<Arc<str>, Vec<Fix>> = BTreeMap::new();
        for (folder, fixes) in self.fixes.iter().flatten() {
            let folder_fixes = all.entry(Arc::clone(folder)).or_default();
            *folder_fixes = all_fixes([&*folder_fixes, fixes]);
        }
        all
    }
}

impl Triage {
    /// Returns what is known without playing again: nothing has changed since the run was read.
    pub fn first_progress(&self) -> RunProgress {
        let failures = self.failures.iter().map(|failure| {
            failure.result.as_ref().is_ok_and(|result| result.diagnosis.cause == Cause::AnsweredNow)
        });
        let fixes = self.groups.iter().map(|group| {
            let fixes = group.fixes.iter().filter(|(_, fixes)| !fixes.is_empty());
            fixes.map(|(folder, fixes)| (Arc::clone(folder), fixes.clone())).collect()
        });
        let assigned = self.failures.iter().filter_map(|failure| failure.result.as_ref().ok());
        let present =
            assigned.filter(|r| r.diagnosis.cause == Cause::RecordingsPresent).map(|result| {
                let own_requests = result.diagnosis.evidence.clone();
                (
                    Arc::clone(&result.folder),
                    PresentRecordings { own_requests, ..Default::default() },
                )
            });
        RunProgress {
            plan: self.plan.clone(),
            answered: failures.collect(),
            fixes: fixes.collect(),
            present: present.collect(),
        }
    }

    /// Returns the run with the fixes that remain.
    pub fn with_progress(&self, progress: &RunProgress) -> Self {
        let mut triage = self.clone();
        for (group, remaining) in triage.groups.iter_mut().zip(&progress.fixes) {
            for (folder, fixes) in &mut group.fixes {
                *fixes = remaining.get(folder).cloned().unwrap_or_default();
            }
        }
        triage
    }

    /// Plays the calls of all failures, as they were when the run was read, against the sets as they are now.
    pub fn progress(
        &self,
        sets: &BTreeMap<Arc<str>, SetFiles>,
        cassettes: &CassetteFiles,
    ) -> RunProgress {
        let mut progress = RunProgress {
            answered: vec![false; self.failures.len()],
            fixes: vec![BTreeMap::new(); self.groups.len()],
            present: BTreeMap::new(),
            plan: CassettePlan::default(),
        };
        // One for each set, so that failures of one set share the fixes that were tried.
        let mut diagnosing: BTreeMap<&str, SetDiagnosis<'_>> = BTreeMap::new();
        let mut present_tests = Vec::new();
        for (group, remaining) in self.groups.iter().zip(&mut progress.fixes) {
            for at in &group.failures {
                let triaged = &self.failures[*at];
                let Ok(assigned) = &triaged.result else { continue };
                if let Some(test) = triaged.failure.cassette_test() {
                    let Ok(now) = AssignedFailure::of_cassette(test, cassettes) else { continue };
                    let fix = assigned.diagnosis.cassette.as_ref().map(|cassette| &cassette.fix);
                    let is_solved = assigned.diagnosis.cause.is_solved_by(&now.diagnosis.cause)
                        || fix.is_some_and(|fix| fix.is_made(cassettes));
                    progress.answered[*at] = is_solved;
                    let cassette = now.diagnosis.cassette.filter(|_| !is_solved);
                    present_tests.extend(
                        cassette.map(|cassette| (*at, test, now.diagnosis.cause, cassette)),
                    );
                    continue;
                }
                let Some(files) = sets.get(&assigned.folder) else { continue };
                let (failure, diagnosis) = (&triaged.failure, &assigned.diagnosis);
                if diagnosis.cause.has_no_request() {
                    let folder = &assigned.folder;
                    if files.set.recordings.is_empty() || progress.present.contains_key(folder) {
                        continue;
                    }
                    // Git counts files, whether they are recordings or not.
                    let count = files.set.recordings.len() + files.set.skipped.len();
                    let missing = diagnosis.committed.as_ref().map(|c| c.describe_missing(count));
                    let present = PresentRecordings {
                        missing: missing.unwrap_or_default(),
                        own_requests: describe_present(files),
                    };
                    progress.present.insert(Arc::clone(folder), present);
                    // Nothing was played, so only the set's own requests can show whether it needs a fix.
                    let set = diagnosing.entry(folder);
                    let fixes = set.or_insert_with(|| SetDiagnosis::new(files)).own_fixes();
                    if !fixes.is_empty() {
                        remaining.insert(Arc::clone(folder), fixes);
                    }
                    continue;
                }
                if diagnosis.is_answered_by(failure, files) {
                    progress.answered[*at] = true;
                    continue;
                }
                let set =
                    diagnosing.entry(&assigned.folder).or_insert_with(|| SetDiagnosis::new(files));
                let next = set.diagnose_calls(failure, diagnosis.calls.clone());
                let fixes = next.map_or_else(|_| Vec::new(), |next| next.fixes);
                if !fixes.is_empty() {
                    let folder_fixes = remaining.entry(Arc::clone(&assigned.folder)).or_default();
                    *folder_fixes = all_fixes([&*folder_fixes, &fixes]);
                }
            }
        }
        let tests = present_tests.iter_mut().map(|(_, test, cause, cassette)| DiagnosedTest {
            test,
            cause: cause.clone(),
            cassette,
        });
        keep_calls_of_others(&mut tests.collect::<Vec<_>>(), &cassettes.index);
        let fix_at = |at: usize| {
            let (_, _, _, cassette) = present_tests.iter().find(|(other, ..)| *other == at)?;
            Some((at, &cassette.fix))
        };
        progress.plan = CassettePlan::new(&self.groups, fix_at, cassettes);
        progress
    }

    /// Returns the command that restores the folders of a cause from the revision that has them, without those that have all
    /// files since; `None` if nothing is to be restored.
    pub fn restore_command(&self, group: &CauseGroup, run: Option<&RunProgress>) -> Option<String> {
        let Cause::NoRecordings { revision: Some(revision) } = &group.cause else { return None };
        let is_restored = |folder: &str| run.is_some_and(|p| p.is_restored(folder));
        let failures = group.failures.iter().map(|at| &self.failures[*at]);
        let assigned = failures.filter_map(|failure| failure.result.as_ref().ok());
        let missing = assigned.filter(|result| !is_restored(&result.folder));
        let committed = missing.filter_map(|result| result.diagnosis.committed.as_ref());
        let folders: BTreeSet<&str> = committed.map(|c| &*c.path_from_top).collect();
        restore_command(revision, folders)
    }
}
