//! Requests and events that the workbench and the engine exchange: each [`Request`] with its inputs, each [`EngineEvent`], and their data.
//!
//! A request carries all its inputs, so that the engine looks nothing up on the way. A file here has the requests and events of one subject.
//! It depends neither on the workbench nor on the engine, so that each is compiled without the other.
//!
//! - [`Request`]: work for the engine, in a [`Lane`] that says what runs beside it and what cancels it.
//! - [`EngineEvent`]: an answer of the engine, or what happened on the disk.
//! - [`DocId`]: a document in the window; it stays the same after sorting or scanning again.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

mod audit;
mod body_search;
mod comparing;
mod documents;
mod event;
mod findings;
mod formats;
mod history;
mod incident;
mod items;
mod listing;
mod live;
mod map;
mod orders;
mod paths;
mod playback;
mod project;
mod provenance;
mod remembered;
mod replacing;
mod request;
mod review;
mod seeds;
mod sessions;
mod sets;
mod sorting;
mod source_list;
mod tapes;
mod terminal;
#[cfg(any(test, feature = "testing"))]
mod testing;
mod triage;
mod user_settings;
mod verdict;

pub use audit::*;
pub use body_search::*;
pub use comparing::*;
pub use documents::*;
pub use event::*;
pub use findings::*;
pub use formats::*;
pub use history::*;
pub use incident::*;
pub use items::*;
pub use listing::*;
pub use live::*;
pub use map::*;
pub use orders::*;
pub use paths::*;
pub use playback::*;
pub use project::*;
pub use provenance::*;
pub use remembered::*;
pub use replacing::*;
pub use request::*;
pub use review::*;
pub use seeds::*;
pub use sessions::*;
pub use sets::*;
pub use sorting::*;
pub use source_list::*;
pub use tapes::*;
pub use terminal::*;
pub use triage::*;
pub use user_settings::*;
pub use verdict::*;
