//! A planned change of documents with its files, which is applied, saved or cancelled.

mod step_data;
mod step_ui;

pub use step_data::StepData;
pub use step_ui::step_ui;
