//! Common content of all reports of a triage, with paths as they were given.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    AfterFixes, AssignedFailure, CassetteDiagnosis, Cause, CauseGroup, RunProgress, Triage,
    TriagedFailure, fix_title, no_recordings,
};
use crate::playback::fixes::REGENERATE;
use calls::file_part::FilePart;
use document::files::{FileStep, FilesChanged, file_name};
use document::text::{counted, listed};
use machine::MachineMap;

/// A triage, ready to print or to share.
#[derive(Debug)]
pub struct TriageReport<'r> {
    pub triage: &'r Triage,
    /// Answers that the run gets now; `None` if nothing has changed since it was read.
    pub progress: Option<&'r RunProgress>,
    /// Result of the fixes, if that was requested.
    pub after: Option<&'r AfterFixes>,
    /// Files that were written.
    pub written: Option<&'r FilesChanged>,
    /// The machines of the sets with failures, by their paths, with their recordings.
    pub maps: Vec<(Arc<str>, MachineMap)>,
    /// Folders as they were given, by folder from the project root.
    folders: HashMap<&'r str, &'r str>,
}

impl<'r> TriageReport<'r> {
    /// Returns the report. `folders` are those that were given in another form than from the project root, by their path from there.
    pub fn new(triage: &'r Triage, folders: HashMap<&'r str, &'r str>) -> Self {
        Self { triage, progress: None, after: None, written: None, maps: Vec::new(), folders }
    }

    /// Returns a folder as it was given.
    pub fn folder<'a>(&'a self, folder: &'a str) -> &'a str {
        let path = self.folders.get(folder).copied().unwrap_or(folder);
        path.strip_prefix("./").unwrap_or(path)
    }

    /// Returns the path of a file as it was given.
    pub fn path(&self, path: &str) -> String {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        match self.folder(folder) {
            "" | "." => file_name(path).to_owned(),
            folder => format!("{folder}/{}", file_name(path)),
        }
    }

    /// Returns the command that shows a recording, by its path.
    pub fn show_recording(&self, path: &str) -> Option<String> {
        // A recording is a file of one call.
        FilePart::Call(1).open_command(&self.path(path))
    }

    /// Returns the command that shows the recording to look at for a failure.
    pub fn show_command(&self, at: usize) -> Option<String> {
        let assigned = self.triage.failures[at].result.as_ref().ok()?;
        let path = assigned.diagnosis.recording.as_ref()?;
        // A recording is a file of one call.
        let call = assigned.diagnosis.cassette.as_ref().and_then(|cassette| cassette.call);
        FilePart::Call(call.unwrap_or(1)).open_command(&self.path(path))
    }

    /// Returns how many failures and causes there are: `37 failures, 2 causes`.
    pub fn title(&self) -> String {
        let failures = self.triage.failures.len();
        if failures == 0 {
            return "No failures".to_owned();
        }
        let causes = counted(self.triage.groups.len(), "cause", "causes");
        let title = format!("{}, {causes}", counted(failures, "failure", "failures"));
        match self.triage.unassigned().count() {
            0 => title,
            unassigned => format!("{title}, {unassigned} not assigned"),
        }
    }

    /// Returns where a failure is: `ci.log:120: a.test.ts > answers`.
    pub fn place(&self, at: usize) -> String {
        let failure = &self.triage.failures[at].failure;
        let place = format!("{}:{}", failure.log(), failure.line);
        let what = failure.test.as_deref().map(str::to_owned).unwrap_or_else(|| failure.title());
        format!("{place}: {}", what.lines().next().unwrap_or_default())
    }

    /// Returns the failures of each set of a group, in the order of the folders.
    pub fn by_set(&self, group: &'r CauseGroup) -> Vec<(&'r Arc<str>, Vec<usize>)> {
        group.by_set(self.triage)
    }

    /// Returns whether each failure of a group is answered since the run was read.
    pub fn is_solved(&self, group: &CauseGroup) -> bool {
        let is_solved = |run: &RunProgress| run.count_of(&group.failures) == group.failures.len();
        self.progress.is_some_and(is_solved)
    }

    /// Returns a group in a few words, as it is now.
    pub fn group_title(&self, group: &CauseGroup) -> String {
        self.progress.map_or_else(|| group.cause.title(), |progress| progress.title(group))
    }

    /// Returns the fix of a group as a sentence without a full stop.
    pub fn fix(&self, group: &CauseGroup) -> Option<String> {
        let restore = self.triage.restore_command(group, self.progress);
        // Restored recordings may need no fix at all, so that comes first.
        if let Some(fix) = group.fix().filter(|_| restore.is_none()) {
            let sets = counted(group.fixable_sets(), "set", "sets");
            let files = counted(group.files(), "file", "files");
            return Some(format!("{} ({files} in {sets})", fix_title(fix)));
        }
        if self.progress.is_some_and(|progress| progress.is_all_restored(group)) {
            return None;
        }
        if matches!(group.cause, Cause::NoRecordings { .. }) {
            return Some(no_recordings::advice(restore));
        }
        if self.cassette(group).is_some() {
            return self.triage.cassette_fix(group);
        }
        group.cause.needs_recording().then(|| format!("Record again with {REGENERATE}"))
    }

