//! Calls that are recorded or served: what runs, each call along its time, and why it got its answer.

mod calls_ui;

pub(super) use calls_ui::{CallsView, calls_ui, runs_ui};
