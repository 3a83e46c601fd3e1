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
pub use core::change_preview::ChangePreview;
pub use core::command::{
    Command, CommandSection, Keymap, Shortcut, ShortcutKey, ids_markdown, keys_markdown,
};
pub use core::conflict::{Conflict, ConflictOrigin};
pub use core::dialog::{Choice, Dialog, DialogKind};
pub use core::editing::RefusedEdit;
pub use core::effect::Effect;
pub use core::inspector::{FindRequest, InspectorPlacement};
pub use core::leaving::Leaving;
pub use core::library::{Library, OpenDocument, ProblemId};
pub use core::library_list::LibraryList;
pub use core::navigation::{DeskView, Location, StepDirection};
pub use core::notices::Notice;
pub use core::path_field::{PathAction, PathField};
pub use core::proposal::{CommandOrigin, Proposal, TerminalPrompt};
pub use core::replacing::{ReplaceAction, Replacing};
pub use core::saving::{SaveMode, SaveTo};
pub use core::side_by_side::{SideBySide, SideBySideContent};
pub use core::source::affected::{AffectedRecordings, RecordingFit};
pub use core::source::changes::{SourceChangeLine, SourceChangeSign, SourceChanges, ToolRename};
pub use core::step::{PendingStep, StepDecision, StepFile};
pub use core::strip_player::{PlayheadAction, StripPlayer};
pub use core::transport::{EndBehavior, Transport};
pub use core::user_settings::{UserSetting, UserSettings, UserSettingsAction, describe_problem};
pub use core::view::{DiffLayout, InspectorTab, Overlay, SourceTab};
pub use core::visible_range::Zoom;
pub use core::working_copy::{OnDisk, WorkingCopy};
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
