//! Unsaved edits of an earlier run of the program.

use std::path::PathBuf;

use document::text::Source;

/// An unsaved edit of an earlier run.
#[derive(Clone, Debug, PartialEq)]
pub struct RecoveredDraft {
    /// Identifies it among the drafts that are offered.
    pub id: u64,
    /// The file that was edited, as an absolute path.
    pub path: PathBuf,
    /// When the draft was stored, in seconds since 1970, UTC.
    pub seconds: i64,
    /// The content of the file when the edit began; `None` for a new file.
    pub base: Option<Source>,
    /// The edited text.
    pub text: Source,
    /// The present state of the file.
    pub file_state: DraftFileState,
}

/// The present state of a file whose draft was stored.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftFileState {
    /// The file has the content that the edit is based on.
    Same,
    /// The file has a different content.
    Changed(Source),
    /// The file does not exist any more.
    Gone,
    /// The file cannot be read, for this reason.
    Unreadable(String),
}

/// The drafts that are offered at startup.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecoveredDrafts {
    /// In the order in which they were stored.
    pub drafts: Vec<RecoveredDraft>,
    /// A sentence for each draft that cannot be read. Its file is not deleted.
    pub remarks: Vec<String>,
}
