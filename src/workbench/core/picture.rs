//! Pictures of what is shown, written to files.

use std::sync::Arc;

use super::Core;
use super::dialog::DialogKind;
use super::effect::Effect;
use crate::format::Severity;
use crate::ops::picture::{Picture, PictureTheme};
use crate::workbench::requests::{DrawPicture, Theme};

impl Core {
    /// The colors of the window.
    pub(in crate::workbench) fn picture_theme(&self) -> PictureTheme {
        match self.theme() {
            Theme::Dark => PictureTheme::Dark,
            // The theme of the system is known to the window alone.
            Theme::Light | Theme::System => PictureTheme::Light,
        }
    }

    /// Opens a dialog to choose the file of a picture, with the name of what it shows without its ending.
    pub(in crate::workbench) fn pick_picture_path(&mut self, name: &str, picture: Picture) {
        let proposal = DialogKind::SavePicture(format!("{name}.svg").into());
        let picture = Arc::new(picture);
        let draw = move |path| DrawPicture { path, picture: Arc::clone(&picture) };
        let title = "Save the picture as SVG";
        self.request(Effect::pick(title, proposal, draw));
    }

    /// Shows the path of the written file, or why it was not written: a sentence without a full stop.
    pub(in crate::workbench) fn on_picture_drawn(&mut self, drawn: Result<String, String>) {
        match drawn {
            Ok(path) => self.notify(Severity::Note, format!("Saved the picture as {path}.")),
            Err(reason) => self.notify(Severity::Error, format!("{reason}.")),
        }
    }
}
