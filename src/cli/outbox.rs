//! Writes many files into one folder without replacing different ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::difference::difference;
use super::output::Output;
use super::{CommandError, report_error};
use crate::engine::save::{self, SaveRequest, SaveTarget, save};
use crate::ops::saving::{Expected, ReadOnly, SaveFailure, SaveFault};

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
}

impl OutputFolder<'_> {
    /// The path of a file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file into the folder; in a dry run only returns the result.
    pub(super) fn write_file(&self, name: &str, text: &str) -> Result<WriteOutcome, CommandError> {
        let failure = |fault: SaveFault| CommandError(fault.to_string());
        let target = SaveTarget::below(&self.folder, name.as_ref(), self.root).map_err(failure)?;
        if self.mode == WriteMode::DryRun {
            return match save::read(&target) {
                Ok(there) => Ok(compare_existing(&there, text)),
                Err(fault) => match fault.reason {
                    SaveFailure::FileGone | SaveFailure::FolderGone => Ok(WriteOutcome::Written),
                    _ => Err(failure(fault)),
                },
            };
        }
        target.make_folder().map_err(failure)?;
        let expected = match self.mode {
            WriteMode::Force => Expected::Anything,
            _ => Expected::Nothing,
        };
        let request = SaveRequest {
            target,
            bytes: Arc::from(text.as_bytes()),
            expected,
            read_only: ReadOnly::Refuse,
        };
        match save(&request) {
            Ok(saved) => {
                saved
                    .remarks
                    .iter()
                    .for_each(|remark| report_error(&remark.to_string()));
                Ok(WriteOutcome::Written)
            }
            Err(fault) => match &fault.reason {
                SaveFailure::Exists { theirs, .. } => Ok(compare_existing(theirs, text)),
                _ => Err(failure(fault)),
            },
        }
    }

    /// Shows how a file would have changed, or in a dry run what would be written.
    pub(super) fn show(
        &self,
        output: &mut Output,
        path: &str,
        sent: &WriteOutcome,
        text: &str,
    ) -> std::io::Result<()> {
        match (sent, self.mode) {
            (WriteOutcome::Conflict(there), _) => difference(output, path, there, text),
            (WriteOutcome::Written, WriteMode::DryRun) => difference(output, path, "", text),
            _ => Ok(()),
        }
    }
}

fn compare_existing(there: &[u8], text: &str) -> WriteOutcome {
    if there == text.as_bytes() {
        WriteOutcome::Same
    } else {
        WriteOutcome::Conflict(String::from_utf8_lossy(there).into_owned())
    }
}
