//! The start page, shown while nothing is open.

mod start_data;
mod start_ui;

pub use start_data::{Recent, StartData};
pub use start_ui::start_ui;
