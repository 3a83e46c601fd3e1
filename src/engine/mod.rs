//! Files and threads: everything that touches the disk is here, and nothing here decides what is wrong with a file.
//!
//! A [`Project`] is opened by paths; [`scan()`] then reads all of it and hands out rows. The command line calls it and
//! waits; for the window [`Engine`] does the same on threads of its own and answers by events.

mod batch;
mod calls;
mod command;
mod comparing;
mod configured;
mod contract;
mod contracts;
mod decided;
mod desk;
mod fetching;
mod files;
mod git;
pub mod history;
pub mod hook;
mod incidents;
pub mod live;
mod making;
mod nearest;
mod outlet;
mod picture;
mod playback;
pub mod player;
mod playing;
mod project;
mod queues;
mod reader;
pub mod recovery;
pub mod review;
mod reviewing;
pub mod root;
mod runner;
pub mod save;
mod saves;
mod scan;
mod seeds;
mod sessions;
mod showing;
pub mod snapshots;
mod sources;
mod staged;
mod stamping;
pub mod state;
mod steps;
pub mod surroundings;
mod tapes;
mod texts;
mod then;
mod walk;
mod watch;

pub use batch::ToEdit;
pub use comparing::ToLay;
pub use configured::default_paths;
pub use contract::{Held, hold_contracts, listed_sessions};
pub use making::request_shape_in;
pub use playback::{
    Playback, PlaybackError, Requests, RequestsFrom, read_playback, read_requests, read_set,
};
pub use project::Project;
pub use runner::{Engine, Setup};
pub use scan::{Outcome, Progress, SourceLookup, Step, scan};
pub use seeds::ToSeed;
pub use stamping::{SourceFrom, StampOrder, Stamping};
pub use texts::{Question, Text};
pub use then::{AsRecorded, as_recorded};
