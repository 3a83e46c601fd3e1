//! The engine's tasks: what it does for each request of the workbench. A file has one request, or a few that belong together.
//!
//! A new task is a request beside its desk in the workbench, a file here that implements [`Task`] for it, and a line in the list below. Requests
//! that start what runs longer implement [`Control`](super::run::Control) and have their own list.

mod change_files;
mod command_steps;
mod drafts;
mod explain;
mod fetch_runs;
mod find_answers;
mod find_changes;
mod find_commits;
mod find_sets;
mod judge_sets;
mod list_library;
mod list_sessions;
mod load_seeds;
mod look_up_contract;
mod look_up_path;
mod merge_versions;
mod new_tape;
mod parse_text;
mod picture;
mod plan_change;
mod plan_replace;
mod plan_sessions;
mod play;
mod preview_draft;
mod rank_recordings;
mod read_document;
mod read_incident;
mod read_log;
mod read_map;
mod review;
mod save_answer_rule;
mod save_document;
mod search_bodies;
mod set_reader;
mod show_pair;
mod side_by_side;
mod tapes;
mod triage;
mod unpack_samples;
mod user_settings;
mod write_review;

#[cfg(test)]
mod panic_tests;
#[cfg(test)]
mod tests;

use std::any::{Any, TypeId};

use crate::engine::run::{Lane, Running, Task, TaskContext};
use crate::workbench::{
    CompareItems, CompareSourceVersions, ContractRequest, CountLines, DiscardDraft, DrawPicture,
    ExplainCall, FetchRequest, FileChangeRequest, FindAnswers, FindChanges, FindCommits, FindSets,
    ForgetDraft, JudgeSets, KeepDraft, ListCommandSteps, ListRequest, ListSessions, ListenRequest,
    LoadSeeds, LocateDraft, LookUpPath, MakeTape, MakeThumbnails, MergeVersions, OpenEditor,
    PairRequest, ParseText, PlanBatch, PlanChange, PlanReplace, PlanReview, PlanSessions,
    PlayRequest, PlayRun, PrepareTape, PreviewDraft, PreviewRule, PreviewTapeEdit, QueueRequest,
    RankRequest, ReadDocument, ReadIncident, ReadLog, ReadMap, ReadRun, ReadUserSettings,
    ReviewRequest, RunCommand, SaveAnswerRule, SaveDecisions, SaveDocument, SaveDocumentAs,
    SaveIgnoreRule, SaveTape, SearchBodies, SessionSteps, UndoCommandStep, UnpackSamples,
    WriteReview, WriteRunPage, WriteUserSettings,
};

pub(super) use drafts::OpenDrafts;
use write_review::append_rule;

macro_rules! tasks {
    ($($request:ty),* $(,)?) => {
        /// Returns the task of a request with its lane; the request when it is not in the list.
        pub(super) fn task_for(
            request: Box<dyn Any>,
        ) -> Result<(Lane, Box<dyn Task>), Box<dyn Any>> {
            $(
                let request = match request.downcast::<$request>() {
                    Ok(task) => return Ok((<$request>::lane(), task)),
                    Err(other) => other,
                };
            )*
            Err(request)
        }

        /// Returns the lane of the requests of a type.
        pub(super) fn lane_of(request: TypeId) -> Option<Lane> {
            $(
                if request == TypeId::of::<$request>() {
                    return Some(<$request>::lane());
                }
            )*
            None
        }

        #[cfg(test)]
        fn all_tasks() -> Vec<TypeId> {
            vec![$(TypeId::of::<$request>()),*]
        }
    };
}

macro_rules! controls {
    ($($request:ty),* $(,)?) => {
        /// Executes the request if it is in the list of those that start what runs longer; false if not.
        pub(super) fn execute_control(
            request: Box<dyn Any>,
            running: &mut Running,
            context: &TaskContext,
        ) -> bool {
            $(
                if let Some(control) = request.downcast_ref::<$request>() {
                    running.execute(control, context);
                    return true;
                }
            )*
            false
        }

        /// Stops what a request of a type has started.
        pub(super) fn cancel_control(request: TypeId, running: &mut Running) {
            $(
                if request == TypeId::of::<$request>() {
                    running.cancel::<$request>();
                }
            )*
        }

        #[cfg(test)]
        fn all_controls() -> Vec<TypeId> {
            vec![$(TypeId::of::<$request>()),*]
        }
    };
}

tasks![
    CompareItems,
    CompareSourceVersions,
    ContractRequest,
    CountLines,
    DiscardDraft,
    DrawPicture,
    ExplainCall,
    FetchRequest,
    FileChangeRequest,
    FindAnswers,
    FindChanges,
    FindCommits,
    FindSets,
    ForgetDraft,
    JudgeSets,
    KeepDraft,
    ListRequest,
    ListSessions,
    LoadSeeds,
    LocateDraft,
    LookUpPath,
    ListCommandSteps,
    UndoCommandStep,
    MakeTape,
    MakeThumbnails,
    MergeVersions,
    OpenDrafts,
    OpenEditor,
    PairRequest,
    ParseText,
    PlanBatch,
    PlanChange,
    PlanReplace,
    PlanReview,
    PlanSessions,
    PlayRequest,
    PlayRun,
    PrepareTape,
    PreviewDraft,
    PreviewRule,
    PreviewTapeEdit,
    RankRequest,
    ReadDocument,
    ReadIncident,
    ReadLog,
    ReadMap,
    ReadRun,
    ReadUserSettings,
    ReviewRequest,
    SaveAnswerRule,
    SaveDecisions,
    SaveDocument,
    SaveDocumentAs,
    SaveIgnoreRule,
    SaveTape,
    SearchBodies,
    SessionSteps,
    UnpackSamples,
    WriteReview,
    WriteRunPage,
    WriteUserSettings,
];

controls![ListenRequest, QueueRequest, RunCommand];
