//! The window: views that read plain data, paint what is visible, and push actions.

pub mod code;
pub mod compare;
pub mod conflict;
mod dates;
pub mod dialog;
pub mod editor;
mod fields;
pub mod highlight;
pub mod history;
pub mod icons;
pub mod incident;
pub mod inspector;
mod inspector_cache;
pub mod keys;
pub mod library;
pub mod live;
pub mod markdown;
pub mod palette;
pub mod playback;
pub mod problems;
pub mod recovered;
pub mod review;
pub mod seeds;
pub mod sessions;
pub mod shell;
pub mod sources;
pub mod stale;
pub mod start;
pub mod step;
pub mod tapes;
pub mod terminal;
pub mod theme;
pub mod unsaved;
pub mod widgets;
mod window;

pub use window::{Views, window_ui};
