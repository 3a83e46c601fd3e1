//! The window: views read plain data and push what the user wants as actions. A `data.rs` knows nothing of egui.

pub mod code;
pub mod inspector;
