//! Pictures of what is shown, written to files.

use std::sync::Arc;

use super::Core;
use super::dialog::DialogKind;
use super::effect::Effect;
use document::Severity;
use machine::picture::{Picture, PictureTheme};
use protocol::{DrawPicture, Theme};

impl Core {
    /// The colors of the window.
    pub(crate) fn picture_theme(&self) -> PictureTheme {
        match self.theme() {
            Theme::Dark => PictureTheme::Dark,
            // Only the window knows the theme of the system.
            Theme::Light | Theme::System => PictureTheme::Light,
        }
    }

    /// Opens a dialog to choose the file of a picture, with the name of what it shows without its ending.
    pub(crate) fn pick_picture_path(&mut self, name: &str, picture: Picture) {
        let proposal = DialogKind::SavePicture(format!("{name}.svg").into());
        let picture = Arc::new(picture);
        let draw = move |path| DrawPicture { path, picture: Arc::clone(&picture) };
        let title = "Save the picture as SVG";
        self.request(Effect::pick(title, proposal, draw));
    }

    /// Shows the path of the written file, or why it was not written: a sentence without a full stop.
    pub(crate) fn on_picture_drawn(&mut self, result: Result<String, String>) {
        if let Some(path) = self.or_notify(result) {
            self.notify(Severity::Note, format!("Saved the picture as {path}."));
        }
    }
}
