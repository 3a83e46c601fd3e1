//! Events from the engine to the workbench, and effects that the workbench requests from the engine.

use std::any::{Any, TypeId};
use std::path::PathBuf;
use std::sync::Arc;

use super::action::Theme;
use super::dialog::Dialog;
use super::disk_changes::DiskChange;
use super::incident::ImportEvent;
use super::library::DocId;
use super::list_request::ListKey;
use super::listing::LibraryListing;
use super::live::LiveEvent;
use super::playback::PlaybackEvent;
use super::review::ReviewEvent;
use super::seeds::SeedsEvent;
use super::sessions::SessionsEvent;
use super::side_by_side::SourceComparison;
use super::tapes::TapesEvent;
use super::task::TaskRequest;
use super::terminal::{RunId, TerminalEvent};
use super::working_copy::Revision;
use crate::format::Document;
use crate::ops::Item;
use crate::ops::change::Change;
use crate::ops::diff::recordings::RecordingComparison;
use crate::ops::diff::text::TextDiff;
use crate::ops::merge::Merge;
use crate::ops::recovered::RecoveredDrafts;
use crate::ops::regenerate::Template;
use crate::ops::saving::{SaveFault, Saved};
use crate::ops::search::Completion;
use crate::text::{Source, TextEdit};

/// An event from the engine. Events of a scan carry its generation; those of older scans are dropped.
#[derive(Clone, Debug)]
pub enum EngineEvent {
    /// A scan started; the previously open files are closed.
    ScanStarted {
        /// Counts scans; later events of this scan carry the same number.
        generation: u64,
        /// The project that is being opened.
        project: ProjectInfo,
    },
    /// Items were read. Their ids follow the order of arrival, starting at 0.
    ItemsFound {
        /// Of the scan.
        generation: u64,
        /// In the order of arrival.
        items: Vec<Arc<Item>>,
    },
    /// The progress of the scan.
    Progressed {
        /// Of the scan.
        generation: u64,
        /// Files read and known so far.
        progress: ReadProgress,
    },
    /// Items with the problems that depend on other items. They replace the items with the same ids.
    ItemsChecked {
        /// Of the scan.
        generation: u64,
        /// The current items.
        items: Vec<(DocId, Arc<Item>)>,
    },
    /// The scan ended: completed or cancelled.
    ScanEnded {
        generation: u64,
        /// The final progress.
        progress: ReadProgress,
        /// True if the user cancelled it.
        cancelled: bool,
    },
    /// Open files changed on disk, in the scan with this generation.
    DiskChanged(u64, DiskChange),
    /// A listing is ready, or could not be made.
    Listed(ListKey, Result<LibraryListing, String>),
    /// The completions for the filter of the listing with this key.
    Completed(ListKey, Vec<Completion>),
    /// A file was read again, or could not be, with the reason.
    Opened(DocId, Result<Arc<Document>, String>),
    /// Two items were compared, or could not be.
    Compared {
        /// The left side.
        left: DocId,
        /// The right side.
        right: DocId,
        /// The differences, or the reason of the failure.
        result: Result<Arc<RecordingComparison>, String>,
    },
    /// The source of a recording was looked up, at the time of recording and now.
    SourceFound(DocId, Result<Arc<SourceComparison>, String>),
    /// A change was planned, in the scan with this generation.
    ChangePlanned(u64, PlannedChange),
    /// The text with this revision was parsed, or could not be.
    Parsed(DocId, Revision, Result<ParsedText, String>),
    /// The unsaved changes of the text with this revision.
    ChangesFound(DocId, Revision, Arc<TextDiff>),
    /// The three versions of a document that was changed both here and on disk; the revision is that of ours.
    Merged(DocId, Revision, Arc<Merge>),
    /// A document was saved, or could not be.
    Saved(DocId, Result<Saved, SaveFault>),
    /// The text of a document was saved to another file, or could not be.
    SavedAs {
        doc: DocId,
        /// The path of the other file, for messages.
        path: String,
        text: Source,
        /// Whether it is the original file.
        to: SaveDestination,
        result: Result<Saved, SaveFault>,
    },
    /// An event of the seeds desk.
    Seeds(SeedsEvent),
    /// An event of the sessions desk.
    Sessions(SessionsEvent),
    /// An event of the tapes desk.
    Tapes(TapesEvent),
    /// An event of the live desk.
    Live(LiveEvent),
    /// An event of the review desk.
    Review(ReviewEvent),
    /// Unsaved edits of earlier runs were found.
    DraftsFound(RecoveredDrafts),
    /// The document, if it is open, that recovered edits with this number belong to.
    Located(u64, Option<DocId>),
    /// An event of an import.
    Import(ImportEvent),
    /// An event of the playback desk.
    Playback(PlaybackEvent),
    /// An event of a command run.
    Terminal(RunId, TerminalEvent),
    /// An error to report to the user.
    Failed(String),
}

