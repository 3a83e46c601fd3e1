//! Source text, read-only: line numbers, colours, and marks where something is wrong.

mod code_ui;
mod data;

pub use code_ui::{CodeState, Focus, code_ui};
pub(crate) use data::grouped;
pub use data::{CodeData, Facts, Mark, ShownLine};
