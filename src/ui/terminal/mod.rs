//! The terminal panel: proposed commands, the running command, and its output.

mod data;
mod output_ui;
mod regenerate_ui;
mod terminal_ui;

pub(crate) use data::running_for;
pub use data::{PromptData, TerminalBody, TerminalData};
pub(crate) use regenerate_ui::regenerate_ui;
pub use terminal_ui::{TerminalState, terminal_ui};
