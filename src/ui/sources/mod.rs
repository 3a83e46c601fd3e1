//! The sources that recordings were made from: what became of each, whom that touches, and what can be done.

mod data;
mod detail_ui;
mod list_ui;
mod sources_ui;
mod told;

pub use data::{SourceDetail, SourcesData};
pub use sources_ui::{SourcesState, sources_ui};
