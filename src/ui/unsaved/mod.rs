//! What is not saved: each document with the lines that would change on disk, and what stands in the way.

mod data;
mod unsaved_ui;

pub use data::{Entry, Fault, UnsavedData};
pub use unsaved_ui::unsaved_ui;
