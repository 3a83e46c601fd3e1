//! Comparison of a recording's source: when recorded and now.

mod canvas;
mod changes_panel_ui;
mod data;
mod graph_ui;
mod stale_ui;

pub use data::StaleData;
pub use graph_ui::GraphState;
pub use stale_ui::stale_ui;
