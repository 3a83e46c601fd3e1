//! Pictures of what is shown.

use super::dispatch::require;
use crate::Workbench;
use machine::picture::{Picture, PictureTheme};
use protocol::Desk;

impl Workbench {
    pub(super) fn needs_picture(&self) -> Result<(), &'static str> {
        let is_shown = if self.shows_map() {
            self.source.map().is_some()
        } else if self.core.shows(Desk::Playback) {
            self.playback.shown_strip().is_some()
        } else {
            self.core.shows(Desk::Tapes) && self.tapes.prepared().is_some()
        };
        require(is_shown, "show a tape, a map or a strip first")
    }

    /// Draws what is shown, and opens a dialog to choose the file. Without a theme, it gets the colors of the window.
    pub(crate) fn export_picture(&mut self, theme: Option<PictureTheme>) {
        let theme = theme.unwrap_or_else(|| self.core.picture_theme());
        if let Some((name, picture)) = self.picture(theme) {
            self.core.pick_picture_path(&name, picture);
        }
    }

    /// Draws what is shown; with the name of the file, without its ending.
    fn picture(&self, theme: PictureTheme) -> Option<(String, Picture)> {
        if self.shows_map() {
            self.source.picture(theme)
        } else if self.core.shows(Desk::Playback) {
            self.playback.strip_picture(theme)
        } else {
            self.tapes.picture(&self.core, theme)
        }
    }
}
