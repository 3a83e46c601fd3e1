//! The terminal panel: proposed commands, the running command, and its output.

mod data;
mod offer_ui;
mod output_ui;
mod terminal_ui;

pub(crate) use data::running_for;
pub use data::{Asking, Body, TerminalData};
pub(crate) use offer_ui::regenerate_ui;
pub use terminal_ui::{TerminalState, terminal_ui};
