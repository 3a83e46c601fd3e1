//! Source text that can be edited: egui's text field with the colours, numbers and marks of [`code`](super::code), and with
//! finding and replacing. It owns no text: every change is a wish.

mod buffer;
mod data;
mod indent;
mod laid;
mod search;
mod shown;

pub use data::{Colour, EditorData, EditorText, Fixed};
pub use shown::{Change, Shown};
