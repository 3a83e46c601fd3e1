//! Pictures of the selected tape.

use super::TapesDesk;
use crate::core::Core;
use author::tape_picture::{PictureOptions, draw_picture};
use machine::picture::{Picture, PictureTheme};

impl TapesDesk {
    /// Draws the visible part of the tape that is shown; with its name.
    pub(crate) fn picture(&self, core: &Core, theme: PictureTheme) -> Option<(String, Picture)> {
        let item = core.library.get(self.selected?)?;
        let options = PictureOptions {
            title: item.label().to_owned(),
            shown: Some(self.shown()),
            pace: self.transport.pace,
            silence_nanos: self.silence_nanos(),
            theme,
        };
        let name = item.file_name();
        let stem = name.strip_suffix(".json").unwrap_or(name);
        Some((stem.to_owned(), draw_picture(self.prepared()?, &options)))
    }
}