    /// Returns the first failure of a group that plays a cassette.
    fn cassette(&self, group: &CauseGroup) -> Option<&'r CassetteDiagnosis> {
        let failures = group.failures.iter().map(|at| &self.triage.failures[*at]);
        let mut assigned = failures.filter_map(|failure| failure.result.as_ref().ok());
        assigned.find_map(|assigned| assigned.diagnosis.cassette.as_ref())
    }

    /// Returns a recording to look at with what is wrong with it, for a group.
    pub fn evidence(&self, group: &CauseGroup) -> Option<String> {
        let mut failures = group.failures.iter().map(|at| &self.triage.failures[*at]);
        failures.find_map(|failure: &TriagedFailure| {
            let AssignedFailure { folder, diagnosis } = failure.result.as_ref().ok()?;
            let evidence = &diagnosis.evidence;
            if matches!(diagnosis.cause, Cause::NoRecordings { .. }) {
                // Evidence begins with the folder from the project root; the report names it as it was given.
                let rest = evidence.strip_prefix(&**folder);
                let path = rest.map(|rest| format!("{}{rest}", self.folder(folder)));
                return Some(path.unwrap_or_else(|| evidence.clone()));
            }
            if diagnosis.cause == Cause::RecordingsPresent {
                let folder = self.folder(folder);
                return (!evidence.is_empty()).then(|| format!("{folder}: {evidence}"));
            }
            if diagnosis.cassette.is_some() && diagnosis.recording.is_none() {
                return (!evidence.is_empty()).then(|| evidence.clone());
            }
            let path = self.path(diagnosis.recording.as_ref()?);
            (!evidence.is_empty()).then(|| format!("{path}: {evidence}"))
        })
    }

    /// Returns what the fixes achieve, as a sentence; `None` if it was not requested.
    pub fn result(&self) -> Option<String> {
        let after = self.after?;
        let all = self.triage.failures.len();
        let answered_count = after.answered.len();
        let failing = (after.failing.len() - after.unplayed, "still fails", "still fail");
        let unplayed = (after.unplayed, "has no request to play", "have no request to play");
        let phrase = |(count, one, many)| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {many}"),
        };
        let phrases = [failing, unplayed].into_iter().filter(|(count, ..)| *count > 0);
        let rest: Vec<String> = phrases.map(phrase).collect();
        let end = match &rest[..] {
            [] => ".".to_owned(),
            rest => format!("; {}:", listed(rest)),
        };
        // Of a test that plays a cassette, a log has only the request that failed.
        let has_cassette = self.triage.groups.iter().any(|group| self.cassette(group).is_some());
        let subject = if has_cassette { "the logged requests of " } else { "" };
        Some(format!(
            "After the fixes, {subject}{answered_count} of {} find their answers{end}",
            counted(all, "failure", "failures")
        ))
    }

    /// Returns what was written or would be, as a sentence; `None` if it was not requested or is nothing.
    pub fn changes(&self) -> Option<String> {
        let after = self.after?;
        let steps = match self.written {
            Some(result) => &result.done.iter().collect::<Vec<_>>(),
            None => &after.sets.values().flat_map(|set| &set.steps).collect::<Vec<_>>(),
        };
        if steps.is_empty() {
            return None;
        }
        let rename_count = steps.iter().filter(|s| matches!(s, FileStep::Rename { .. })).count();
        let others = steps.len() - rename_count;
        let is_written = self.written.is_some();
        let (edits, renames) =
            if is_written { ("written", "renamed") } else { ("to write", "to rename") };
        let parts = [(others, edits), (rename_count, renames)].into_iter().filter(|(c, _)| *c > 0);
        let parts =
            parts.map(|(count, what)| format!("{} {what}", counted(count, "file", "files")));
        let parts: Vec<String> = parts.collect();
        let worse: Vec<_> = after.worse().collect();
        let checks = match &worse[..] {
            // Only sets are played with their own requests, not cassettes.
            [] if after.checks.is_empty() => String::new(),
            [] => "; the changed sets answer their own requests as before".to_owned(),
            [check, ..] => format!(
                "; {} answers {} of its own {} worse than before",
                self.folder(&check.folder),
                check.bad_after - check.bad_before,
                counted(check.calls, "request", "requests"),
            ),
        };
        Some(format!("{}{checks}.", parts.join(", ")))
    }
}
