//! The queue: who waits, what is asked, and the answer as it will be written.

mod queue_ui;

pub(super) use queue_ui::{QueueView, queue_ui, waiting_ui};
