//! Groups the failures of a whole run by their cause.
//!
//! [`read_log`] reads logs and JUnit reports, [`assign`] finds the set of each failure, and [`Triage::new`] plays each failure again in
//! its set. The fixes that the playback suggests are tried in memory, and the one after which the failing calls find their answers is
//! the cause; failures with the same cause are one [`CauseGroup`]. [`Triage::after_fixes`] plays all failures again as if the fixes were
//! written, and the changed sets with their own requests.

mod after;
mod cassettes;
mod cause;
mod diagnosis;
mod junit;
mod no_recordings;
mod page;
mod progress;
mod report;
mod set_files;
mod shared_log;
mod test_count;
#[cfg(test)]
mod tests;
mod unread_text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::playback::PlaybackRun;
use super::playback::failure_log::{
    FailureKind, FailureLog, LoggedFailure, ObservedRuns, SetIndex, SetOfLog,
};
use super::playback::fixes::Fix;
use super::run_log;
use cassettes::{DiagnosedTest, keep_calls_of_others};
use document::text::{quoted, some};

pub(crate) use junit::{looks_like_junit, read_tests};

pub use after::{AfterFixes, SetCheck};
pub(crate) use cassettes::pytest_command;
pub use cassettes::{
    CassetteCause, CassetteDiagnosis, CassetteFiles, CassetteFix, CassetteIndex, CassettePlan,
    CassetteSteps, RequestPart, ReviewLedger,
};
pub use cause::Cause;
pub use diagnosis::Diagnosis;
pub use no_recordings::{CommittedRecordings, EmptyFolder};
pub use page::page;
pub use progress::{PresentRecordings, RunProgress};
pub use report::TriageReport;
pub use set_files::{FileChange, FixedSet, SetFiles};
pub use shared_log::embed_logs;
pub use test_count::TestCount;
pub use unread_text::describe_unread_text;

/// The failures of a run with their causes.
#[derive(Clone, Debug, Default)]
pub struct Triage {
    /// In the order of the logs.
    pub failures: Vec<TriagedFailure>,
    /// The causes, the one with the most failures first.
    pub groups: Vec<CauseGroup>,
    /// The changes of cassettes that fix them.
    pub plan: CassettePlan,
}

/// A failure, and what is known of it.
#[derive(Clone, Debug)]
pub struct TriagedFailure {
    pub failure: LoggedFailure,
    /// Its cause; else why it has no set, as a sentence without a full stop.
    pub result: Result<AssignedFailure, String>,
}

/// A failure with its set.
#[derive(Clone, Debug)]
pub struct AssignedFailure {
    /// The folder of the set.
    pub folder: Arc<str>,
    pub diagnosis: Diagnosis,
}

/// The failures with one cause.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseGroup {
    pub cause: Cause,
    /// Their positions in [`Triage::failures`], in order.
    pub failures: Vec<usize>,
    /// The fixes of each set, by folder, in the order in which they are applied; empty for a set without a fix.
    pub fixes: BTreeMap<Arc<str>, Vec<Fix>>,
}

/// Returns whether a text is a log of a test run or a JUnit report.
pub fn looks_like_run(text: &str) -> bool {
    junit::looks_like_junit(text)
        || shared_log::embedded_logs(text).is_some()
        || FailureLog::looks_like_log(text)
        // A request or a recording may quote such an error.
        || run_log::has_miss(text) && !text.trim_start().starts_with('{')
        || TestCount::read(text).is_some()
}

/// Reads the failures in a log of a test run, in a JUnit report or in a page with logs; if nothing failed in a log, its runs.
pub fn read_failures(name: &str, text: &str) -> FailureLog {
    if let Some(logs) = shared_log::embedded_logs(text) {
        let mut all = FailureLog::default();
        for (name, text) in logs {
            let log = read_failures(&name, &text);
            all.failures.extend(log.failures);
            all.unread.extend(log.unread);
        }
        return all;
    }
    if junit::looks_like_junit(text) {
        return junit::read(name, text);
    }
    let mut log = FailureLog::read(name, text);
    let is_of_client = FailureLog::looks_like_log(text);
    if is_of_client && !run_log::has_miss(text) {
        return log;
    }
    let tests = run_log::read(text);
    if !tests.is_empty() {
        // Both readers find the tests that runners name as failed; those without output of a client of recordings may play cassettes.
        log.failures.retain(|failure| is_of_client && failure.has_client_output());
        log.failures.extend(tests.into_iter().map(|test| LoggedFailure::of_cassette(name, test)));
    }
    log
}

