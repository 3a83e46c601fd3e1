//! Markdown as people read it: paragraphs, lists, quotes, code and tables, in the window's own type.

mod data;
mod markdown_ui;

pub use data::{Block, BlockKind, Face, Lead, Markdown, Span};
pub use markdown_ui::markdown_ui;
