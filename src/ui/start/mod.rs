//! The start page, shown while nothing is open.

mod data;
mod illustrations;
mod start_ui;

pub use data::{Recent, StartData};
pub use start_ui::start_ui;
