//! Files and threads: everything that touches the disk is here, and nothing here decides what is wrong with a file.
//!
//! A [`Project`] is opened by paths; [`scan()`] then reads all of it and hands out rows. The command line calls it and
//! waits; for the window [`Engine`] does the same on threads of its own and answers by events.

mod contracts;
mod git;
pub mod history;
mod project;
mod reader;
pub mod recovery;
pub mod root;
mod runner;
pub mod save;
mod scan;
mod sources;
pub mod state;
mod then;
mod walk;
mod watch;

pub use project::Project;
pub use runner::Engine;
pub use scan::{Outcome, Progress, SourceLookup, Step, scan};
pub use then::{AsRecorded, as_recorded};
