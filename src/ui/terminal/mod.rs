//! The terminal panel: proposed commands, the running command, and its output.

mod data;
mod regenerate_ui;
mod terminal_ui;

pub use data::TerminalData;
pub(crate) use regenerate_ui::regenerate_ui;
pub use terminal_ui::terminal_ui;
