//! The map of a machine.

mod canvas;
mod map_ui;
mod node_ui;
mod versions_ui;

pub use map_ui::{MapView, map_ui};
