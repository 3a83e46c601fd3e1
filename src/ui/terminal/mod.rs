//! The panel of commands: what is proposed, what runs, and what it says.

mod data;
mod output_ui;
mod terminal_ui;

pub(crate) use data::running_for;
pub use data::{Asking, Body, TerminalData};
pub use terminal_ui::{TerminalState, terminal_ui};
