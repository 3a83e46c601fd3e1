//! The seeds desk: all seeds as a grid, the lookup, and its answer.

mod answer_ui;
mod form_ui;
mod grid_ui;
pub mod seeds_data;
mod seeds_ui;

pub use seeds_data::SeedsData;
pub use seeds_ui::{SeedsState, seeds_ui};
