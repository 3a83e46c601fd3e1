//! The field for a path: what is typed, what it names, and how it could continue.

use std::path::Path;

use crate::{Dialog, DialogKind, Latest, Overlay};
use protocol::{PathKind, PathLookup};

/// Action of the user in the field.
#[derive(Clone, Debug, PartialEq)]
pub enum PathAction {
    /// Sets the text.
    Edit(String),
    /// Completes the text as far as all names agree.
    Complete,
    /// Replaces the text by a completion.
    Choose(String),
    /// Opens the path, or gives it to the part that needs it.
    Submit,
    /// Closes the field.
    Close,
}

/// Step that follows when the path has been looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStep {
    Complete,
    Submit,
}

/// The field, while it is shown.
#[derive(Debug, Default)]
pub struct PathField {
    pub text: String,
    /// The dialog that the desktop could not show; `None` to open the path.
    pub dialog: Option<Dialog>,
    /// Whether the path was chosen in the dialog, and its name does not fit.
    pub is_refused: bool,
    /// File or folder that the text names.
    pub found: Latest<String, PathLookup>,
    /// Fault of the submitted path.
    pub fault: Option<String>,
    /// Counts the texts that were not typed; after such a text the cursor is at its end.
    pub completed: u64,
    /// Step that waits for the lookup.
    pub(crate) next: Option<PathStep>,
    /// The form that the path is for.
    pub form: Option<Overlay>,
}

impl PathField {
    /// Returns the completions of the current text.
    pub fn completions(&self) -> &[String] {
        // While a text is being looked up, the completions are those of the previous text.
        let is_current = self.found.key.as_ref() == Some(&self.text);
        let lookup = self.found.value.as_ref().filter(|_| is_current);
        lookup.map_or(&[], |lookup| &lookup.completions)
    }

    /// Returns the text with what all completions have in common.
    pub(crate) fn completed_text(&self) -> Option<String> {
        let (first, other_names) = self.completions().split_first()?;
        let prefix = other_names.iter().fold(first.as_str(), |prefix, other| {
            // By characters, so that none is cut.
            let pairs = prefix.chars().zip(other.chars());
            let length = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8());
            &prefix[..length.sum()]
        });
        (prefix.len() > self.text.len()).then(|| prefix.to_owned())
    }

    /// Returns the path if it fits, or what is wrong with it.
    pub(crate) fn check(&self) -> Result<&Path, String> {
        use DialogKind::{File, Files, Folder, Save, SavePicture};
        if self.text.trim().is_empty() {
            return Err("Type a path first".to_owned());
        }
        let lookup = self.found.value.as_ref().ok_or_else(|| "Not looked up yet".to_owned())?;
        let kind = self.dialog.as_ref().map(|dialog| &dialog.kind);
        kind.map_or(Ok(()), |kind| kind.check_name(&lookup.path))?;
        match (kind, &lookup.kind) {
            // The desktop's dialog warns before it replaces a file; this field does not.
            (Some(Save(_) | SavePicture(_)), Ok(PathKind::File)) => {
                Err("A file of this name exists; choose another name".to_owned())
            }
            (Some(Save(_) | SavePicture(_) | File | Files), Ok(PathKind::Folder)) => {
                Err("Expected a file, found a folder".to_owned())
            }
            (Some(Folder), Ok(PathKind::File)) => Err("Expected a folder, found a file".to_owned()),
            // A file to write need not exist.
            (Some(Save(_) | SavePicture(_)), Err(_)) | (_, Ok(_)) => Ok(&lookup.path),
            (_, Err(fault)) => Err(fault.clone()),
        }
    }
}
