//! The application without window, files or threads: state, actions of the user, and their effects.
//!
//! [`Workbench::receive`] handles events of the engine, [`Workbench::apply`] actions of the user. Both change memory
//! only; work on files is returned as [`Effect`]s.

mod action;
mod apply;
mod batch;
mod command;
mod conflict;
mod desks;
mod editing;
mod event;
mod incident;
mod inspector;
mod items;
mod journal;
mod leaving;
mod library;
mod listing;
mod live;
mod navigation;
mod news;
mod playback;
mod problem_list;
mod recovery;
mod regenerate;
mod request;
mod review;
mod saving;
mod seeds;
mod sessions;
mod side_by_side;
mod sorting;
mod source_list;
mod sources;
mod state;
mod stepping;
mod tapes;
mod terminal;
#[cfg(test)]
mod testing;
mod unsaved;
mod waiting;
mod working_copy;

pub use action::{Action, Overlay, Pane, SaveWay, Step, Tab, Theme};
pub use batch::Batch;
pub use command::{Command, Key, Section, Shortcut, keys_markdown};
pub use conflict::{Conflict, VersionsFrom};
pub use desks::{By, LibraryDesk, ProblemsDesk, Quick};
pub use editing::Refused;
pub use event::{
    Effect, Event, Planned, PlannedEdit, PlannedMany, Progress, Project, Remembered, SaveOrder,
    SavedTo,
};
pub use incident::{
    FetchAction, FetchEvent, FetchField, FetchForm, FetchOf, FetchOrder, FetchState, Fetching,
    FieldCheck, FileThere, Found, ImportAction, ImportDesk, ImportEffect, ImportEvent, ImportSide,
    ImportState, IncidentFrom, LangSmith, ListsInConfig, PlanSessions, PlannedFile, Preview,
    PreviewDraft, ReadIncident, RunFilter, SaveTo, SessionPlan, SessionStep, SessionSteps,
    StepsTaken,
};
pub use inspector::{FindWish, Room};
pub use items::Items;
pub use journal::{Entry, Journal};
pub use leaving::Leaving;
pub use library::{DocId, Library, Opened};
pub use listing::{Group, Grouping, Listing, Row, Totals};
pub use live::{
    AnswerDraft, AnswerRuleDraft, AnswerWay, Asking, CallId, CallRows, CallsAction, CallsDesk,
    CallsEffect, CallsEvent, ClientKind, Listed, ListenState, Listener, LiveAction, LiveDesk,
    LiveEffect, LiveEvent, LiveSide, Logged, Near, NearSet, OnOffer, Outcome, QueueAction,
    QueueDesk, QueueEffect, QueueEvent, RankOrder, RecordForm, RecordOrder, RequestId, RulesAnswer,
    ServeForm, ServeOrder, ServePace, StartFault, StartField, Station, ToolOffered, Upstream,
    Watched, What,
};
pub use navigation::{Desk, Location, View};
pub use news::{Cause, Gone, News, Watching};
pub use playback::{
    Explanation, FileOrder, FilePlan, FileStep, FilesChanged, FoundMachine, FoundServed, FoundSet,
    FoundSets, LogNote, PlayFinding, PlayOrder, PlaybackAction, PlaybackDesk, PlaybackEffect,
    PlaybackEvent, Played, Refusal, RequestsFrom, Stock, Wanted, Which,
};
pub use problem_list::FoundRule;
pub use request::{ListKey, ListRequest};
pub use review::{
    Against, Begun, Layout, LookOrder, Mark, PairOrder, PairShown, Reach, ReviewAction, ReviewDesk,
    ReviewEffect, ReviewEvent, RuleDraft, Shared, ShownAs, Silences, Snapshot, Tally, Why,
};
pub use seeds::{
    Cell, Face, Form, FormKind, Grid, GridRow, LoadSeeds, Loaded, SeedId, SeedsAction, SeedsDesk,
    SeedsEffect, SeedsEvent, SeedsKey, Towards,
};
pub use sessions::{
    AnswerFrom, Answers, Checked, Commands, ConfigEdit, ConfigFound, ConfigListing, ContractAction,
    ContractDesk, ContractEffect, ContractEvent, ContractLook, FindAnswers, ListSessions,
    ListedInConfig, ListedSession, LookAtContract, Offered, OfferedAnswer, Panel, PlannedConfig,
    Resolution, Scope, SessionId, SessionShown, SessionSide, SessionsAction, SessionsDesk,
    SessionsEffect, SessionsEvent, SourceInConfig, Spot, Spotted, TriedOn, Written,
};
pub use side_by_side::{Finding, Now, SideBySide, Then, ThenAndNow};
pub use sorting::{Column, Sort};
pub use source_list::{Fits, SourceColumn, SourceList, SourceName, SourceRow};
pub use sources::{SourceAction, SourceFilter, SourceSort, SourcesDesk};
pub use state::{Notice, ProblemId, Workbench};
pub use tapes::{
    AtEnd, CutForm, CutKind, Cutting, ForTape, Glance, LayOrder, Lies, Made, MadeOf, MakeAction,
    MakeEffect, MakeEvent, MakeForm, Over, PictureEffect, PictureEvent, Pull, Recipe, RequestFrom,
    Shown, Take, TakesAction, TakesEffect, TakesEvent, TapesAction, TapesDesk, TapesEffect,
    TapesEvent, Transport, Verified, VerifyAction, VerifyOrder, Verifying, Zoom,
};
pub use terminal::{
    Asked, Ending, Ink, Line, More, Origin, Proposal, Run, RunId, RunState, Tail, Terminal,
    TerminalAction, TerminalEffect, TerminalEvent,
};
pub use working_copy::{OnDisk, Revision, WorkingCopy};
