//! Folders that a client found without recordings.

use std::sync::Arc;

use crate::playback::fixes::REGENERATE;
use document::shell::CommandShell;
use document::text::counted;

/// The files that are committed of a folder that has no recordings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmptyFolder {
    /// From the project root; as in the log if nothing of it is committed.
    pub folder: Arc<str>,
    /// Whether the project has such a folder now.
    pub exists: bool,
    pub committed: Option<CommittedRecordings>,
}

/// The recordings of a folder in a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommittedRecordings {
    pub count: usize,
    /// `HEAD`, or the one before a commit: `9dc0e85~1`.
    pub revision: Arc<str>,
    /// The folder from the top of the work tree.
    pub path_from_top: Arc<str>,
}

impl CommittedRecordings {
    /// Describes the revision: `commit 9dc0e85 removed 4`.
    fn describe(&self) -> String {
        match self.revision.strip_suffix("~1") {
            // The revision is the parent of the commit that removed them.
            Some(commit) => format!("commit {commit} removed {}", self.count),
            None => format!("{} has {}", self.revision, self.count),
        }
    }

    /// Describes a folder that has fewer files than were committed, as a sentence; empty if it has as many.
    pub(super) fn describe_missing(&self, files: usize) -> String {
        if files >= self.count {
            return String::new();
        }
        let files = counted(files, "file is", "files are");
        format!("{files} there, and {}.", self.describe())
    }
}

impl EmptyFolder {
    /// Describes the folder, as a sentence without a full stop.
    pub fn describe(&self) -> String {
        let what =
            if self.exists { "the folder has no recordings" } else { "there is no such folder" };
        let empty = format!("{}: {what}", self.folder);
        match &self.committed {
            None => empty,
            Some(committed) => format!("{empty}; {}", committed.describe()),
        }
    }

    /// Returns what to do, as a sentence without a full stop.
    pub fn advice(&self) -> String {
        let committed = self.committed.as_ref();
        advice(committed.and_then(|c| restore_command(&c.revision, [&*c.path_from_top])))
    }
}

/// Returns what to do about folders without recordings, as a sentence without a full stop, given the command that restores them.
pub(super) fn advice(restore: Option<String>) -> String {
    let again = format!("ecord again with {REGENERATE}");
    match restore {
        Some(command) => format!("Restore them with `{command}`, or r{again}"),
        None => format!("R{again}"),
    }
}

/// Returns the command that restores folders, given from the top of the work tree; `None` without any, or for a name that cannot
/// be quoted. It is right in each folder of the work tree.
pub(super) fn restore_command<'a>(
    revision: &str,
    folders: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let quoted =
        // `:/` is git's path from the top of the work tree, whatever folder the command runs in.
        folders.into_iter().map(|folder| CommandShell::Posix.quote(&format!(":/{folder}")));
    let folders = quoted.collect::<Option<Vec<String>>>()?.join(" ");
    (!folders.is_empty()).then(|| format!("git checkout {revision} -- {folders}"))
}
