//! The panel of commands: what is proposed, what runs, and what it says.

mod data;
mod offer_ui;
mod output_ui;
mod terminal_ui;

pub(crate) use data::running_for;
pub use data::{Asking, Body, TerminalData};
pub(crate) use offer_ui::regenerate_ui;
pub use terminal_ui::{TerminalState, terminal_ui};
