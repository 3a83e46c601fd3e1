//! The sessions desk: a session as a form, its text beside it, and the contract it has to keep.

mod contract_ui;
mod data;
mod head_ui;
mod list_ui;
mod sessions_ui;

pub use sessions_ui::{SessionsView, sessions_ui};
