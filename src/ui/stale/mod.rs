//! Comparison of a recording's source: when recorded and now.

mod aside_ui;
mod canvas;
mod changes;
mod data;
mod graph_ui;
mod stale_ui;
mod touched;

pub use data::StaleData;
pub use graph_ui::GraphState;
pub use stale_ui::stale_ui;
