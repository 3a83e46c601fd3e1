//! Finds recordings that no run uses, copies, and the largest and oldest recordings.
//!
//! Logs show which recordings a run uses, or playing does: the first requests of the set's machine, or the set's own requests. Where
//! neither shows it for certain, the set is not judged, and none of its recordings is reported as unused.

mod content;
mod judge;
mod logs;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::playback::failure_log::ObservedRun;
use super::playback::{PlayedRequest, RecordingSet};
use document::time::parse_time;

pub(crate) use content::ValueBytes;
pub use content::content_hash;
pub use logs::{RunsOfSets, runs_of_sets};

/// A set, with what shows which of its recordings are used.
#[derive(Clone, Debug)]
pub struct SetUsage {
    /// Its folder, as given.
    pub folder: Arc<str>,
    pub set: Arc<RecordingSet>,
    /// The files of the recordings, by position.
    pub files: Vec<RecordingFile>,
    /// Requests that are played, or runs that were; else the reason why they are unknown, as a sentence without a full stop.
    pub evidence: Result<UsageEvidence, String>,
}

/// Evidence for the recordings of a set that are used.
#[derive(Clone, Debug)]
pub enum UsageEvidence {
    /// The requests of the set itself.
    Itself,
    /// The first requests of the nodes of its machines.
    Machines {
        /// The paths of the machines.
        paths: Vec<Arc<str>>,
        requests: Vec<Arc<PlayedRequest>>,
    },
    /// The runs of the set in logs.
    Logs(Vec<ObservedRun>),
}

/// A file of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingFile {
    /// As given.
    pub path: Arc<str>,
    pub bytes: u64,
    /// As written (ISO 8601).
    pub recorded_at: Option<Arc<str>>,
    /// [`content_hash`] of its request and its answer; `None` for a file that is not a complete recording.
    pub content: Option<Box<str>>,
}

/// Lists that a report has besides unused recordings.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnusedOptions {
    pub duplicates: bool,
    /// Number of the largest recordings.
    pub largest: usize,
    /// Number of the oldest recordings.
    pub oldest: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnusedReport {
    pub unused: Vec<UnusedRecording>,
    pub duplicates: Vec<DuplicateRecording>,
    pub largest: Vec<RecordingFile>,
    pub oldest: Vec<RecordingFile>,
    pub not_judged: Vec<UnjudgedSet>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedRecording {
    pub file: RecordingFile,
    /// As the end of a sentence: `no run in the logs uses it`.
    pub reason: String,
}

/// A recording with the same request and the same answer as an earlier one of its set. It may be needed: where a test makes the same
/// call twice, each copy answers one. Where logs show that no run uses it, it is an [`UnusedRecording`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateRecording {
    pub file: RecordingFile,
    /// The path of the earlier one.
    pub of: Arc<str>,
}

/// A set of which it is unknown which recordings are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnjudgedSet {
    pub folder: Arc<str>,
    /// As a sentence without a full stop.
    pub reason: String,
}

impl SetUsage {
    /// Returns whether it is only known which tools the nodes of its machines offer.
    pub fn is_by_tools(&self) -> bool {
        matches!(self.evidence, Ok(UsageEvidence::Machines { .. }))
    }
}

impl UnusedReport {
    pub fn new(sets: &[SetUsage], options: UnusedOptions) -> Self {
        let mut report = Self::default();
        for usage in sets {
            let unused = match judge::unused(usage) {
                Ok((unused, reason)) => {
                    report.unused.extend(unused.iter().map(|index| UnusedRecording {
                        file: usage.files[*index].clone(),
                        reason: reason.clone(),
                    }));
                    unused
                }
                Err(reason) => {
                    let folder = Arc::clone(&usage.folder);
                    report.not_judged.push(UnjudgedSet { folder, reason });
                    Vec::new()
                }
            };
            if options.duplicates {
                report.duplicates.extend(duplicates(usage, &unused));
            }
        }
        let files = || {
            let files = sets.iter().flat_map(|usage| &usage.files);
            files.filter(|file| file.content.is_some()).cloned()
        };
        report.largest = files().collect();
        report.largest.sort_by_key(|file| Reverse(file.bytes));
        report.largest.truncate(options.largest);
        let recorded_at = |file: &RecordingFile| parse_time(file.recorded_at.as_deref()?);
        report.oldest = files().filter(|file| recorded_at(file).is_some()).collect();
        report.oldest.sort_by_key(recorded_at);
        report.oldest.truncate(options.oldest);
        report
    }
}

/// Finds the copies of earlier recordings. Unused ones are neither copies nor originals: they are listed already. One that answered a
/// call in a log is not a copy, since that call needs it.
fn duplicates(usage: &SetUsage, unused: &[usize]) -> Vec<DuplicateRecording> {
    let set = &usage.set.recordings;
    let is_used = judge::used_in_logs(usage);
    let mut first_ones: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut duplicates = Vec::new();
    for (index, file) in usage.files.iter().enumerate() {
        let Some(content) = file.content.as_deref().filter(|_| !unused.contains(&index)) else {
            continue;
        };
        let first_ones = first_ones.entry(content).or_default();
        // A stored signature may differ although the request is equal, so the two may answer other requests.
        let is_equal = |first: &&usize| {
            let (a, b) = (&set[**first], &set[index]);
            a.comparison == b.comparison && a.is_stored == b.is_stored
        };
        match first_ones.iter().find(is_equal) {
            Some(first) if !is_used[index] => duplicates.push(DuplicateRecording {
                file: file.clone(),
                of: Arc::clone(&usage.files[*first].path),
            }),
            _ => first_ones.push(index),
        }
    }
    duplicates
}
