//! The palette: every command, file and problem, by a few letters of its name.

mod data;
mod files;
mod palette_ui;

pub use data::{Palette, PaletteEntry, PaletteGroup, PaletteScope};
pub use palette_ui::palette_ui;
