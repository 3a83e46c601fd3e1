//! Typed paths, and pictures written to files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use document::text::counted;
use machine::picture::Picture;

/// Kind of file that a typed path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    File,
    Folder,
}

/// Result of looking up a typed path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathLookup {
    /// The path as an absolute one, without `~`.
    pub path: PathBuf,
    /// Kind of the file there, or the fault of the path.
    pub kind: Result<PathKind, String>,
    /// The text with each name that its last part begins; folders end with `/`.
    pub completions: Vec<String>,
}

/// A request to look up a path that is being typed.
#[derive(Debug)]
pub struct LookUpPath {
    pub text: String,
    /// The folder that a relative path begins at, or a file in it; `None` for the working directory.
    pub base: Option<PathBuf>,
}

/// Draws a picture into a file that the user chose in a dialog, which confirms replacing an existing one.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawPicture {
    pub path: PathBuf,
    pub picture: Arc<Picture>,
}

/// Returns the file name of a path; the path itself if it has none, as `/` and `..`.
pub(crate) fn name_of_path(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the file name of a single path, else the number of paths.
pub(crate) fn name_of_paths(paths: &[PathBuf], singular: &str, plural: &str) -> String {
    match paths {
        [path] => name_of_path(path),
        _ => counted(paths.len(), singular, plural),
    }
}
