//! The sources that recordings were made from: their state, the affected recordings, and the fixes.

mod describe;
mod detail_ui;
mod list_ui;
mod sources_data;
mod sources_ui;

pub use sources_data::SourcesData;
pub use sources_ui::{SourcesState, sources_ui};
