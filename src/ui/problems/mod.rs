//! The problems desk: rules, the places of the selected one, and what its fix changes.

mod places_ui;
mod problems_data;
mod problems_ui;

pub use problems_data::ProblemsData;
pub use problems_ui::{ProblemsState, problems_ui};
