//! The tapes desk: shows a streamed answer the way an audio editor shows sound.

mod chunks_ui;
mod cut_ui;
mod data;
mod form_ui;
mod head_ui;
mod json_ui;
mod list_ui;
mod make_ui;
mod marks_ui;
mod pull_ui;
mod takes;
mod tapes_ui;
mod text_ui;
mod timeline_ui;
mod transport_ui;
mod verify;

pub use make_ui::make_ui;
pub use takes::choose_ui;
pub use tapes_ui::{TapesState, tapes_ui};
