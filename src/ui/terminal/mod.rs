//! The terminal panel: proposed commands, the running command, and its output.

mod terminal_data;
mod terminal_ui;

pub use terminal_ui::terminal_ui;
