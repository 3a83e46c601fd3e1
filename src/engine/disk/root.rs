//! The project root: the folder below which files may be read, and the only way to read them.
//!
//! A [`Root`] is a handle, not a path: whatever a file refers to is opened below that handle, and the system refuses
//! paths that lead out of it, links included. A path that the user names is resolved first, so that an error can name its target,
//! and then opened beneath the handle as well.

mod file;
mod folder;
mod opened;
mod path;
mod refusal;
mod user_path;

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

use crate::disk::file_stamp::{Identity, identity};
use crate::disk::project_settings::ProjectSettings;
use crate::disk::staged::StagedProject;
use check::settings::FILE_NAME;
use document::Document;
use document::text::Source;
use file::check_kind_and_size;
use path::check_relative;

pub use file::MAX_FILE_BYTES;
pub(crate) use file::{
    RegularFile, check_regular, is_compressed, is_packed, kind_name, read_and_keep, read_file,
    read_regular, uninterrupted, unpacked,
};
pub(crate) use folder::OpenFolder;
pub use opened::{OpenedPath, ReadBounds, default_paths, open_all, open_each};
pub(crate) use opened::{open_one, open_staged};
pub use path::beneath;
pub(crate) use path::{display_path, folder_of, given_path, joined, parent_folder, path_below};
pub use refusal::{OpenError, ReadRefusal};
pub(crate) use refusal::{describe_error, to_sentence};
pub use user_path::{check_folder, enclosing_project};
pub(crate) use user_path::{project_above, real_above, real_path};

/// The folder that bounds all reading.
#[derive(Debug)]
pub struct Root {
    pub dir: Dir,
    path: PathBuf,
    pub(crate) settings: ProjectSettings,
    /// The git index, where files are read from it instead of the folder.
    pub(crate) staged: Option<StagedProject>,
}

impl Root {
    /// Opens a folder as root.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not exist, is not a folder, or cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = std::fs::canonicalize(path)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self {
            settings: ProjectSettings::parse(read_file(&dir, Path::new(FILE_NAME))),
            dir,
            path,
            staged: None,
        })
    }

    /// Applies what bounds reading to the settings.
    pub(crate) fn within(mut self, bounds: &ReadBounds<'_>) -> Self {
        self.settings.settings.lists_git_ignored |= bounds.lists_git_ignored;
        self
    }

    /// Opens a folder as root of what is staged in it.
    ///
    /// # Errors
    ///
    /// As [`Root::open`].
    pub(crate) fn of_staged(path: &Path, mut staged: StagedProject) -> io::Result<Self> {
        // The settings, like the files, are those that will be committed.
        let settings = ProjectSettings::parse(staged.read(FILE_NAME));
        staged.find(&settings);
        Ok(Self { settings, staged: Some(staged), ..Self::open(path)? })
    }

    /// Parses the text of a file by its path from here, by the description of its format if it has one.
    pub(crate) fn parse(&self, source: Source, path: &str) -> Document {
        self.settings.settings.formats.read(source, path)
    }

    /// Returns its absolute path without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether its `retake.toml` has changed.
    pub(crate) fn has_other_settings(&self) -> bool {
        // By content, since a stamp also changes when the same text is written again.
        self.settings.file != read_file(&self.dir, Path::new(FILE_NAME))
    }

    /// Reads a file that another file names, by a path from the root.
    ///
    /// # Errors
    ///
    /// As [`beneath`] says, and whatever keeps the file from being read.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, ReadRefusal> {
        let path = beneath(path)?;
        match &self.staged {
            Some(staged) => staged.read(&path),
            None => read_file(&self.dir, Path::new(&path)),
        }
    }

    /// Returns the absolute path and the identity of a folder below the root; `None` when there is none.
    pub(crate) fn folder(&self, beneath: &Path) -> Option<(PathBuf, Option<Identity>)> {
        // The system knows no folder by an empty path.
        let metadata = if beneath.as_os_str().is_empty() {
            self.dir.dir_metadata()
        } else {
            self.dir.metadata(beneath)
        };
        let metadata = metadata.ok().filter(Metadata::is_dir)?;
        Some((self.path.join(beneath), identity(&metadata)))
    }

    /// Whether there is a file at a path that another file writes, taken from `folder` (from the root). It is not read.
    /// Such a path may contain `..`: the handle ensures that it stays below the root.
    ///
    /// # Errors
    ///
    /// The reason the file could not be read.
    pub fn probe_from(&self, folder: &str, path: &str) -> Result<(), ReadRefusal> {
        check_relative(path)?;
        let metadata = self
            .dir
            .metadata(Path::new(folder).join(path))
            .map_err(|error| ReadRefusal::from_error(&error))?;
        check_kind_and_size(metadata.file_type(), metadata.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn nothing_is_read_through_a_link_that_leads_out() {
        use std::os::unix::fs::symlink;
        let temp = tempfile::tempdir().unwrap();
        let place = |path: &str| temp.path().join(path);
        std::fs::create_dir_all(place("root/a")).unwrap();
        std::fs::write(place("secret"), "secret").unwrap();
        std::fs::write(place("root/inside"), "inside").unwrap();
        symlink(place("secret"), place("root/absolute")).unwrap();
        symlink("../../secret", place("root/a/up")).unwrap();
        symlink("..", place("root/a/here")).unwrap();
        symlink("loop", place("root/loop")).unwrap();

        let root = Root::open(&place("root")).unwrap();
        assert_eq!(root.read("a/here/inside").unwrap(), b"inside");
        for path in ["absolute", "a/up", "a/here/absolute"] {
            assert!(matches!(root.read(path), Err(ReadRefusal::Outside(_))), "{path}");
        }
        assert_eq!(
            root.read("loop").unwrap_err().to_string(),
            "it is a link that points to itself"
        );
        assert_eq!(root.read("a").unwrap_err().to_string(), "it is a folder, not a file");
        assert_eq!(root.read("a/none"), Err(ReadRefusal::Missing));
        assert_eq!(root.read("inside/none"), Err(ReadRefusal::Missing));
    }
}