/// Reads the failures in a log of a test run or in a JUnit report; runs that did not fail are left out.
pub fn read_log(name: &str, text: &str) -> FailureLog {
    let mut log = read_failures(name, text);
    log.failures.retain(is_failed);
    log
}

/// Returns whether the test failed, as far as the log shows.
pub fn is_failed(failure: &LoggedFailure) -> bool {
    !matches!(failure.kind, FailureKind::Run { assertion: None })
}

/// Reads all runs in a log of a test run or in a JUnit report, also those that did not fail.
pub fn read_runs(name: &str, text: &str) -> ObservedRuns {
    if junit::looks_like_junit(text) {
        junit::read_runs(name, text)
    } else {
        FailureLog::read_runs(name, text)
    }
}

/// Removes failures that several logs contain, such as a log and the report of the same run.
pub fn remove_repeated<T>(failures: &mut Vec<T>, failure_of: impl Fn(&T) -> &LoggedFailure) {
    let mut seen = BTreeSet::new();
    failures.retain(|failure| {
        let failure = failure_of(failure);
        // Without the name of its test, nothing shows that it is the same failure.
        let Some(test) = &failure.test else { return true };
        // A log may have more of the error of a client than a report.
        let what = match failure.cassette_test() {
            Some(test) => format!("{:?}", test.phase),
            None => failure.title(),
        };
        seen.insert((Arc::clone(test), what))
    });
}

/// Number of folders that are named if the set is not certain.
const MAX_NAMED_FOLDERS: usize = 3;

/// Finds the folder of the set of a failure. One without recordings is as the log names it.
///
/// # Errors
///
/// Returns the reason why none is certain, as a sentence without a full stop.
pub fn assign(failure: &LoggedFailure, sets: &SetIndex) -> Result<Arc<str>, String> {
    if failure.cassette_test().is_some() {
        return Err("It plays a cassette, which is not in a set".to_owned());
    }
    match failure.set_among(sets) {
        SetOfLog::One(folder) => Ok(folder.folder),
        SetOfLog::Several(folders) => {
            let names = folders.iter().map(|folder| quoted(&folder.folder));
            Err(format!("It may belong to any of {}", some(names, MAX_NAMED_FOLDERS)))
        }
        SetOfLog::Unknown => Err(match &failure.directory {
            // A folder without recordings is no set, but it is known where they belong.
            Some(folder) if failure.lacks_recordings() => return Ok(Arc::clone(folder)),
            None if failure.lacks_recordings() => {
                "The client found no recordings, and nothing in the log names their folder"
                    .to_owned()
            }
            Some(folder) => format!("Its recordings are in {}, which was not read", quoted(folder)),
            None => "Nothing in the log names its set".to_owned(),
        }),
    }
}

