//! Writes many files into one folder without replacing different ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::difference::difference;
use super::output::Output;
use super::{Failure, complain};
use crate::engine::save::{self, SaveRequest, Target, save};
use crate::ops::saving::{Expected, ReadOnly, SaveFailure, SaveFault};

/// Whether files are written, and whether existing ones are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Nothing is written.
    DryRun,
    /// Existing files are not changed.
    Careful,
    /// Existing files are replaced.
    Force,
}

impl Manner {
    pub(super) fn of(dry_run: bool, force: bool) -> Self {
        match (dry_run, force) {
            (true, _) => Self::DryRun,
            (false, true) => Self::Force,
            (false, false) => Self::Careful,
        }
    }
}

/// The result for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// It was written, or would be.
    Written,
    /// It exists with the same text.
    Same,
    /// It exists with a different text.
    Conflict(String),
}

/// The destination folder.
pub(super) struct Outbox<'a> {
    pub(super) folder: PathBuf,
    /// The root in the arguments.
    pub(super) root: Option<&'a Path>,
    pub(super) manner: Manner,
}

impl Outbox<'_> {
    /// The path of a file in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file into the folder; in a dry run only returns the result.
    pub(super) fn send(&self, name: &str, text: &str) -> Result<Sent, Failure> {
        let failure = |fault: SaveFault| Failure(fault.to_string());
        let target = Target::below(&self.folder, name.as_ref(), self.root).map_err(failure)?;
        if self.manner == Manner::DryRun {
            return match save::read(&target) {
                Ok(there) => Ok(met(&there, text)),
                Err(fault) => match fault.reason {
                    SaveFailure::FileGone | SaveFailure::FolderGone => Ok(Sent::Written),
                    _ => Err(failure(fault)),
                },
            };
        }
        target.make_folder().map_err(failure)?;
        let expected = match self.manner {
            Manner::Force => Expected::Anything,
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
                    .for_each(|remark| complain(&remark.to_string()));
                Ok(Sent::Written)
            }
            Err(fault) => match &fault.reason {
                SaveFailure::Exists { theirs, .. } => Ok(met(theirs, text)),
                _ => Err(failure(fault)),
            },
        }
    }

    /// Shows how a file would have changed, or in a dry run what would be written.
    pub(super) fn show(
        &self,
        output: &mut Output,
        path: &str,
        sent: &Sent,
        text: &str,
    ) -> std::io::Result<()> {
        match (sent, self.manner) {
            (Sent::Conflict(there), _) => difference(output, path, there, text),
            (Sent::Written, Manner::DryRun) => difference(output, path, "", text),
            _ => Ok(()),
        }
    }
}

fn met(there: &[u8], text: &str) -> Sent {
    if there == text.as_bytes() {
        Sent::Same
    } else {
        Sent::Conflict(String::from_utf8_lossy(there).into_owned())
    }
}
