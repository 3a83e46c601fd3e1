//! The live desk: who waits at a queue, and the calls that are recorded or served.

mod calls;
mod live_ui;
mod queue;

pub use calls::{record_ui, serve_ui};
pub use live_ui::{LiveView, live_ui};
pub use queue::rule_ui;
