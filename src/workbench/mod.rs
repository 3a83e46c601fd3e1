//! The application without window, files or threads: state, what the user can ask for, and what follows from it.
//!
//! [`Workbench::receive`] takes what the engine found, [`Workbench::apply`] what the user asked for. Both change memory
//! only; work on files is handed back as [`Effect`]s.

mod action;
mod command;
mod event;
mod library;
mod listing;
mod navigation;
mod state;

pub use action::{Action, Overlay, Pane, Step, Tab, Theme};
pub use command::{Command, Key, Section, Shortcut, keys_markdown};
pub use event::{Effect, Event, Progress, Project, Remembered};
pub use library::{DocId, Library, Opened};
pub use listing::{Column, Grouping, Listing, Row, Sort, Totals};
pub use navigation::{Desk, Location, View};
pub use state::{LibraryDesk, Notice, ProblemId, ProblemsDesk, Quick, Workbench};
