//! Document of the files that a command wrote, as `--json` prints it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

/// The files of a command that writes.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct FilesDocument {
    /// Whether nothing was written: the outcomes are those that a run without --dry-run would have.
    dry_run: bool,
    files: Vec<OutcomeJson>,
    pub(super) summary: FilesSummary,
}

#[derive(Debug, Serialize, JsonSchema)]
struct OutcomeJson {
    path: String,
    outcome: FileOutcome,
    /// Why it was not written; null if it was, or did not have to be.
    reason: Option<String>,
}

/// The result for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FileOutcome {
    Written,
    /// It had this content already.
    Unchanged,
    /// It was left as it is, for the reason given.
    Skipped,
    /// It could not be written.
    Failed,
}

/// The number of files with each outcome.
#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
pub(super) struct FilesSummary {
    pub(super) written: usize,
    pub(super) unchanged: usize,
    pub(super) skipped: usize,
    failed: usize,
}

impl FilesDocument {
    pub(super) fn new(dry_run: bool) -> Self {
        Self { dry_run, ..Self::default() }
    }

    /// Starts with the files that cannot be read completely.
    pub(super) fn with_broken(dry_run: bool, broken: &[(&str, String)]) -> Self {
        let mut files = Self::new(dry_run);
        for (path, reason) in broken {
            files.add_refused(path, FileOutcome::Skipped, reason);
        }
        files
    }

    /// Adds a file that is as it should be.
    pub(super) fn add(&mut self, path: &str, outcome: FileOutcome) {
        self.push(path, outcome, None);
    }

    /// Adds a file that was not written.
    pub(super) fn add_refused(&mut self, path: &str, outcome: FileOutcome, reason: &str) {
        self.push(path, outcome, Some(reason.to_owned()));
    }

    fn push(&mut self, path: &str, outcome: FileOutcome, reason: Option<String>) {
        *match outcome {
            FileOutcome::Written => &mut self.summary.written,
            FileOutcome::Unchanged => &mut self.summary.unchanged,
            FileOutcome::Skipped => &mut self.summary.skipped,
            FileOutcome::Failed => &mut self.summary.failed,
        } += 1;
        self.files.push(OutcomeJson { path: path.to_owned(), outcome, reason });
    }

    /// The files that are as they should be.
    pub(super) fn done(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|file| file.reason.is_none()).map(|file| &*file.path)
    }

    /// The files that were written, or would be.
    pub(super) fn written(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().filter(|file| file.outcome == FileOutcome::Written);
        files.map(|file| &*file.path)
    }
}

/// A path as it is printed, joined with `/`.
pub(super) fn slashed(path: &Path) -> String {
    // Scripts compare paths, which should be the same on every system.
    path.to_string_lossy().replace('\\', "/")
}
