//! A document that was changed both here and on disk: base, theirs and ours, and the result.

mod conflict_data;
mod conflict_ui;
mod lines_ui;

pub use conflict_data::{ConflictData, ConflictPlace, ConflictRow, ResultRow, VersionLine};
pub use conflict_ui::conflict_ui;
