//! The window: views that read plain data, paint what is visible, and push actions.
//!
//! A folder for each view, a file for a small one. Most have a file of data without egui beside what paints, so that it can be tested as text. The controls are in
//! [`widgets`].
//!
//! A view changes nothing: it pushes an [`Action`](workbench::Action), and reads what the workbench made of it.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

mod about;
pub mod audit;
pub mod compare;
pub mod conflict;
mod format_ui;
pub mod history;
pub mod incident;
pub mod inspector;
mod inspector_cache;
pub mod keys;
pub mod library;
pub mod live;
pub mod palette;
pub mod playback;
pub mod problems;
pub mod recovered;
pub mod replace;
pub mod review;
pub mod seeds;
pub mod sessions;
mod settings_ui;
pub mod shell;
pub mod source;
pub mod start;
pub mod step;
pub mod stored_text;
pub mod tapes;
pub mod terminal;
pub mod triage;
pub mod unsaved;
mod window;

pub use window::{Views, window_ui};
