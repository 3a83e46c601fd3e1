//! A planned change of documents with its files, which is applied, saved or cancelled.

mod data;
mod step_ui;

pub use data::StepData;
pub use step_ui::step_ui;
