//! The sources that recordings were made from: their state, the affected recordings, and the fixes.

mod data;
mod detail_ui;
mod list_ui;
mod sources_ui;
mod told;

pub use data::{SourceDetail, SourcesData};
pub use sources_ui::{SourcesState, sources_ui};
