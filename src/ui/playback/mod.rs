//! The playback desk: what a client serves for each request of a run, and why.

mod call_ui;
mod desk_ui;
mod dialogs_ui;
mod files_ui;
mod head_ui;
mod list_ui;
mod playback_data;
mod strip;

pub use desk_ui::playback_ui;
pub use dialogs_ui::{PlaybackDrafts, log_ui};
pub use files_ui::files_ui;
pub use playback_data::PlaybackData;
pub use strip::{PlaybackView, SUMMARY_HEIGHT, conversation_ui, summary_ui};
