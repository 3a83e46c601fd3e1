//! Imports an incident as sessions or as a fixture of its calls: drafts, the origin of each field, secrets, the file, and saving.

mod fetch_ui;
mod fixture_ui;
mod incident_data;
mod incident_ui;
mod list_ui;
mod personal_data_ui;
mod save_ui;

pub use fetch_ui::fetch_ui;
pub use incident_data::ImportView;
pub use incident_ui::{empty_ui, incident_ui};
pub use save_ui::save_ui;
