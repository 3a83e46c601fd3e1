//! The application without window, files or threads: state, actions of the user, and their effects.
//!
//! [`Workbench::receive`] handles events of the engine, [`Workbench::apply`] actions of the user. Both change memory
//! only; work on files is returned as [`Effect`]s.
//!
//! `core/` is what all desks share, `desks/` has the desks, `handlers/` what commands do. `state.rs` receives events, `apply.rs` applies
//! actions, `stepping.rs` moves selections, `path.rs` opens typed paths.
//!
//! It does not know the engine, only what they [exchange](protocol), and paints nothing.
//!
//! - [`Workbench`]: everything that the window shows, and the only place that changes it.
//! - [`Action`]: what the user did. It names ids, never rows.
//! - [`Effect`]: what is to be done outside memory.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

mod action;
mod apply;
mod core;
mod desks;
mod handlers;
mod path;
mod state;
mod stepping;
#[cfg(test)]
mod testing;

pub use action::{Action, Actions, DeskAction};
pub(crate) use core::{
    Core, News, ProjectStart, command::declared::SectionCommand, disk_changes::Renames, editing::*,
    link::*, pending_changes::*,
};
pub use core::{
    body_search::*, change_preview::*, command::*, describing::*, dialog::*, effect::*,
    inspector::*, journal::*, latest::*, leaving::*, library::*, library_list::*, link::*,
    navigation::*, notices::*, path_field::*, provenance::*, replacing::*, resolving::*, saving::*,
    side_by_side::*, source::affected::*, source::changes::*, step::*, strip_player::*,
    transport::*, unsaved::*, user_settings::*, value_draft::*, value_drafts::*, view::*,
    visible_range::*, working_copy::*,
};
pub(crate) use desks::DeskState;
pub use desks::audit::*;
pub use desks::incident::*;
pub use desks::live::*;
pub use desks::playback::*;
pub use desks::problems::*;
pub use desks::review::*;
pub use desks::seeds::*;
pub use desks::sessions::*;
pub use desks::source::*;
pub use desks::tapes::*;
pub use desks::terminal::*;
pub use desks::triage::*;
pub use protocol::*;
pub use state::Workbench;
#[cfg(test)]
pub(crate) use testing::Bench;
