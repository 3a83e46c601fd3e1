//! The sessions desk: a session as a form, and beside it the contract that it has to keep, or its text.

mod contract;
mod faults_ui;
mod field_ui;
mod form_ui;
mod response_ui;
mod row_ui;
mod sessions_data;
mod sessions_ui;
mod table_ui;

pub use contract::{answers_ui, listing_ui};
pub use sessions_ui::{SessionsView, sessions_ui};
