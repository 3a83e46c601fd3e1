//! Samples that are part of the program.

use std::path::PathBuf;

use super::Core;

impl Core {
    /// Returns whether one of these paths is in the samples. They are deleted with the window, so they are not remembered.
    pub(crate) fn are_samples(&self, paths: &[PathBuf]) -> bool {
        let is_sample = |path: &PathBuf| self.samples.iter().any(|folder| path.starts_with(folder));
        paths.iter().any(is_sample)
    }
}
