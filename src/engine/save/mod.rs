//! Saving a file so that nothing is lost: whatever happens, the old or the new text is there, whole.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;

use crate::engine::root::Root;
use crate::ops::saving::{Expected, ReadOnly, SaveFault, Saved};

/// Where a file is written.
#[derive(Clone, Debug)]
pub struct Target {
    /// Nothing is written outside this folder.
    dir: Arc<Dir>,
    /// Where that folder lies.
    folder: Arc<Path>,
    /// Path of the file beneath it.
    beneath: PathBuf,
    /// The file, for people.
    shown: Arc<str>,
}

impl Target {
    /// A file beneath a root, by its path from there; it need not exist. For a file that is open see
    /// [`Project::target`](super::Project::target).
    ///
    /// # Errors
    ///
    /// [`Fault::Outside`](crate::ops::saving::Fault::Outside) for a path that could lead out.
    pub fn beneath(_root: &Root, _path: &str) -> Result<Self, SaveFault> {
        todo!()
    }

    /// A file that the user named for this very save, in a dialog or as an argument; it may lie anywhere.
    ///
    /// # Errors
    ///
    /// When its folder cannot be opened.
    pub fn chosen(_path: &Path) -> Result<Self, SaveFault> {
        todo!()
    }

    /// Where the file lies, as an absolute path.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.beneath)
    }
}

/// A file to be written.
#[derive(Clone, Debug)]
pub struct SaveRequest {
    /// Where.
    pub target: Target,
    /// All that it shall hold.
    pub bytes: Arc<[u8]>,
    /// What has to be there now.
    pub expected: Expected,
    /// What is done when it is read-only.
    pub read_only: ReadOnly,
}

/// Writes a file, or leaves all as it is.
///
/// # Errors
///
/// The file is as it was, whole; see [`Fault`](crate::ops::saving::Fault) for the reasons.
pub fn save(_request: &SaveRequest) -> Result<Saved, SaveFault> {
    todo!()
}

/// How a save of many files went.
#[derive(Debug, Default)]
pub struct Batch {
    /// What was written, in order.
    pub written: Vec<(SaveRequest, Saved)>,
    /// What was not, and why. To go on, pass these requests to [`save_all`] again.
    pub left: Vec<(SaveRequest, SaveFault)>,
}

/// Writes many files, each by itself: one that fails keeps no other from being written.
pub fn save_all(_requests: Vec<SaveRequest>) -> Batch {
    todo!()
}

/// Removes what a save that was killed has left beneath a folder. Touches nothing else, and nothing of a save that
/// still runs.
pub fn clean_leftovers(_root: &Dir) {
    todo!()
}
