//! The palette: every command, file and problem, by a few letters of its name.

mod data;
mod entries;
mod files;
mod palette_ui;

pub use data::{Palette, PaletteScope};
pub use entries::{PaletteEntry, PaletteGroup};
pub use palette_ui::palette_ui;
