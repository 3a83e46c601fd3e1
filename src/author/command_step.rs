//! Steps of the command line that can be undone.

use std::path::PathBuf;

/// Treatment of files that have changed since, when a step is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoMode {
    /// Any of them prevents it.
    All,
    /// They stay as they are; the others are restored.
    SkipChanged,
    /// All files stay as they are; the step is only forgotten.
    Forget,
}

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
