//! Files, threads, git and sockets: everything that touches the world is here, and nothing here decides what is wrong with a file.
//!
//! A [`Project`] is opened by paths; [`scan()`] then reads all of it and returns rows. The command line calls it and
//! waits; for the window [`Engine`] does the same on threads of its own and answers by events.
//!
//! It does not know the window or its state.
//!
//! - [`Project`]: the folders that are open, behind a [handle](root::Root) that the system does not let out of them.
//! - [`Engine`]: the threads that work for the window.
//! - [`StepRecorder`](undo::StepRecorder): what a command of the command line writes through, so that it can be undone.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

mod calls;
mod change_listener;
mod command;
mod contract;
mod crash;
mod current;
mod disk;
mod event_sender;
mod joined_thread;
pub mod live;
mod logging;
mod new_window;
mod pager;
mod progress;
mod queues;
mod run;
mod runner;
mod services;
mod tasks;
mod watch;

pub use change_listener::{ChangeListener, WaitOutcome};
pub use contract::{ContractEvaluation, evaluate_contracts, listed_sessions};
pub use crash::report_panics;
pub use disk::audit::audit;
pub use disk::body_search::search_bodies;
pub use disk::cassette_playback::{CassettePlayback, read_cassette_playback};
pub use disk::change_planner::ChangePlanner;
pub use disk::changed::ChangedFiles;
pub use disk::formats::guess_format;
pub use disk::gitignore::IgnoredCount;
pub use disk::history::OriginalSource;
pub use disk::machine_map::{NumberedItem, group_by_machine};
pub use disk::parallel::map_quietly;
pub use disk::playback::{
    PlaybackError, RequestSource, Requests, SetAndRequests, read_playback, read_requests,
};
pub use disk::project::{Project, SourceLookup};
pub use disk::redaction_key::{project_key, read_key, read_text};
pub use disk::request_shape::request_shape_in;
pub use disk::root::default_paths;
pub use disk::scan::{ScanOutcome, ScanStep, scan};
pub use disk::source_history::find_as_recorded;
pub use disk::stamp_planner::{StampPlanner, StampRequest, StampSource};
pub use disk::triage::{
    RunLogs, find_empty_folders, find_failed_runs, read_drift_cassettes, read_request_logs,
    read_run_logs, read_test_logs, read_triage_cassettes, read_triage_maps, read_triage_sets,
    write_triage_fixes,
};
pub use disk::unused::read_set_usage;
pub use disk::{
    history, hook, player, recovery, review, root, samples, save, save_location, snapshots, state,
    undo, user_settings,
};
pub use logging::{ErrorObserver, flush_log, log_to_file, start_logging};
pub use new_window::open_new_window;
pub use pager::{git_pager, show_in_pager};
pub use progress::{Phase, PhaseProgress, ProgressObserver, observe_progress};
pub use protocol::ReadProgress;
pub use runner::{Engine, EngineOptions};
