//! The palette: every command, file and problem, by a few letters of its name.

mod entries;
mod files;
mod palette_data;
mod palette_ui;

pub use entries::{PaletteEntry, PaletteGroup};
pub use palette_data::Palette;
pub use palette_ui::palette_ui;
