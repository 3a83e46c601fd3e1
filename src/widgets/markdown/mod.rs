//! Rendered Markdown: paragraphs, lists, quotes, code and tables, in the fonts of the window.

mod markdown_data;
mod markdown_ui;

pub use markdown_data::Markdown;
pub use markdown_ui::{markdown_height, markdown_ui};
