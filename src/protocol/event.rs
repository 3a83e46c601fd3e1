//! Events from the engine to the workbench.

use std::sync::Arc;

use super::*;
use author::command_step::CommandStep;
use author::recovered::RecoveredDrafts;
use author::saving::{SaveFault, Saved};
use author::stored_text::StoredText;
use calls::Item;
use calls::media::Medium;
use check::search::Completion;
use document::Document;
use document::diff::text::TextDiff;
use document::merge::Merge;
use document::text::Source;
use play::blame::{CallCommits, FileProvenance};

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
    /// The samples were unpacked.
    SamplesUnpacked(UnpackedSamples),
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
    /// The beginning of a listing that is being made.
    FirstRows(ListKey, LibraryListing),
    /// A listing is ready, or could not be made.
    Listed(ListKey, Result<LibraryListing, String>),
    /// Files were searched for the request with this number, or could not be.
    BodiesSearched(u64, Result<Arc<SearchedBodies>, String>),
    /// The completions for the filter of the listing with this key.
    Completed(ListKey, Vec<Completion>),
    /// The map of a machine was read.
    MapRead(MapKey, Box<ReadMapResult>),
    /// A picture was written to this path, or why not: a sentence without a full stop.
    PictureDrawn(Result<String, String>),
    /// The commits of the calls of a file were found; none if it has no history.
    CommitsFound(CommitsKey, Vec<CallCommits>),
    /// The origin of some files of the request with this number.
    ProvenanceFound(u64, Vec<(DocId, FileProvenance)>),
    /// A change was compared with the text as it is; or the reason that it cannot be made, as a sentence without a full stop.
    ChangePreviewed(PreviewKey, Result<Arc<TextDiff>, String>),
    /// The pictures and sounds of a call were decoded.
    MediaDecoded(MediaKey, Arc<[Medium]>),
    /// The recordings were judged, or could not be.
    Audited(AuditKey, AuditResult),
    /// A file was read again, or could not be, with the reason.
    Opened(DocId, Result<Arc<Document>, String>),
    /// Two items were compared, or could not be.
    Compared {
        /// The left side.
        left: DocId,
        /// The right side.
        right: DocId,
        /// The differences, or the reason of the failure.
        result: Result<Arc<ComparedCalls>, String>,
    },
    /// The source of a recording was looked up, at the time of recording and now.
    SourceFound(DocId, Result<Arc<SourceComparison>, String>),
    /// A change was planned, in the scan with this generation.
    ChangePlanned(u64, PlannedChange),
    /// The changes of a fix were planned, or could not be.
    FixPreviewed(FixPreviewKey, Result<Arc<TextDiff>, String>),
    /// Files were read by a description, or could not be.
    FormatPreviewed(FormatKey, Result<Arc<FormatPreview>, String>),
    /// The places of a replacement were found, or could not be.
    ReplacePlanned(ReplaceKey, Result<Arc<ReplacePreview>, String>),
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
    /// All seeds, as requested with this key.
    SeedsLoaded(SeedsKey, Result<Arc<LoadedSeeds>, String>),
    /// An event of the sessions desk.
    Sessions(SessionsEvent),
    /// An event of the tapes desk.
    Tapes(TapesEvent),
    /// An event of the queue side of the live desk.
    Queue(QueueEvent),
    /// An event of the calls side of the live desk.
    Calls(CallsEvent),
    /// An event of the review desk.
    Review(ReviewEvent),
    /// The latest lines of the log; empty if none is written.
    LogRead(StoredText),
    /// The report of a crash that no window has offered.
    CrashFound(StoredText),
    /// Unsaved edits of earlier runs were found.
    DraftsFound(RecoveredDrafts),
    /// Steps of the command line in the project that can be undone, the last first.
    CommandSteps {
        steps: Vec<CommandStep>,
        /// The command that was undone, or why it was not.
        undone: Option<Result<String, String>>,
    },
    /// The document, if it is open, that recovered edits with this number belong to.
    Located(u64, Option<DocId>),
    /// An event of an import.
    Import(ImportEvent),
    /// An event of the playback desk.
    Playback(PlaybackEvent),
    /// An event of the triage.
    Triage(TriageEvent),
    /// An event of a command run.
    Terminal(RunId, TerminalEvent),
    /// The lookup of a typed path.
    PathFound(String, PathLookup),
    /// The user's own settings were read.
    UserSettings(UserSettingsFile),
    /// An error to report to the user.
    Failed(String),
}
