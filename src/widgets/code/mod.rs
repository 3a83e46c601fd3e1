//! Source text, read-only: line numbers, colours, and marks where something is wrong.

mod code_data;
mod code_ui;
mod colours;
mod inline;
pub(crate) mod margin;

pub use code_data::{CodeData, ProblemMark};
pub use code_ui::{CodeFocus, CodeState, code_ui, piece_color};
pub use colours::{SyntaxPiece, all_pieces};
pub use inline::sentence;
