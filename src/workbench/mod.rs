//! The application without window, files or threads: state, actions of the user, and their effects.
//!
//! [`Workbench::receive`] handles events of the engine, [`Workbench::apply`] actions of the user. Both change memory
//! only; work on files is returned as [`Effect`]s.

mod action;
mod apply;
mod batch;
mod command;
mod conflict;
mod core_state;
mod dialog;
mod disk_changes;
mod editing;
mod effect;
mod event;
mod handlers;
mod incident;
mod inspector;
mod items;
mod journal;
mod leaving;
mod library;
mod library_list;
mod link;
mod list_request;
mod listing;
mod live;
mod navigation;
mod pending_changes;
mod planning;
mod playback;
mod problem_list;
mod recovery;
mod regenerate;
mod review;
mod saving;
mod seeds;
mod sessions;
mod showing;
mod side_by_side;
mod sorting;
mod source_list;
mod sources;
mod state;
mod stepping;
mod tapes;
mod task;
mod terminal;
#[cfg(test)]
mod testing;
mod unsaved;
mod view;
mod working_copy;

pub use action::Action;
pub use command::{Command, CommandSection, Shortcut, ShortcutKey, keys_markdown};
pub use conflict::{Conflict, ConflictOrigin, MergeVersions};
pub use core_state::{Core, Notice, ProblemId, ProjectInfo, ReadProgress};
pub use dialog::{Choice, Dialog, DialogKind};
pub use disk_changes::{DiskChange, RemovedItem, WatchFailure, WatchState};
pub use editing::{ParseText, ReadDocument, RefusedEdit};
pub use effect::{Effect, Remembered};
pub use event::EngineEvent;
pub use incident::{
    ConfigChange, DraftPreview, ExistingFile, FetchAction, FetchEvent, FetchField, FetchForm,
    FetchRequest, FetchScope, FetchState, FieldCheck, ImportAction, ImportDesk, ImportEvent,
    ImportSide, ImportState, IncidentSource, LangSmithFetch, LangSmithStatus, LoadedIncident,
    PlanSessions, PlannedFile, PreviewDraft, ReadIncident, RunFilter, SessionPlan, SessionSteps,
    SessionsTarget,
};
pub use inspector::{FindRequest, InspectorPlacement};
pub use items::Items;
pub use journal::{Journal, JournalEntry};
pub use leaving::Leaving;
pub use library::{CurrentDocument, DocId, Library, OpenDocument};
pub use library_list::{LibraryDesk, QuickFilter};
pub use list_request::{ListKey, ListRequest};
pub use listing::{Grouping, LibraryGroup, LibraryListing, LibraryRow, Totals};
pub use live::{
    AnswerDraft, AnswerMethod, AnswerRuleDraft, CallFilter, CallId, CallRows, CallsAction,
    CallsDesk, CallsEvent, ClientKind, ListenRequest, ListenState, ListenerKind, ListenerRun,
    LiveAction, LiveDesk, LiveEvent, LiveSide, NearRecording, NearSet, PendingRequest, QueueAction,
    QueueCommand, QueueDesk, QueueEvent, QueueRequest, RankRequest, RecordForm, RecordRequest,
    RequestId, RequestLogEntry, RequestOutcome, RequestTool, RuleMode, SaveAnswerRule, ServeForm,
    ServeOffer, ServePace, ServeRequest, ServeSelection, StartFault, StartField, UpstreamChoice,
    WatchedQueue,
};
pub use navigation::{Desk, DeskView, Location, StepDirection};
pub use planning::{ParsedText, PlanBatch, PlanChange, PlannedChange, PlannedEdit};
pub use playback::{
    ExplainCall, Explanation, FileChangeRequest, FilePlan, FindSets, FoundMachine, FoundSet,
    FoundSets, LogNote, PasteRefusal, PickKind, PlayFinding, PlayRequest, PlaybackAction,
    PlaybackDesk, PlaybackEvent, PlaybackInput, PlaybackResult, RequestsSource, RunSlot,
    ServableFolder,
};
pub use problem_list::FoundRule;
pub use problem_list::{ProblemsDesk, ProblemsView};
pub use recovery::{DiscardDraft, ForgetDraft, KeepDraft, LocateDraft};
pub use review::{
    DecisionScope, DecisionStatus, PairDetails, PairFormat, PairRequest, PairText, PlanReview,
    PreviewRule, ReviewAction, ReviewBase, ReviewDesk, ReviewEvent, ReviewRequest, ReviewSnapshot,
    ReviewStart, RuleDraft, RulePreview, SaveDecisions, SaveIgnoreRule, SourceChangeNote, Tally,
    WriteReview,
};
pub use saving::{SaveDestination, SaveDocument, SaveDocumentAs, SaveMode, SaveTo};
pub use seeds::{
    FormKind, Grid, GridRow, GridStep, LoadSeeds, LoadedSeeds, ResponsePreview, SeedCell, SeedForm,
    SeedId, SeedsAction, SeedsDesk, SeedsEvent, SeedsKey,
};
pub use sessions::{
    AnswerSource, CheckedInvariant, ConfigFound, ConfigListing, ContractAction, ContractDesk,
    ContractEvent, ContractReport, ContractRequest, FilePlace, FindAnswers, FormCursor,
    FoundAnswers, ListSessions, ListedInConfig, ListedSession, OfferedAnswer, OfferedContract,
    Panel, ReferenceKind, Resolution, RunCommands, RunScope, SessionId, SessionSide, SessionState,
    SessionsAction, SessionsDesk, SessionsEvent, SourceInConfig, TestedAnswer,
};
pub use side_by_side::{
    CompareItems, CompareSourceVersions, CurrentSource, SideBySide, SideBySideContent,
    SourceAsRecorded, SourceComparison,
};
pub use sorting::{LibraryColumn, Sort};
pub use source_list::{FitCounts, SourceColumn, SourceList, SourceName, SourceRow};
pub use sources::{SourceAction, SourceFilter, SourceSort, SourcesDesk};
pub use state::Workbench;
pub use tapes::{
    ChunkDrag, Chunking, CompareAction, CompareEvent, CompareRequest, CompareTapes, ComparedTape,
    ComparisonState, DrawPicture, EndBehavior, FilterDifferences, MakeTape, MakeThumbnails,
    NewTapeAction, NewTapeEvent, NewTapeForm, NewTapeResult, NewTapeSource, PictureEvent,
    PrepareTape, PreviewTapeEdit, RankTapes, Recipe, SaveTape, TapeComparison, TapeEditForm,
    TapeEditKind, TapeState, TapeThumbnail, TapesAction, TapesDesk, TapesEvent, Transport,
    Verification, VerificationRequest, Verified, VerifyAction, VerifyRequest, VerifySource, Zoom,
};
pub use task::{ScanRequest, TaskRequest};
pub use terminal::{
    CommandEnd, CommandOrigin, Ink, NewOutput, OutputLine, Proposal, RunCommand, RunId, RunState,
    Tail, Terminal, TerminalAction, TerminalEvent, TerminalPrompt, TerminalRun,
};
pub use unsaved::FindChanges;
pub use view::{DiffLayout, InspectorTab, Overlay, Theme};
pub use working_copy::{OnDisk, Revision, WorkingCopy};
