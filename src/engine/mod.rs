//! Files and threads: everything that touches the disk is here, and nothing here decides what is wrong with a file.
//!
//! A [`Project`] is opened by paths; [`scan()`] then reads all of it and returns rows. The command line calls it and
//! waits; for the window [`Engine`] does the same on threads of its own and answers by events.

mod batch;
mod calls;
mod command;
mod comparison_jobs;
mod contract;
mod contract_configs;
mod document_worker;
mod edit_planner;
mod event_sender;
mod file_plan;
mod git;
pub mod history;
pub mod hook;
mod incidents;
mod langsmith_jobs;
pub mod live;
mod new_tape;
mod pair_view;
mod picture;
mod playback;
pub mod player;
mod project;
mod project_settings;
mod queues;
mod ranking;
mod reader;
pub mod recovery;
pub mod review;
mod review_jobs;
mod review_writer;
pub mod root;
mod run;
mod runner;
pub mod save;
pub mod save_location;
mod scan;
mod seeds;
mod sessions;
pub mod snapshots;
mod source_history;
mod sources;
mod staged;
mod stamp_planner;
pub mod state;
mod tapes;
mod tasks;
mod walk;
mod watch;
mod write_worker;

pub use comparison_jobs::OverlayRequest;
pub use contract::{ContractEvaluation, evaluate_contracts, listed_sessions};
pub use edit_planner::{TextQuestion, TextSnapshot};
pub use new_tape::request_shape_in;
pub use playback::{
    PlaybackError, RequestSource, Requests, SetAndRequests, read_playback, read_requests, read_set,
};
pub use project::Project;
pub use project_settings::default_paths;
pub use runner::{Engine, EngineOptions};
pub use scan::{ScanOutcome, ScanProgress, ScanStep, SourceLookup, scan};
pub use seeds::SeedEditRequest;
pub use source_history::{OriginalSource, find_as_recorded};
pub use stamp_planner::{StampPlanner, StampRequest, StampSource};
