//! The application without window, files or threads: state, actions of the user, and their effects.
//!
//! [`Workbench::receive`] handles events of the engine, [`Workbench::apply`] actions of the user. Both change memory
//! only; work on files is returned as [`Effect`]s.
//!
//! `core/` is what all desks share, `desks/` has the desks, `handlers/` what commands do. `state.rs` receives events, `apply.rs`
//! applies actions, `stepping.rs` moves selections, `path.rs` opens typed paths.

mod action;
mod apply;
mod core;
mod desks;
mod event;
mod handlers;
mod path;
mod request;
mod state;
mod stepping;
#[cfg(test)]
mod testing;

pub use action::{Action, DeskAction};
pub use core::body_search::{BodySearch, SearchBodies, SearchProgress, SearchedBodies};
pub use core::call_commits::{CommitsKey, FindCommits, SelectedCommits};
pub use core::command::{
    Command, CommandSection, Keymap, Shortcut, ShortcutKey, ids_markdown, keys_markdown,
};
pub use core::command_steps::{ListCommandSteps, UndoCommandStep};
pub use core::conflict::{Conflict, ConflictOrigin};
pub use core::dialog::{Choice, Dialog, DialogKind};
pub use core::disk_changes::{DiskChange, RemovedItem, WatchFailure, WatchState};
pub use core::editing::{ParseText, ReadDocument, RefusedEdit};
pub use core::effect::{Effect, Remembered, WindowSize};
pub use core::findings::{Finding, FindingKind};
pub use core::inspector::{FindRequest, InspectorPlacement};
pub use core::items::Items;
pub use core::journal::{Journal, JournalEntry};
pub use core::leaving::Leaving;
pub use core::library::{CurrentDocument, DocId, Library, OpenDocument, ProblemId};
pub use core::library_list::LibraryList;
pub use core::list_request::{ListKey, ListRequest};
pub use core::listing::{
    CASSETTE_RULES, CassettePlayer, Grouping, LibraryGroup, LibraryListing, LibraryRow, ListTarget,
    Totals,
};
pub use core::navigation::{Desk, DeskView, Location, StepDirection};
pub use core::path_field::{LookUpPath, PathAction, PathField, PathKind, PathLookup};
pub use core::picture::DrawPicture;
pub use core::planning::{ParsedText, PlanBatch, PlanChange, PlannedChange, PlannedEdit};
pub use core::project_view::{ProjectView, Sizes};
pub use core::proposal::{CommandOrigin, Proposal, TerminalPrompt};
pub use core::recovery::{DiscardDraft, ForgetDraft, KeepDraft, LocateDraft};
pub use core::replacing::{
    PlanReplace, PreviewPlace, ReplaceAction, ReplaceGroup, ReplaceKey, ReplacePreview,
    ReplaceScope, Replacing,
};
pub use core::samples::{SampleStop, UnpackSamples, UnpackedSamples};
pub use core::saving::{SaveDestination, SaveDocument, SaveDocumentAs, SaveMode, SaveTo};
pub use core::side_by_side::{
    CompareItems, CompareSourceVersions, ComparedCalls, SideBySide, SideBySideContent,
};
pub use core::sorting::{LibraryColumn, Sort};
pub use core::source::affected::{AffectedRecordings, RecordingFit};
pub use core::source::changes::{
    ChangeTextPiece, SourceChangeLine, SourceChangeSign, SourceChanges, ToolRename,
};
pub use core::source::comparison::{CurrentSource, SourceAsRecorded, SourceComparison};
pub use core::source_list::{FitCounts, SourceColumn, SourceList, SourceName, SourceRow};
pub use core::state::{Core, Notice, ProjectInfo, ReadProgress};
pub use core::step::{PendingStep, StepDecision, StepFile};
pub use core::stored_texts::ReadLog;
pub use core::strip_player::{PlayheadAction, StripPlayer};
pub use core::transport::{EndBehavior, Transport};
pub use core::unsaved::UnsavedDiffs;
pub use core::user_settings::{
    EditorCommand, OpenEditor, ReadUserSettings, USER_SETTINGS_FILE, UserSettings,
    UserSettingsAction, UserSettingsFile, UserState, WriteUserSettings, describe_problem,
};
pub use core::view::{DiffLayout, InspectorTab, Overlay, Theme};
pub use core::visible_range::Zoom;
pub use core::working_copy::{OnDisk, Revision, WorkingCopy};
pub use desks::incident::{
    ConfigChange, DraftPreview, ExistingFile, FetchAction, FetchEvent, FetchRequest, FetchState,
    ImportAction, ImportDesk, ImportEvent, ImportSide, ImportState, IncidentSource, LangSmithFetch,
    LangSmithStatus, LoadedIncident, PlanSessions, PlannedFile, ReadIncident, SessionPlan,
    SessionSteps, SessionsTarget,
};
pub use desks::live::{
    AnswerDraft, AnswerMethod, AnswerRuleDraft, CallId, CallsAction, CallsDesk, CallsEvent,
    ListenForm, ListenJob, ListenRequest, ListenState, ListenerKind, LiveAction, LiveCall,
    LiveDesk, LiveEvent, LiveSide, NearRecording, NearSet, PendingRequest, QueueAction,
    QueueCommand, QueueDesk, QueueEvent, QueueRequest, RankRequest, RequestId, RequestLogEntry,
    RequestOutcome, RequestTool, RuleMode, SaveAnswerRule, WatchedQueue, client_variables,
};
pub use desks::map::{MachineTotals, MapAction, MapDesk, MapKey, ReadMap, ReadMapResult};
pub use desks::playback::{
    ExplainKey, Explanation, FileChangeRequest, FilePlan, FoundMachine, FoundSet, FoundSets,
    JudgeSets, JudgedFile, JudgedSet, JudgedSets, LogNote, PasteRefusal, PickKind, PlayKey,
    PlayRequest, PlaybackAction, PlaybackDesk, PlaybackEvent, PlaybackInput, PlaybackResult,
    RequestsSource, SetToJudge, StripState,
};
pub use desks::problems::list::{FoundRule, ProblemsAction, ProblemsDesk, ProblemsView};
pub use desks::problems::sources::{SourceAction, SourceFilter, SourceSort, SourcesDesk};
pub use desks::review::{
    CountLines, DecisionScope, DecisionStatus, PairCall, PairDetails, PairRequest, PairText,
    PlanReview, ReviewAction, ReviewBase, ReviewDesk, ReviewEvent, ReviewRequest, ReviewSnapshot,
    ReviewStart, RuleDraft, RulePreview, SaveDecisions, SaveIgnoreRule, SourceChangeNote, Tally,
    WriteReview,
};
pub use desks::seeds::{
    FormKind, Grid, GridRow, GridStep, LoadSeeds, LoadedSeeds, ResponsePreview, SeedCell, SeedForm,
    SeedId, SeedsAction, SeedsDesk, SeedsEvent, SeedsKey,
};
pub use desks::sessions::{
    AnswerSource, CheckedInvariant, ConfigFound, ConfigListing, ContractAction, ContractDesk,
    ContractEvent, ContractKey, ContractReport, ContractRequest, FilePlace, FindAnswers,
    FormCursor, FoundAnswers, ListSessions, ListedInConfig, ListedSession, OfferedAnswer,
    OfferedContract, Panel, ReferenceKind, Resolution, RunCommands, RunScope, SessionId,
    SessionSide, SessionState, SessionStrip, SessionView, SessionsAction, SessionsDesk,
    SessionsEvent, SourceInConfig, TestedAnswer,
};
pub use desks::tapes::{
    ChunkDrag, Chunking, MakeTape, MakeThumbnails, NewTapeAction, NewTapeEvent, NewTapeForm,
    NewTapeResult, NewTapeSource, PrepareTape, Recipe, SaveTape, TapeEditForm, TapeEditKind,
    TapeState, TapeThumbnail, TapesAction, TapesDesk, TapesEvent,
};
pub use desks::terminal::{
    CommandEnd, REGENERATE_EXAMPLE, RunCommand, RunId, RunState, Tail, Terminal, TerminalAction,
    TerminalEvent, TerminalRun,
};
pub use desks::triage::{
    CauseFix, LoggedRun, PlayRun, ReadRun, RunFailure, RunSource, SharedRun, TriageAction,
    TriageDesk, TriageEvent, TriageState, TriagedRun, WriteRunPage,
};
pub use event::EngineEvent;
pub use request::{Cancellable, Compute, Lane, Request, ScanRequest};
pub use state::{ViewRequests, Workbench};
