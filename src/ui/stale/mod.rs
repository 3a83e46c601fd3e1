//! Comparison of a recording's source: when recorded and now.

mod changes_panel_ui;
mod stale_data;
mod stale_ui;

pub use stale_data::StaleData;
pub use stale_ui::stale_ui;
