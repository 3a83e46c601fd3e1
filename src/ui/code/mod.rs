//! Source text, read-only: line numbers, colours, and marks where something is wrong.

mod code_ui;
mod data;
mod inline;

pub use code_ui::{CodeState, Focus, code_ui};
pub(crate) use data::grouped;
pub use data::{CodeData, Facts, Mark, ShownLine};
pub(crate) use inline::sentence;
