//! Data of the start page.

use std::path::{Path, PathBuf};

use workbench::Workbench;

/// A recently opened folder or file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent {
    pub name: String,
    /// The containing folder, for display.
    pub place: String,
    /// The path to open.
    pub path: PathBuf,
}

impl Recent {
    /// Formats a path for the list of recent ones.
    pub fn from_path(path: &Path) -> Self {
        let text_of =
            |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        Self {
            // The root of a disk has no name.
            name: text_of(path.file_name()).unwrap_or_else(|| path.to_string_lossy().into_owned()),
            place: text_of(path.parent().map(Path::as_os_str)).unwrap_or_default(),
            path: path.to_owned(),
        }
    }
}

/// Data of the start page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartData {
    /// Recently opened paths, latest first.
    pub recent: Vec<Recent>,
    /// Whether keys are for this page: nothing is shown over it.
    pub has_focus: bool,
}

impl StartData {
    /// Reads the remembered state.
    pub fn new(workbench: &Workbench) -> Self {
        let recent = workbench.core.remembered.recent.iter();
        Self {
            recent: recent.map(|path| Recent::from_path(path)).collect(),
            has_focus: workbench.core.overlay.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recent_folder_is_shown_by_its_name_and_its_place() {
        let recent = Recent::from_path(Path::new("/home/ada/helpdesk-agents"));
        assert_eq!((recent.name.as_str(), recent.place.as_str()), ("helpdesk-agents", "/home/ada"));
        assert_eq!(Recent::from_path(Path::new("/")).name, "/");
    }
}
