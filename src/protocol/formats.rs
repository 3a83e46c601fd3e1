//! Descriptions of formats: previewed while they are typed, and added to the project's settings.

use std::sync::Arc;

use super::DocId;
use calls::Item;
use document::format::RecordingFormat;

/// Number of files that are previewed: enough to see whether a description fits.
pub const MAX_PREVIEWED_FILES: usize = 3;

/// Inputs of a preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatKey {
    /// The file for which the form was opened.
    pub doc: DocId,
    /// The description; `None` to guess one for the file.
    pub format: Option<RecordingFormat>,
}

/// A request for what a description finds in the first of its files. A newer one replaces it.
#[derive(Debug)]
pub struct PreviewFormat {
    pub key: FormatKey,
    pub item: Arc<Item>,
}

/// The calls that a description finds.
#[derive(Clone, Debug, PartialEq)]
pub struct FormatPreview {
    /// The description that was requested or guessed.
    pub format: RecordingFormat,
    /// The first of its files, as they are read by it.
    pub files: Vec<Item>,
    /// Number of all its files.
    pub count: usize,
}

/// A request to add a description to the settings of the project.
#[derive(Debug)]
pub struct SaveFormat {
    pub format: RecordingFormat,
    /// The message after it is done, without a full stop.
    pub message: String,
}
