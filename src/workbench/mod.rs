//! The application without window, files or threads: state, what the user can ask for, and what follows from it.
//!
//! [`Workbench::receive`] takes what the engine found, [`Workbench::apply`] what the user asked for. Both change memory
//! only; work on files is handed back as [`Effect`]s.

mod action;
mod apply;
mod command;
mod desks;
mod event;
mod inspector;
mod items;
mod library;
mod listing;
mod live;
mod navigation;
mod problem_list;
mod request;
mod run;
mod side_by_side;
mod sorting;
mod state;

pub use action::{Action, Overlay, Pane, Step, Tab, Theme};
pub use command::{Command, Key, Section, Shortcut, keys_markdown};
pub use desks::{LibraryDesk, ProblemsDesk, Quick};
pub use event::{Effect, Event, Progress, Project, Remembered};
pub use inspector::Room;
pub use items::Items;
pub use library::{DocId, Library, Opened};
pub use listing::{Group, Grouping, Listing, Row, Totals};
pub use live::{Cause, Gone, News, Watching};
pub use navigation::{Desk, Location, View};
pub use problem_list::FoundRule;
pub use request::{ListKey, ListRequest};
pub use side_by_side::{Finding, Now, SideBySide, Then, ThenAndNow};
pub use sorting::{Column, Sort};
pub use state::{Notice, ProblemId, Workbench};
