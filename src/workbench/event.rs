//! What the engine tells the workbench, and what the workbench asks of it.

use std::path::PathBuf;
use std::sync::Arc;

use super::action::Theme;
use super::batch::Batch;
use super::incident::{ImportEffect, ImportEvent};
use super::library::DocId;
use super::listing::Listing;
use super::live::{LiveEffect, LiveEvent};
use super::news::News;
use super::playback::{PlaybackEffect, PlaybackEvent};
use super::request::{ListKey, ListRequest};
use super::review::{ReviewEffect, ReviewEvent};
use super::seeds::{SeedsEffect, SeedsEvent};
use super::sessions::{SessionsEffect, SessionsEvent};
use super::side_by_side::ThenAndNow;
use super::tapes::{TapesEffect, TapesEvent};
use super::terminal::{RunId, TerminalEffect, TerminalEvent};
use super::working_copy::Revision;
use crate::format::Document;
use crate::ops::Item;
use crate::ops::diff::recordings::Comparison;
use crate::ops::diff::text::TextDiff;
use crate::ops::draft::{Draft, Left};
use crate::ops::edit::Edit;
use crate::ops::merge::Merge;
use crate::ops::regenerate::Template;
use crate::ops::saving::{ReadOnly, SaveFault, Saved};
use crate::ops::search::Completion;
use crate::text::{Source, TextEdit};

/// Something the engine found out. Those that belong to a scan carry its generation; older ones are dropped unread.
#[derive(Clone, Debug)]
pub enum Event {
    /// A scan began; what was open before is gone.
    ScanStarted {
        /// Counts scans; later events of this scan carry the same number.
        generation: u64,
        /// What is being opened.
        project: Project,
    },
    /// Items were read. Their ids follow the order of arrival, from 0 on.
    Found {
        /// Of the scan.
        generation: u64,
        /// In the order of arrival.
        items: Vec<Arc<Item>>,
    },
    /// How far the scan is.
    Progressed {
        /// Of the scan.
        generation: u64,
        /// Files read, and known so far.
        progress: Progress,
    },
    /// Items with the problems that show only beside other items; they take the place of those with the same ids.
    Judged {
        /// Of the scan.
        generation: u64,
        /// As they are now.
        items: Vec<(DocId, Arc<Item>)>,
    },
    /// The scan is over: done, or cancelled.
    ScanEnded {
        /// Of the scan.
        generation: u64,
        /// How it stands at the end.
        progress: Progress,
        /// True when the user stopped it.
        cancelled: bool,
    },
    /// What is open changed on disk since the scan with this generation.
    News(u64, News),
    /// A listing that was asked for.
    Listed(ListKey, Listing),
    /// What could complete the filter of the listing with this key.
    Completed(ListKey, Vec<Completion>),
    /// A file was read again for someone to look at, or could not be, for the reason given.
    Opened(DocId, Result<Arc<Document>, String>),
    /// Two items were compared, or could not be.
    Compared {
        /// Shown at the left.
        left: DocId,
        /// Shown at the right.
        right: DocId,
        /// What differs, or why nobody knows.
        result: Result<Arc<Comparison>, String>,
    },
    /// The source of a recording was looked for, as it was and as it is.
    SourceFound(DocId, Result<Arc<ThenAndNow>, String>),
    /// The bytes that an edit of a value replaces in the text with this name, or why it cannot be made.
    Planned(DocId, Revision, Result<Planned, String>),
    /// The edits that were asked for of many documents, in the scan with this generation.
    PlannedMany(u64, PlannedMany),
    /// The text with this name was read.
    Reread {
        /// The document.
        doc: DocId,
        /// The text.
        revision: Revision,
        /// What it holds.
        document: Arc<Document>,
        /// Its row, as if it were on disk like this.
        item: Option<Arc<Item>>,
    },
    /// What is unsaved in the text with this name.
    ChangesFound(DocId, Revision, Arc<TextDiff>),
    /// The three versions of a document that was changed both here and on disk; the name is that of ours.
    Merged(DocId, Revision, Arc<Merge>),
    /// A document was saved, or not.
    Saved(DocId, Result<Saved, SaveFault>),
    /// A document's text was saved to another file, or not.
    SavedAs {
        /// The document.
        doc: DocId,
        /// The other file, for people.
        path: String,
        /// The text.
        text: Source,
        /// Which file that is.
        to: SavedTo,
        /// How it went.
        result: Result<Saved, SaveFault>,
    },
    /// Something about seeds.
    Seeds(SeedsEvent),
    /// Something about sessions.
    Sessions(SessionsEvent),
    /// Something about tapes.
    Tapes(TapesEvent),
    /// Something about programs that run now.
    Live(LiveEvent),
    /// Something about a review.
    Review(ReviewEvent),
    /// Unsaved edits that earlier runs have left.
    DraftsFound(Left),
    /// The document, if it is open, that unsaved edits with this number belong to.
    Located(u64, Option<DocId>),
    /// Something about an incident that becomes sessions.
    Import(ImportEvent),
    /// What the playback desk waits for.
    Playback(PlaybackEvent),
    /// What became of the run of a command.
    Terminal(RunId, TerminalEvent),
    /// Paths were chosen in a dialog.
    Picked(Vec<PathBuf>),
    /// A file was chosen in which a document is to be saved.
    PickedTarget(DocId, PathBuf),
    /// Something went wrong that the user should know.
    Failed(String),
}

