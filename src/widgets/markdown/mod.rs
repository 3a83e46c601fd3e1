//! Rendered Markdown: paragraphs, lists, quotes, code and tables, in the fonts of the window.

mod data;
mod markdown_ui;

pub use data::Markdown;
pub use markdown_ui::{markdown_height, markdown_ui};
