//! The playback desk: what a client serves for each request of a run, and why.

mod desk_ui;
mod dialogs_ui;
mod explanation_ui;
mod files_ui;
mod head_ui;
mod playback_data;
mod signatures_ui;
mod start_ui;
mod strip;

pub use desk_ui::playback_ui;
pub use dialogs_ui::{PlaybackDrafts, log_ui};
pub use explanation_ui::{SUMMARY_HEIGHT, explanation_ui, summary_ui};
pub use files_ui::files_ui;
pub use playback_data::PlaybackData;
pub use strip::PlaybackView;
