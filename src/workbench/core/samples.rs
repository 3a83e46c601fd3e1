//! Opens the samples that are part of the program.

use std::path::PathBuf;

use super::Core;
use super::effect::Effect;
use protocol::{SampleStop, UnpackSamples};

impl Core {
    /// Unpacks the samples, and opens them when that is done.
    pub(crate) fn open_samples(&mut self, stop: SampleStop) {
        self.request(Effect::run(UnpackSamples(stop)));
    }

    /// Returns whether one of these paths is in the samples. They are deleted with the window, so they are not remembered.
    pub(crate) fn are_samples(&self, paths: &[PathBuf]) -> bool {
        let is_sample = |path: &PathBuf| self.samples.iter().any(|folder| path.starts_with(folder));
        paths.iter().any(is_sample)
    }
}
