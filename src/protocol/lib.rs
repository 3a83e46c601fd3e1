//! Requests and events that the workbench and the engine exchange: each [`Request`] with its inputs, each [`EngineEvent`], and their data.
//!
//! A request carries all its inputs, so that the engine looks nothing up on the way. A file here has the requests and events of one subject.
//! It depends neither on the workbench nor on the engine, so that each is compiled without the other.
//!
//! - [`Request`]: work for the engine, in a [`Lane`] that says what runs beside it and what cancels it.
//! - [`EngineEvent`]: an answer of the engine, or what happened on the disk.
//! - [`DocId`]: a document in the window; it stays the same after sorting or scanning again.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

mod body_search;
mod comparing;
mod documents;
mod event;
mod findings;
mod history;
mod incident;
mod items;
mod listing;
mod live;
mod map;
mod paths;
mod playback;
mod project;
mod remembered;
mod replacing;
mod request;
mod review;
mod seeds;
mod sessions;
mod sets;
mod sorting;
mod source_list;
mod tapes;
mod terminal;
mod triage;
mod user_settings;

pub use body_search::{BodyVerdicts, Verdict};
pub use body_search::{SearchBodies, SearchProgress, SearchedBodies};
pub use comparing::{
    CompareItems, CompareSourceVersions, ComparedCalls, CurrentSource, SourceAsRecorded,
    SourceComparison,
};
pub use documents::{
    CurrentDocument, DiscardDraft, ForgetDraft, KeepDraft, LocateDraft, ParseText, ParsedText,
    PlanBatch, PlanChange, PlannedChange, PlannedEdit, ReadDocument, Revision, SaveDestination,
    SaveDocument, SaveDocumentAs,
};
pub use event::EngineEvent;
pub use findings::{Finding, FindingKind};
pub use history::{CommitsKey, FindCommits, ListCommandSteps, UndoCommandStep};
pub use incident::{
    ConfigChange, DraftPreview, ExistingFile, FetchEvent, FetchRequest, ImportEvent,
    IncidentSource, LangSmithStatus, LoadedIncident, PlanSessions, PlannedFile, ReadIncident,
    SessionPlan, SessionSteps, SessionsTarget,
};
pub use items::{DocId, Items};
pub use listing::{
    CASSETTE_RULES, CassettePlayer, Grouping, LibraryGroup, LibraryListing, LibraryRow, ListKey,
    ListRequest, ListTarget, Orders, Totals,
};
pub use listing::{ListingOptions, heading_of};
pub use live::{
    CallId, CallsEvent, ListenJob, ListenRequest, ListenState, ListenerKind, LiveCall, LiveEvent,
    NearRecording, NearSet, QueueCommand, QueueEvent, QueueRequest, RankRequest, RequestId,
    RuleMode, SaveAnswerRule,
};
pub use map::{MapKey, ReadMap, ReadMapResult};
pub use paths::{DrawPicture, LookUpPath, PathKind, PathLookup};
pub use playback::{
    ExplainKey, Explanation, FileChangeRequest, LogNote, PlayKey, PlayRequest, PlaybackEvent,
    PlaybackInput, PlaybackResult, RequestsSource,
};
pub use project::{
    DiskChange, ProjectInfo, ReadProgress, RemovedItem, SampleStop, UnpackSamples, UnpackedSamples,
    WatchFailure, WatchState,
};
pub use remembered::{Desk, ProjectView, Remembered, Sizes, Theme, WindowSize};
pub use replacing::{
    PlanReplace, PreviewPlace, ReplaceGroup, ReplaceKey, ReplacePreview, ReplaceScope,
};
pub use request::{Cancellable, Compute, Lane, ReadLog, Request, ScanRequest};
pub use review::{
    CountLines, PairCall, PairDetails, PairRequest, PairText, PlanReview, ReviewBase, ReviewEvent,
    ReviewRequest, ReviewSnapshot, ReviewStart, RuleDraft, RulePreview, SaveDecisions,
    SaveIgnoreRule, SourceChangeNote, WriteReview,
};
pub use seeds::{LoadSeeds, LoadedSeeds, ResponsePreview, SeedId, SeedsEvent, SeedsKey};
pub use sessions::{
    AnswerSource, CheckedInvariant, ConfigFound, ConfigListing, ContractEvent, ContractKey,
    ContractReport, ContractRequest, FilePlace, FindAnswers, FoundAnswers, ListSessions,
    ListedInConfig, ListedSession, OfferedAnswer, OfferedContract, ReferenceKind, Resolution,
    RunCommands, SessionId, SessionsEvent, SourceInConfig, TestedAnswer,
};
pub use sets::{
    FoundMachine, FoundSet, FoundSets, JudgeSets, JudgedFile, JudgedSet, JudgedSets, SetToJudge,
};
pub use sorting::{LibraryColumn, Sort};
pub use source_list::is_renamed_to;
pub use source_list::{FitCounts, SourceColumn, SourceList, SourceName, SourceRow};
pub use tapes::{
    MakeTape, MakeThumbnails, NewTapeEvent, NewTapeResult, NewTapeSource, PrepareTape, Recipe,
    SaveTape, TapeThumbnail, TapesEvent,
};
pub use terminal::{CommandEnd, RunCommand, RunId, TerminalEvent};
pub use triage::{
    CauseFix, LoggedRun, PlayRun, ReadRun, RunFailure, RunSource, SharedRun, TriageEvent,
    TriagedRun, WriteRunPage,
};
pub use user_settings::{
    EditorCommand, OpenEditor, ReadUserSettings, USER_SETTINGS_FILE, UserSettingsFile,
    WriteUserSettings,
};
