//! Source text that can be edited: egui's text field with the colours, numbers and marks of [`code`](super::code), and
//! with find and replace. The editor does not own the text: every change is a request.

mod buffer;
mod editor_data;
mod editor_ui;
mod find_ui;
mod indent;
mod keys;
mod normalized;
mod paint;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod text_layout;

pub use editor_data::EditorData;
pub use editor_ui::{EditorRequest, editor_ui};
pub use state::EditorState;