/// What is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The name of the project root's folder.
    pub name: String,
    /// The branch that is checked out, if there is a repository.
    pub branch: Option<String>,
    /// The project root, for people.
    pub root: String,
    /// What was opened, as given.
    pub opened: Vec<PathBuf>,
    /// The command that makes recordings anew, if its `retake.toml` has one.
    pub regenerate: Option<Template>,
    /// The diff tool that its `retake.toml` names.
    pub difftool: Option<String>,
}

/// How far reading is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files read.
    pub read: usize,
    /// Files known so far; grows while folders are still being listed.
    pub known: usize,
    /// Bytes read.
    pub bytes: u64,
    /// Files and folders listed with the reason why they were not opened.
    pub not_opened: usize,
}

/// Which file a document was saved to that the user named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavedTo {
    /// Another one.
    Another,
    /// The one it was read from, after all.
    ItsOwn,
}

/// An edit of a value, ready to be made.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What it is called in the history.
    pub name: String,
    /// The bytes to replace.
    pub edit: TextEdit,
    /// The text as it will be, read.
    pub document: Arc<Document>,
    /// Its row, as if it were on disk like this.
    pub item: Option<Arc<Item>>,
    /// What the user should know: what else reads otherwise now.
    pub remark: Option<String>,
}

/// Edits of many documents, ready to be made as one step.
#[derive(Clone, Debug)]
pub struct PlannedMany {
    /// What was asked for.
    pub batch: Batch,
    /// What the step is called in the history.
    pub name: String,
    /// At most one a document.
    pub edits: Vec<PlannedEdit>,
    /// What cannot be edited, and why: a sentence without a full stop.
    pub left: Vec<(DocId, String)>,
    /// What the user should know of those that can.
    pub remark: Option<String>,
}

/// One edit of many.
#[derive(Clone, Debug)]
pub struct PlannedEdit {
    /// The document.
    pub doc: DocId,
    /// The name of the text it was planned for; `None` for one that was read from disk.
    pub base: Option<Revision>,
    /// That text.
    pub text: Source,
    /// The bytes to replace.
    pub edit: TextEdit,
    /// The text as it will be, read.
    pub document: Arc<Document>,
    /// Its row, as if it were on disk like this.
    pub item: Option<Arc<Item>>,
}

/// A text that is to be written to a document's file.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveOrder {
    /// The document.
    pub doc: DocId,
    /// What is written.
    pub text: Source,
    /// What has to be there now; `None`: no file.
    pub base: Option<Source>,
    /// What is done with a file that is read-only.
    pub read_only: ReadOnly,
}

/// Work on the outside world that the workbench asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Read these files and folders.
    Scan(Vec<PathBuf>),
    /// Stop reading.
    CancelScan,
    /// Make a listing; one that is being made is not wanted any more.
    List(Box<ListRequest>),
    /// Read an item's file again, for someone to look at.
    Read(DocId),
    /// Compare two items.
    Compare {
        /// Shown at the left.
        left: DocId,
        /// Shown at the right.
        right: DocId,
    },
    /// Find the source of a recording as it was, and compare it with what it is now.
    FindSource(DocId),
    /// Nobody waits for a comparison any more.
    CancelSideBySide,
    /// Find the bytes that an edit of a value replaces in the text with this name.
    Plan {
        /// The document.
        doc: DocId,
        /// The text.
        base: Revision,
        /// What is changed.
        edit: Edit,
    },
    /// Find the edits that do this to these documents, in their texts as they are now.
    Batch(Batch, Vec<DocId>),
    /// Work on seeds.
    Seeds(SeedsEffect),
    /// Work on sessions.
    Sessions(SessionsEffect),
    /// Work on tapes.
    Tapes(TapesEffect),
    /// Work on what programs that run now are told.
    Live(LiveEffect),
    /// Work on a review.
    Review(ReviewEffect),
    /// Read a document's text as it is now; this is its name.
    Reread(DocId, Revision),
    /// Find what is unsaved in a document's text as it is now.
    FindChanges(DocId, Revision),
    /// Put the three versions of a document beside each other.
    Merge(DocId, Revision),
    /// Write a text to its file.
    Save(SaveOrder),
    /// Write a document's text to another file.
    SaveAs {
        /// The document.
        doc: DocId,
        /// The other file; it may be there already.
        path: PathBuf,
        /// What is written.
        text: Source,
    },
    /// Keep a document's unsaved edits, in case the program ends.
    Keep(DocId),
    /// Forget what was kept of a document.
    Forget(DocId),
    /// Find the document that these edits belong to.
    Locate(Arc<Draft>),
    /// Forget unsaved edits that an earlier run has left.
    DiscardDraft(u64),
    /// Work on an incident that becomes sessions.
    Import(ImportEffect),
    /// What the playback desk needs.
    Playback(PlaybackEffect),
    /// Run a command, or stop it.
    Terminal(TerminalEffect),
    /// Let the user choose where to save a document.
    PickSave(DocId),
    /// Let the user choose a folder.
    PickFolder,
    /// Let the user choose files.
    PickFiles,
    /// Put text on the clipboard.
    Copy(String),
    /// Keep this for the next start.
    Remember(Remembered),
    /// Close the window.
    Quit,
}

/// What is kept from one start to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// What was open last.
    pub opened: Vec<PathBuf>,
    /// Folders and files opened before, the latest first.
    pub recent: Vec<PathBuf>,
    /// Which colours.
    pub theme: Theme,
}
