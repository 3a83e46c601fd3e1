//! The terminal panel: proposed commands, the running command, and its output.

mod regenerate_ui;
mod terminal_data;
mod terminal_ui;

pub(crate) use regenerate_ui::regenerate_ui;
pub use terminal_data::TerminalData;
pub use terminal_ui::terminal_ui;
