//! The seeds desk: all seeds as a grid, the lookup, and its answer.

mod answer_ui;
pub mod data;
mod form_ui;
mod grid_ui;
mod lookup_ui;
mod row_ui;
mod seeds_ui;

pub use data::SeedsData;
pub use seeds_ui::{SeedsState, seeds_ui};
