//! Dialogs of the desktop in which the user chooses files and folders.

use std::any::Any;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Core;
use super::effect::Effect;
use document::Severity;
use machine::picture::{Picture, PictureTheme, check_picture_name};
use protocol::{DrawPicture, Theme};

/// A dialog, and the action that follows from its answer.
#[derive(Clone)]
pub struct Dialog {
    pub title: &'static str,
    pub kind: DialogKind,
    pub(crate) then: Arc<dyn Fn(Vec<PathBuf>) -> Option<Choice> + Send + Sync>,
}

/// The action that follows from a choice; its type belongs to the part that opened the dialog.
#[derive(Debug)]
pub struct Choice(pub(crate) Box<dyn Any + Send>);

/// Kind of choice in a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogKind {
    File,
    Files,
    Folder,
    Folders,
    /// A file to write, with this proposal. Confirms replacing an existing one.
    Save(PathBuf),
    /// The same for a picture, whose name must end in .svg.
    SavePicture(PathBuf),
}

impl DialogKind {
    /// Returns the proposed file.
    pub(crate) fn proposal(&self) -> Option<&Path> {
        match self {
            Self::Save(proposal) | Self::SavePicture(proposal) => Some(proposal),
            Self::File | Self::Files | Self::Folder | Self::Folders => None,
        }
    }

    /// Checks the name of a chosen file.
    ///
    /// # Errors
    ///
    /// Returns the fault in the name, as a sentence without a full stop.
    pub fn check_name(&self, path: &Path) -> Result<(), String> {
        match self {
            Self::SavePicture(_) => check_picture_name(&path.to_string_lossy()),
            _ => Ok(()),
        }
    }
}

impl Dialog {
    /// Returns the action for what was chosen; `None` when nothing was.
    pub fn answer(&self, paths: Vec<PathBuf>) -> Option<Choice> {
        (self.then)(paths)
    }
}

impl fmt::Debug for Dialog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}", self.title, self.kind)
    }
}

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
        self.request(Effect::pick("Save the picture as SVG", proposal, draw));
    }

    /// Shows the path of the written file, or why it was not written: a sentence without a full stop.
    pub(crate) fn on_picture_drawn(&mut self, result: Result<String, String>) {
        if let Some(path) = self.or_notify(result) {
            self.notify(Severity::Note, format!("Saved the picture as {path}."));
        }
    }
}
