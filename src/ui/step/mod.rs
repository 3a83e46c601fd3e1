//! A planned change of documents with its files, which is applied, saved or cancelled.

mod data;
mod step_ui;

pub use data::{StepCell, StepData, StepEntry};
pub use step_ui::step_ui;
