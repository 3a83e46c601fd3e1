//! The problems desk: everything that is wrong, by rule or by file, with the place it stands at.

mod data;
mod detail_ui;
mod problems_ui;

pub use data::{
    ExampleLine, FileRow, Folder, ListRow, Preview, PreviewText, ProblemsData, RuleDetail,
};
pub use problems_ui::{ProblemsState, by_ui, problems_ui};
