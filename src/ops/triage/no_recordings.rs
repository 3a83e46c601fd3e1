//! Folders that a client found without recordings.

use std::sync::Arc;

use super::cause::Cause;
use super::diagnosis::Diagnosis;
use crate::ops::playback::fixes::REGENERATE;
use crate::ops::shell::CommandShell;

/// The files that are committed of a folder that has no recordings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmptyFolder {
    /// From the project root; as in the log if nothing of it is committed.
    pub folder: Arc<str>,
    /// Whether the project has such a folder now.
    pub exists: bool,
    /// The number of its recordings in a revision, which is `HEAD` or the one before a commit: `9dc0e85~1`.
    pub committed: Option<(usize, Arc<str>)>,
}

impl EmptyFolder {
    /// Describes the folder, as a sentence without a full stop.
    pub fn describe(&self) -> String {
        let what = if self.exists {
            "the folder has no recordings"
        } else {
            "there is no such folder"
        };
        let empty = format!("{}: {what}", self.folder);
        match &self.committed {
            None => empty,
            Some((count, revision)) => match revision.strip_suffix("~1") {
                Some(commit) => format!("{empty}; commit {commit} removed {count}"),
                None => format!("{empty}; {revision} has {count}"),
            },
        }
    }

    /// Returns why a call that needs it fails.
    pub(super) fn diagnosis(&self) -> Diagnosis {
        let revision = self
            .committed
            .as_ref()
            .map(|(_, revision)| Arc::clone(revision));
        Diagnosis {
            cause: Cause::NoRecordings { revision },
            fixes: Vec::new(),
            recording: None,
            evidence: self.describe(),
            calls: Default::default(),
        }
    }

    /// Returns what to do, as a sentence without a full stop.
    pub fn advice(&self) -> String {
        let revision = self.committed.as_ref().map(|(_, revision)| &**revision);
        advice(revision, [&*self.folder])
    }
}

/// Returns what to do about folders without recordings, as a sentence without a full stop. A revision has them.
pub(super) fn advice<'a>(
    revision: Option<&str>,
    folders: impl IntoIterator<Item = &'a str>,
) -> String {
    let again = format!("ecord again with {REGENERATE}");
    match restore_command(revision, folders) {
        Some(command) => format!("Restore them with `{command}`, or r{again}"),
        None => format!("R{again}"),
    }
}

/// Returns the command that restores folders from a revision that has them; `None` without one, or for a name that
/// cannot be quoted.
pub fn restore_command<'a>(
    revision: Option<&str>,
    folders: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let quoted = folders
        .into_iter()
        .map(|folder| CommandShell::Posix.quote(folder));
    let folders = quoted.collect::<Option<Vec<String>>>()?.join(" ");
    Some(format!("git checkout {} -- {folders}", revision?))
}
