//! A whole run: the causes of its failures; and one failure with the nearest recordings.

mod call_marks;
mod failure_data;
mod failure_ui;
mod triage_data;
mod triage_ui;
mod value_ui;

pub use failure_ui::{FailureView, failure_ui};
pub use triage_ui::{TriageView, triage_ui};