/// The open project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectInfo {
    /// The name of the project root's folder.
    pub name: String,
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
    /// Files known so far; grows while folders are still being listed.
    pub known: usize,
    pub bytes: u64,
    /// Files and folders that were listed but not opened, each with a reason.
    pub not_opened: usize,
}

/// Which file a document was saved to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveDestination {
    /// Another one.
    OtherFile,
    /// The file it was read from.
    SameFile,
}

#[derive(Clone, Debug)]
pub struct ParsedText {
    pub document: Arc<Document>,
    /// Its row, as if the text were on disk; `None` when it is no longer open.
    pub item: Option<Arc<Item>>,
}

/// A change, ready to be applied as one step.
#[derive(Clone, Debug)]
pub struct PlannedChange {
    pub change: Change,
    /// The first document, with the revision of its text if it is loaded.
    pub first: (DocId, Option<Revision>),
    /// The name of the step in the history.
    pub name: String,
    /// At most one per document. Documents that would not change have none.
    pub edits: Vec<PlannedEdit>,
    /// Documents that cannot be edited, each with the reason as a sentence without a full stop.
    pub skipped: Vec<(DocId, String)>,
    /// What the user should know about the edits, as sentences without the last full stop.
    pub remark: Option<String>,
    /// The difference, if it is shown before the change is applied.
    pub diff: Option<Arc<TextDiff>>,
}

/// The edit of one document.
#[derive(Clone, Debug)]
pub struct PlannedEdit {
    pub doc: DocId,
    /// The revision it was planned for; `None` for a text that was read from disk.
    pub base: Option<Revision>,
    /// The text it was planned for.
    pub text: Source,
    /// The bytes to replace.
    pub edit: TextEdit,
    /// The text after the edit.
    pub parsed: ParsedText,
}

/// Work that the workbench requests from the engine or the shell.
#[derive(Debug)]
pub enum Effect {
    /// Runs a request in the engine.
    Run(Box<dyn TaskRequest>),
    /// Cancels the running request of this type.
    Cancel(TypeId),
    /// Opens a dialog.
    Pick(Dialog),
    /// Copies text to the clipboard.
    Copy(String),
    /// Stores the state for the next start.
    Remember(Remembered),
    /// Closes the window.
    Quit,
}

impl Effect {
    /// Runs a request in the engine.
    pub fn run(request: impl TaskRequest) -> Self {
        Self::Run(Box::new(request))
    }

    /// Cancels the running request of a type.
    pub fn cancel<T: TaskRequest>() -> Self {
        Self::Cancel(TypeId::of::<T>())
    }

    /// Returns the request, if it is one of this type.
    #[cfg(test)]
    pub(crate) fn request<T: TaskRequest>(&self) -> Option<&T> {
        match self {
            Self::Run(request) => (&**request as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// Returns the request, if it is one of this type.
    pub fn into_request<T: TaskRequest>(self) -> Option<T> {
        let Self::Run(request) = self else {
            return None;
        };
        let request: Box<dyn Any> = request;
        request.downcast().ok().map(|request| *request)
    }
}

/// Effects that print the same are equal: requests have no equality of their own.
#[cfg(test)]
impl PartialEq for Effect {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

/// The state that is stored for the next start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The paths that were open last.
    pub opened: Vec<PathBuf>,
    /// The paths opened before, the latest first.
    pub recent: Vec<PathBuf>,
    /// The color theme.
    pub theme: Theme,
}
