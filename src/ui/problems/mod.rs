//! The problems desk: everything that is wrong, by rule or by file, with the place it stands at.

mod data;

pub use data::{
    ExampleLine, FileRow, Folder, ListRow, Preview, PreviewText, ProblemsData, RuleDetail,
};
