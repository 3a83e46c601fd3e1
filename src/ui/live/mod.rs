//! The live desk: requests waiting at queues, and calls that are recorded or served.

mod calls_ui;
mod drift_data;
mod drift_ui;
mod live_ui;
mod queue;

pub use live_ui::{LiveView, live_ui};
pub use queue::rule_ui;
