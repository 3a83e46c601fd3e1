//! A whole run: the causes of its failures, and the failures of the selected cause.

mod triage_data;
mod triage_ui;

pub use triage_ui::{TriageView, triage_ui};
