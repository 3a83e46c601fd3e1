//! Opens the samples that are part of the program.

use std::path::PathBuf;

use super::effect::Effect;
use super::state::Core;

/// What the samples show first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleStop {
    /// The library.
    Library,
    /// The sources, of which one has changed so that recordings break.
    Sources,
    /// The sessions that are made of a report.
    Import,
    /// The re-recorded answers.
    Review,
}

/// A request to unpack the samples into a temporary folder, which are then opened at this stop.
#[derive(Debug)]
pub struct UnpackSamples(pub SampleStop);

/// The samples in a temporary folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpackedSamples {
    /// The folder to open.
    pub project: PathBuf,
    /// The report of which sessions are made.
    pub report: PathBuf,
    /// What is shown first.
    pub stop: SampleStop,
}

impl Core {
    /// Unpacks the samples, and opens them when that is done.
    pub(in crate::workbench) fn open_samples(&mut self, stop: SampleStop) {
        self.request(Effect::run(UnpackSamples(stop)));
    }

    /// Returns whether one of these paths is in the samples. They are deleted with the window, so they are not remembered.
    pub(in crate::workbench) fn are_samples(&self, paths: &[PathBuf]) -> bool {
        let is_sample = |path: &PathBuf| self.samples.iter().any(|folder| path.starts_with(folder));
        paths.iter().any(is_sample)
    }
}
