//! The engine's tasks, one file each: what it does for each request of the workbench.
//!
//! A new task is a request beside its desk in the workbench, a file here that implements [`Task`] for it, and a line in the list below.

mod change_files;
mod current;
mod explain;
mod fetch_runs;
mod find_answers;
mod find_sets;
mod list_library;
mod list_sessions;
mod load_seeds;
mod look_up_contract;
mod plan_config;
mod plan_seed;
mod plan_sessions;
mod play;
mod preview_draft;
mod read_incident;
mod review;
mod show_pair;
mod write_review;
mod write_sessions;

use std::any::{Any, TypeId};

use crate::engine::run::{Lane, Task};
use crate::workbench::{
    ContractRequest, ExplainCall, FetchRequest, FileChangeRequest, FindAnswers, FindSets,
    ListRequest, ListSessions, LoadSeeds, PairRequest, PlanConfig, PlanReview, PlanSeed,
    PlanSessions, PlayRequest, PreviewDraft, PreviewRule, ReadIncident, ReviewRequest,
    SaveDecisions, SaveIgnoreRule, SessionSteps, TaskRequest, WriteReview,
};

pub(super) use current::{apply_edit, read_current, read_edited};
pub(super) use write_review::append_rule;

macro_rules! tasks {
    ($($request:ty),* $(,)?) => {
        /// Returns the task of a request with its lane; `None` when it is not in the list.
        pub(super) fn task_for(request: Box<dyn TaskRequest>) -> Option<(Lane, Box<dyn Task>)> {
            let request: Box<dyn Any> = request;
            $(
                let request = match request.downcast::<$request>() {
                    Ok(task) => return Some((<$request>::lane(), task)),
                    Err(other) => other,
                };
            )*
            drop(request);
            None
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
    };
}

tasks![
    ContractRequest,
    ExplainCall,
    FetchRequest,
    FileChangeRequest,
    FindAnswers,
    FindSets,
    ListRequest,
    ListSessions,
    LoadSeeds,
    PairRequest,
    PlanConfig,
    PlanReview,
    PlanSeed,
    PlanSessions,
    PlayRequest,
    PreviewDraft,
    PreviewRule,
    ReadIncident,
    ReviewRequest,
    SaveDecisions,
    SaveIgnoreRule,
    SessionSteps,
    WriteReview,
];
