//! The open project: its facts, the progress of reading it, changes on disk, and the samples.

use std::path::PathBuf;
use std::sync::Arc;

use crate::DocId;
use calls::Item;
use calls::regenerate::Template;

/// The open project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectInfo {
    /// The name of the opened folder, or else of the project root's.
    pub name: String,
    /// The path of the opened folder from the project root; empty for the root itself, and where several paths are open.
    pub folder: String,
    /// The branch that is checked out, if there is a repository.
    pub branch: Option<String>,
    /// The path of the project root, for messages.
    pub root: String,
    /// The opened paths, as given.
    pub opened: Vec<PathBuf>,
    /// The command that re-records, if `retake.toml` has one.
    pub regenerate: Option<Template>,
    /// The diff tool in `retake.toml`.
    pub difftool: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Number of files read.
    pub read: usize,
    /// Number of files; 0 while folders are still being listed.
    pub known: usize,
    pub bytes: u64,
    /// Files and folders that were listed but not opened, each with a reason.
    pub not_opened: usize,
    /// Files and folders that were left out because git ignores them.
    pub ignored: usize,
}

/// A change on disk after the scan.
#[derive(Clone, Debug)]
pub enum DiskChange {
    /// Changed items, with all problems. They replace the items with the same ids, or restore removed ones.
    Changed(Vec<(DocId, Arc<Item>)>),
    /// Changed items, without the problems that depend on other items.
    Seen(Vec<(DocId, Arc<Item>)>),
    /// Files that were written, even if their items are unchanged: documents that are shown must be read again.
    Rewritten(Vec<DocId>),
    /// Removed items. Their ids are not reused.
    Removed(Vec<RemovedItem>),
    /// The current totals.
    Totals(ReadProgress),
    /// Another branch is checked out, or none.
    Branch(Option<String>),
    /// Another commit is checked out, such as one that was made.
    Commit,
    /// The way in which changes are watched from now on.
    Watching(WatchState),
    /// The opened path exists again as another folder: everything has to be read again.
    Replaced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedItem {
    pub doc: DocId,
    /// The new item of the same file, if it was only renamed.
    pub renamed_to: Option<DocId>,
}

/// State of watching changes on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WatchState {
    /// Not watched, or not yet.
    #[default]
    Off,
    /// The system reports each change.
    Live,
    /// All files are scanned again every few seconds.
    Rescanning(WatchFailure),
    /// The opened path no longer exists.
    Gone,
}

/// Reason the system does not report changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchFailure {
    /// It has no watches left.
    NoWatchesLeft,
    /// There were more changes at once than its queue holds.
    TooManyChanges,
    /// It cannot, for this reason.
    Unable(Arc<str>),
}

/// View that the samples show first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleStop {
    /// The library.
    Library,
    /// The sources, of which one has changed so that recordings break.
    Sources,
    /// The sessions that are made of a report.
    Import,
    /// The re-recorded answers.
    Review,
    /// The log of a failed run, in a project with pytest and vcrpy.
    FailedTest,
}

/// A request to unpack the samples into a temporary folder, which are then opened at this stop.
#[derive(Debug)]
pub struct UnpackSamples(pub SampleStop);

/// The samples in a temporary folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpackedSamples {
    /// The folder to open.
    pub project: PathBuf,
    /// The report of which sessions are made, or the log.
    pub incident: PathBuf,
    /// View that is shown first.
    pub stop: SampleStop,
}
