//! Writes files, and many into one folder, without replacing different ones.

use std::path::{Path, PathBuf};

use super::difference::difference;
use super::output::Output;
use super::{CommandResult, report_error};
use author::saving::{Expected, SaveFailure, Saved};
use engine::save::{self, SaveTarget};
use engine::undo::{FileToWrite, StepRecorder};

/// Whether files are written, and whether existing ones are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteMode {
    /// Nothing is written.
    DryRun,
    /// Existing files are not changed.
    Careful,
    /// Existing files are replaced.
    Force,
}

impl WriteMode {
    pub(super) fn from_flags(dry_run: bool, force: bool) -> Self {
        match (dry_run, force) {
            (true, _) => Self::DryRun,
            (false, true) => Self::Force,
            (false, false) => Self::Careful,
        }
    }
}

/// The result for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WriteOutcome {
    /// It was written, or would be.
    Written,
    /// It exists with the same text.
    Same,
    /// It exists with a different text.
    Conflict(String),
}

/// The destination folder.
pub(super) struct OutputFolder<'a> {
    pub(super) folder: PathBuf,
    /// The root in the arguments.
    pub(super) root: Option<&'a Path>,
    pub(super) mode: WriteMode,
    pub(super) recorder: &'a StepRecorder,
}

impl OutputFolder<'_> {
    /// The path of a file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file into the folder; in a dry run only returns the result.
    pub(super) fn write_file(&self, name: &str, text: &str) -> CommandResult<WriteOutcome> {
        let target = SaveTarget::below(&self.folder, name.as_ref(), self.root)?;
        if self.mode == WriteMode::DryRun {
            return match save::read(&target) {
                Ok(old_bytes) => Ok(compare_existing(&old_bytes, text.as_bytes())),
                Err(fault) => match fault.reason {
                    // Without --dry-run, missing folders are created.
                    SaveFailure::FileGone | SaveFailure::FolderGone => Ok(WriteOutcome::Written),
                    _ => Err(fault.into()),
                },
            };
        }
        let expected =
            if self.mode == WriteMode::Force { Expected::Anything } else { Expected::Nothing };
        write_file(self.recorder, target, text.as_bytes(), expected)
    }

    /// Shows how a file would have changed, or in a dry run what would be written.
    pub(super) fn show(
        &self,
        output: &mut Output,
        path: &str,
        outcome: &WriteOutcome,
        text: &str,
    ) -> std::io::Result<()> {
        match (outcome, self.mode) {
            (WriteOutcome::Conflict(old_text), _) => difference(output, path, old_text, text),
            (WriteOutcome::Written, WriteMode::DryRun) => difference(output, path, "", text),
            _ => Ok(()),
        }
    }
}

/// Writes a file and reports side effects. What only a new file would be written to is compared instead if it exists.
pub(super) fn write_file(
    recorder: &StepRecorder,
    target: SaveTarget,
    bytes: &[u8],
    expected: Expected,
) -> CommandResult<WriteOutcome> {
    match recorder.write(target, bytes, expected) {
        Ok(saved_file) => {
            report_remarks(&saved_file);
            Ok(WriteOutcome::Written)
        }
        Err(fault) => match &fault.reason {
            // Writing the same text again is no conflict, so that a command can be repeated.
            SaveFailure::Exists { theirs, .. } => Ok(compare_existing(theirs, bytes)),
            _ => Err(fault.into()),
        },
    }
}

/// Writes many files and reports side effects. The results are in the order of the files.
pub(super) fn write_files(
    recorder: &StepRecorder,
    files: &[FileToWrite],
) -> Vec<CommandResult<()>> {
    let list = recorder.write_all(files).into_iter();
    list.map(|result| {
        report_remarks(&result?);
        Ok(())
    })
    .collect()
}

fn report_remarks(saved_file: &Saved) {
    saved_file.remarks.iter().for_each(|remark| report_error(&remark.to_string()));
}

fn compare_existing(old_bytes: &[u8], bytes: &[u8]) -> WriteOutcome {
    if old_bytes == bytes {
        WriteOutcome::Same
    } else {
        WriteOutcome::Conflict(String::from_utf8_lossy(old_bytes).into_owned())
    }
}
