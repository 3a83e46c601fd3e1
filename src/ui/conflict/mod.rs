//! A document that was changed both here and on disk: base, theirs and ours, and the result.

mod conflict_ui;
mod data;
mod lines_ui;

pub use conflict_ui::conflict_ui;
pub use data::{ConflictData, ConflictPlace, ConflictRow, ConflictState, ResultRow, VersionLine};
