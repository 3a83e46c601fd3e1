//! The source of a recording: then and now, the map of its machine, and the recordings made from it.

mod changes_ui;
mod map_ui;
mod page_data;
mod page_ui;
mod recording_line;
mod recordings_data;
mod recordings_ui;
mod then_now_data;
mod then_now_ui;
mod versions_ui;

pub(crate) use changes_ui::fit_look;
pub(crate) use page_data::stem;
pub use page_ui::{SourceView, source_ui};
pub(crate) use recording_line::{called, reason};
