//! Steps of the command line that can be undone.

use std::path::PathBuf;

/// One command that wrote files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandStep {
    /// Identifies it among the steps of its project.
    pub id: Box<str>,
    /// The command as a line, such as `retake stamp fixtures`.
    pub command: String,
    /// When it ran, in seconds since 1970, UTC.
    pub seconds: i64,
    /// The files that it wrote, as absolute paths, in order.
    pub files: Vec<PathBuf>,
}
