//! The problems desk: all problems by rule, with their places.

mod data;
mod detail_ui;
mod places_ui;
mod preview;
mod preview_ui;
mod problems_ui;
mod rules_ui;

pub use data::{ListRow, PlaceFolder, ProblemsData, RuleDetail};
pub use preview::{PreviewText, ProblemPreview};
pub use problems_ui::{ProblemsState, grouping_ui, problems_ui};
