//! The problems desk: all problems by rule, with their places.

mod detail_ui;
mod folds;
mod places_ui;
mod preview;
mod preview_ui;
mod problems_data;
mod problems_ui;
mod rules_ui;

pub use folds::ProblemsState;
pub use preview::{PreviewText, ProblemPreview};
pub use problems_data::{ListRow, PlaceFolder, ProblemsData, RuleDetail};
pub use problems_ui::{grouping_ui, problems_ui};
