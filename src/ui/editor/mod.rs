//! Source text that can be edited: egui's text field with the colours, numbers and marks of [`code`](super::code), and
//! with find and replace. The editor does not own the text: every change is a request.

mod buffer;
mod data;
mod editor_ui;
mod find_ui;
mod indent;
mod keys;
mod laid;
mod paint;
mod search;
mod shown;
mod state;
#[cfg(test)]
mod tests;

pub use data::{Colour, EditorData, EditorText, Fixed};
pub use editor_ui::{EditorWish, editor_ui};
pub use shown::{Shown, Splice};
pub use state::EditorState;
