//! The playback desk: what a client serves for each request of a run, and why.

mod aside_ui;
mod data;
mod desk_ui;
mod dialogs_ui;
mod files_ui;
mod head_ui;
mod run_ui;
mod signatures_ui;
mod start_ui;
mod table_ui;

pub use aside_ui::{GIST, aside_ui, gist_ui, numbered_ui, section};
pub use data::PlaybackData;
pub use desk_ui::{PlaybackView, playback_ui};
pub use dialogs_ui::{Drafts, log_ui, request_ui};
pub use files_ui::files_ui;
pub use signatures_ui::signature_card_ui;
