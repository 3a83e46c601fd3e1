//! The sessions desk: a session as a form, its text beside it, and the contract it has to keep.

mod contract;
mod draft;
mod faults_ui;
mod field_ui;
mod form_state;
mod form_ui;
mod head_ui;
mod list_ui;
mod response_ui;
mod row_ui;
mod sessions_data;
mod sessions_ui;
mod strip_ui;
mod table_ui;
mod text_ui;

pub use contract::{answers_ui, listing_ui};
pub use sessions_ui::{SessionsView, sessions_ui};
