//! The live desk: requests waiting at queues, and calls that are recorded or served.

mod calls;
mod live_ui;
mod queue;

pub use calls::{record_ui, serve_ui};
pub use live_ui::{LiveView, live_ui};
pub use queue::rule_ui;
