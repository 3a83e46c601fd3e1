//! The strip: the calls of a run as blocks along the time axis, and the recordings that answer them.

mod conversation_ui;
mod lanes_ui;
mod recordings_ui;
mod strip_props;
mod strip_ui;
mod transport_ui;

pub use conversation_ui::{SUMMARY_HEIGHT, conversation_ui, summary_ui};
pub use strip_ui::PlaybackView;
pub(super) use strip_ui::strip_ui;