impl Triage {
    /// Finds the causes of failures. Each comes with the folder of its set, or why it has none; `sets` are the sets by folder, and
    /// `empty` the folders without recordings, as logs name them. `cassettes` has those that the failures [need](CassetteIndex::needed).
    pub fn new(
        failures: Vec<(LoggedFailure, Result<Arc<str>, String>)>,
        sets: &BTreeMap<Arc<str>, SetFiles>,
        empty: &BTreeMap<Arc<str>, EmptyFolder>,
        cassettes: &CassetteFiles,
    ) -> Self {
        let mut diagnosing: BTreeMap<&str, diagnosis::SetDiagnosis<'_>> = BTreeMap::new();
        let mut diagnose = |failure: &LoggedFailure, folder: Arc<str>| {
            if let Some(empty) = empty.get(&folder) {
                let diagnosis = Diagnosis::of_empty_folder(empty);
                return Ok(AssignedFailure { folder: Arc::clone(&empty.folder), diagnosis });
            }
            let found = sets.get_key_value(&folder);
            let (name, files) = found
                .ok_or_else(|| format!("{} contains no recordings any longer", quoted(&folder)))?;
            let set = diagnosing.entry(name).or_insert_with(|| diagnosis::SetDiagnosis::new(files));
            Ok(AssignedFailure { diagnosis: set.diagnose(failure)?, folder })
        };
        let failures = failures.into_iter().map(|(failure, folder)| {
            let result = match failure.cassette_test() {
                Some(test) => AssignedFailure::of_cassette(test, cassettes),
                None => folder.and_then(|folder| diagnose(&failure, folder)),
            };
            TriagedFailure { failure, result }
        });
        let mut failures: Vec<_> = failures.collect();
        let tests = failures.iter_mut().filter_map(|triaged| {
            let test = triaged.failure.cassette_test()?;
            let Diagnosis { cause, cassette, .. } = &mut triaged.result.as_mut().ok()?.diagnosis;
            Some(DiagnosedTest { test, cause: cause.clone(), cassette: cassette.as_mut()? })
        });
        keep_calls_of_others(&mut tests.collect::<Vec<_>>(), &cassettes.index);
        let groups = group(&failures);
        let fix_at = |at: usize| {
            let assigned = failures[at].result.as_ref().ok()?;
            Some((at, &assigned.diagnosis.cassette.as_ref()?.fix))
        };
        let plan = CassettePlan::new(&groups, fix_at, cassettes);
        Self { groups, failures, plan }
    }

    /// Plays a failure again in its set; `None` if it has none.
    pub fn play(&self, failure: usize, sets: &BTreeMap<Arc<str>, SetFiles>) -> Option<PlaybackRun> {
        let triaged = self.failures.get(failure)?;
        let assigned = triaged.result.as_ref().ok()?;
        if assigned.diagnosis.cassette.is_some() {
            return None;
        }
        Some(assigned.diagnosis.calls.play(&triaged.failure, sets.get(&assigned.folder)?))
    }

    /// Returns the command that records the tests of a cause again that play cassettes; `None` if that is not needed, or is not known.
    pub fn record_command(&self, group: &CauseGroup) -> Option<String> {
        cassettes::record_command(&self.cassette_fixes(group))
    }

    /// Returns what fixes the failures of a cause that play cassettes, as a sentence without a full stop; `None` if nothing does.
    pub fn cassette_fix(&self, group: &CauseGroup) -> Option<String> {
        cassettes::describe_fixes(&self.cassette_fixes(group))
    }

    fn cassette_fixes(&self, group: &CauseGroup) -> Vec<&CassetteFix> {
        let failures = group.failures.iter().map(|at| &self.failures[*at]);
        let assigned = failures.filter_map(|failure| failure.result.as_ref().ok());
        assigned.filter_map(|result| Some(&result.diagnosis.cassette.as_ref()?.fix)).collect()
    }

    /// Returns the positions of the failures whose cause is unknown.
    pub fn unexplained(&self) -> impl Iterator<Item = usize> {
        let failures = self.failures.iter().enumerate();
        let is_unexplained = |failure: &TriagedFailure| match &failure.result {
            Ok(assigned) => !assigned.diagnosis.cause.is_explained(),
            Err(_) => true,
        };
        failures.filter(move |(_, failure)| is_unexplained(failure)).map(|(at, _)| at)
    }

    /// Returns the heading of the failures without a set, or also without a cassette.
    pub fn unassigned_heading(&self) -> &'static str {
        let is_of_cassette =
            |(at, _): (usize, &str)| self.failures[at].failure.cassette_test().is_some();
        if self.unassigned().any(is_of_cassette) { "Not assigned" } else { "Not assigned to a set" }
    }

    /// Returns the positions of the failures without a set.
    pub fn unassigned(&self) -> impl Iterator<Item = (usize, &str)> {
        let failures = self.failures.iter().enumerate();
        failures.filter_map(|(at, failure)| Some((at, failure.result.as_ref().err()?.as_str())))
    }

    /// Returns all fixes of a set, each once, in the order in which they are applied: those that rename files come last.
    pub fn fixes_of(&self, folder: &str) -> Vec<Fix> {
        all_fixes(self.groups.iter().filter_map(|group| group.fixes.get(folder)))
    }

    /// Returns the folders of the sets that have a fix.
    pub fn fixable_sets(&self) -> Vec<&Arc<str>> {
        let groups = self.groups.iter().flat_map(|group| &group.fixes);
        let fixable = groups.filter(|(_, fixes)| !fixes.is_empty());
        let mut folders: Vec<_> = fixable.map(|(folder, _)| folder).collect();
        folders.sort_unstable();
        folders.dedup();
        folders
    }
}

