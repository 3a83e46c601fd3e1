//! Unsaved edits that an earlier run of the program has left.

use std::path::PathBuf;

use crate::text::Source;

/// An unsaved edit that a run has left which ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Names it among those that are offered.
    pub id: u64,
    /// The file that was edited, as an absolute path.
    pub path: PathBuf,
    /// When the edit was kept, in seconds since 1970, UTC.
    pub seconds: i64,
    /// What the file held when the edit began; `None` for a file that was yet to be made.
    pub base: Option<Source>,
    /// The text as edited.
    pub text: Source,
    /// What has become of the file.
    pub now: Now,
}

/// What has become of a file since an edit of it was kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Now {
    /// It is what the edit is based on.
    Same,
    /// It holds another text.
    Changed(Source),
    /// It is gone.
    Gone,
    /// It cannot be read, for the reason given.
    Unreadable(String),
}

/// What is offered at a start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Left {
    /// In the order in which they were kept.
    pub drafts: Vec<Draft>,
    /// A sentence for each that is there and cannot be read. It stays where it is.
    pub remarks: Vec<String>,
}
