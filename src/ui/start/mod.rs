//! The start page, shown while nothing is open.

mod illustrations;
mod start_data;
mod start_ui;

pub use start_data::{Recent, StartData};
pub use start_ui::{paint_mark, start_ui};