impl AssignedFailure {
    /// Finds the cassette and the cause of a failed test.
    fn of_cassette(test: &run_log::FailedTest, files: &CassetteFiles) -> Result<Self, String> {
        let (cause, evidence, cassette) = cassettes::diagnose(test, files)?;
        let near = cassette.path.as_deref().or(test.test.file.as_deref()).unwrap_or_default();
        let folder = near.rsplit_once('/').map_or(".", |(folder, _)| folder).into();
        Ok(Self { folder, diagnosis: Diagnosis::of_cassette(cause, evidence, cassette) })
    }
}

impl CauseGroup {
    /// Returns how many sets have a fix.
    pub fn fixable_sets(&self) -> usize {
        self.fixes.values().filter(|fixes| !fixes.is_empty()).count()
    }

    /// Returns its failures by the folder of their set, in the order of the folders.
    pub fn by_set(&self, triage: &Triage) -> Vec<(&Arc<str>, Vec<usize>)> {
        let mut sets: BTreeMap<&Arc<str>, Vec<usize>> = BTreeMap::new();
        for at in &self.failures {
            let assigned = triage.failures[*at].result.as_ref().ok();
            let entry = assigned.and_then(|assigned| self.fixes.get_key_value(&assigned.folder));
            if let Some((folder, _)) = entry {
                sets.entry(folder).or_default().push(*at);
            }
        }
        sets.into_iter().collect()
    }

    /// Returns how many files its fixes change or rename, at most.
    pub fn files(&self) -> usize {
        let files = |fixes: &Vec<Fix>| {
            // Several fixes may change one file.
            let mut all: Vec<usize> = fixes.iter().flat_map(Fix::recordings).copied().collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        self.fixes.values().map(files).sum()
    }

    /// Returns the first of its fixes.
    pub fn fix(&self) -> Option<&Fix> {
        self.fixes.values().find_map(|fixes| fixes.first())
    }
}

fn group(failures: &[TriagedFailure]) -> Vec<CauseGroup> {
    let mut groups: Vec<CauseGroup> = Vec::new();
    for (at, failure) in failures.iter().enumerate() {
        let Ok(AssignedFailure { folder, diagnosis }) = &failure.result else { continue };
        // A list, not a map: causes have no hash, and a run has few of them.
        let common = groups
            .iter()
            .enumerate()
            .find_map(|(index, group)| Some((index, group.cause.common(&diagnosis.cause)?)));
        let (index, cause) = common.unwrap_or((groups.len(), diagnosis.cause.clone()));
        if index == groups.len() {
            let (failures, fixes) = Default::default();
            groups.push(CauseGroup { cause: cause.clone(), failures, fixes });
        }
        let group = &mut groups[index];
        group.cause = cause;
        group.failures.push(at);
        let fixes = group.fixes.entry(Arc::clone(folder)).or_default();
        *fixes = all_fixes([&*fixes, &diagnosis.fixes]);
    }
    // Groups of the same size stay in the order of the logs.
    groups.sort_by_key(|group| std::cmp::Reverse(group.failures.len()));
    groups
}

/// Describes a fix of any number of sets, in the imperative.
pub fn fix_title(fix: &Fix) -> String {
    match fix {
        Fix::RenameTool { from, to, .. } => format!("Rename {} to {}", quoted(from), quoted(to)),
        fix => fix.title().trim_end_matches('…').to_owned(),
    }
}

/// Returns each fix once; those that rename or copy files last, since they change the positions.
pub fn all_fixes<'a>(lists: impl IntoIterator<Item = &'a Vec<Fix>>) -> Vec<Fix> {
    let mut all: Vec<Fix> = Vec::new();
    for fix in lists.into_iter().flatten() {
        if !all.contains(fix) {
            all.push(fix.clone());
        }
    }
    all.sort_by_key(|fix| fix.edited().is_empty());
    all
}
