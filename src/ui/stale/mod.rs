//! The source of a recording as it was and as it is.

mod data;
mod stale_ui;

pub use data::StaleData;
pub use stale_ui::stale_ui;
