//! The palette: every command, file and problem, by a few letters of its name.

mod data;
mod files;
mod palette_ui;

pub use data::{Entry, Group, Palette, Scope};
pub use palette_ui::palette_ui;
