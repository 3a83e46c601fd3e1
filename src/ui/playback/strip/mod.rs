//! The strip: the calls of a run as blocks along the time axis, and the recordings that answer them.

mod conversation_ui;
mod recordings_ui;
mod strip_props;
mod strip_ui;

pub(super) use conversation_ui::conversation_ui;
pub use strip_ui::PlaybackView;
pub(super) use strip_ui::strip_ui;
