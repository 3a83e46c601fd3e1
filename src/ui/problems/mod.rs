//! The problems desk: all problems by rule or by file, with their places.

mod data;
mod detail_ui;
mod places_ui;
mod preview;
mod preview_ui;
mod problems_ui;
mod rules_ui;

pub use data::{ExampleLine, FileRow, Folder, ListRow, ProblemsData, RuleDetail};
pub use preview::{Preview, PreviewText};
pub use problems_ui::{ProblemsState, by_ui, problems_ui};
