//! Dialogs of the desktop in which the user chooses files and folders.

use std::any::Any;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use machine::picture::check_picture_name;

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
