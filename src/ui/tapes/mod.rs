//! The tapes desk: shows a streamed answer the way an audio editor shows sound.

mod chunks_ui;
mod head_ui;
mod marks_ui;
mod new_tape_ui;
mod tape_edit_form_ui;
mod tapes_data;
mod tapes_ui;
mod text_ui;
mod time_scale;
mod timeline_ui;

pub use new_tape_ui::new_tape_ui;
pub(super) use tapes_ui::request_next_frame;
pub use tapes_ui::{TapesState, tapes_ui};
pub(super) use time_scale::TimeScale;
