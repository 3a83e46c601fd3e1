//! Unsaved documents, each with the lines that would change on disk, and why it cannot be saved.

mod changes;
mod unsaved_data;
mod unsaved_ui;

pub use changes::{ChangeFolds, ChangedFile, file_ui};
pub use unsaved_data::UnsavedData;
pub use unsaved_ui::unsaved_ui;
