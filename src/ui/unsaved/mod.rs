//! Unsaved documents, each with the lines that would change on disk, and why it cannot be saved.

mod data;
mod unsaved_ui;

pub use data::{UnsavedData, UnsavedEntry, UnsavedFault};
pub use unsaved_ui::unsaved_ui;
