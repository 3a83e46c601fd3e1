//! Reading, saving and the git history, without tasks and events. The command line uses it directly.

pub(in crate::engine) mod change_planner;
pub(in crate::engine) mod contract_configs;
pub(in crate::engine) mod files;
pub(in crate::engine) mod git;
pub(in crate::engine) mod guard;
pub mod history;
pub mod hook;
pub(in crate::engine) mod parallel;
pub(in crate::engine) mod playback;
pub mod player;
pub(in crate::engine) mod project;
pub(in crate::engine) mod project_settings;
pub(in crate::engine) mod reader;
pub mod recovery;
pub(in crate::engine) mod request_shape;
pub mod review;
pub mod root;
pub mod save;
pub mod save_location;
pub(in crate::engine) mod scan;
pub mod snapshots;
pub(in crate::engine) mod source_history;
pub(in crate::engine) mod sources;
pub(in crate::engine) mod staged;
pub(in crate::engine) mod stamp_planner;
pub mod state;
pub(in crate::engine) mod walk;
