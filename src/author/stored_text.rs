//! A text that Retake keeps about itself: its log, or a report of a crash.

use std::path::PathBuf;

/// A text that Retake keeps about itself. Secrets of known forms are masked in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredText {
    /// Its file; empty if there is none.
    pub path: PathBuf,
    pub text: String,
}
