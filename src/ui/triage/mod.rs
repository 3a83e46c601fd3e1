//! A whole run: the causes of its failures; and one failure with the nearest recordings.

mod call_marks;
mod failure_data;
mod failure_ui;
mod triage_data;
mod triage_ui;
mod value_ui;

pub use failure_data::FailureData;
pub use failure_ui::failure_ui;
pub use triage_data::TriageData;
pub use triage_ui::triage_ui;
pub(crate) use value_ui::{ChangedValue, value_ui};
