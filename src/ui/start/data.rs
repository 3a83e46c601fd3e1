//! What the start page shows.

use std::path::{Path, PathBuf};

use crate::workbench::Remembered;

/// A folder or file that was opened before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recent {
    /// Its own name.
    pub name: String,
    /// The folder it lies in, for people.
    pub place: String,
    /// What to open.
    pub path: PathBuf,
}

impl Recent {
    /// How a path is shown among recent ones.
    pub fn of(path: &Path) -> Self {
        let shown =
            |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().into_owned());
        Self {
            name: shown(path.file_name()).unwrap_or_else(|| path.to_string_lossy().into_owned()),
            place: shown(path.parent().map(Path::as_os_str)).unwrap_or_default(),
            path: path.to_owned(),
        }
    }
}

/// What the start page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartData {
    /// What was opened before, the latest first.
    pub recent: Vec<Recent>,
    /// Where the sample project lies, if it is there.
    pub samples: Option<PathBuf>,
}

impl StartData {
    /// Reads what is remembered. `samples` is the folder of the sample project, if one was found.
    pub fn new(remembered: &Remembered, samples: Option<PathBuf>) -> Self {
        Self {
            recent: remembered
                .recent
                .iter()
                .map(|path| Recent::of(path))
                .collect(),
            samples,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recent_folder_is_shown_by_its_name_and_its_place() {
        let recent = Recent::of(Path::new("/home/ada/helpdesk-agents"));
        assert_eq!(
            (recent.name.as_str(), recent.place.as_str()),
            ("helpdesk-agents", "/home/ada")
        );
        assert_eq!(Recent::of(Path::new("/")).name, "/");
    }
}
