//! The result of a search through a history.

use std::fmt;
use std::sync::Arc;

/// A source as it was when it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInHistory {
    /// The text, byte for byte: its SHA-256 is the recorded one.
    pub text: Vec<u8>,
    /// The newest commit that has it, 40 hex digits.
    pub commit: String,
    /// Time at which that was committed, in seconds since 1970 (UTC).
    pub committed_at: i64,
    /// Its path in that commit, relative to the project root when the repository is there.
    pub path: String,
    /// The line of the fence that opens the code block, from 1, where the path is a Markdown file that holds it in one.
    pub line: Option<u32>,
    /// True when the commit contains it with different line ends than it was recorded with.
    pub line_ends_differ: bool,
}

/// Reason that the recorded text was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFound {
    /// There is no git repository inside the project root.
    NoRepository,
    /// The repository, or a part of it, is outside the project root and was not read; with the reason.
    OutsideRoot(Arc<str>),
    /// The history was cut off by a shallow clone before the text was found.
    Shallow {
        /// Commits searched.
        commits: usize,
    },
    /// Objects are missing, as in a partial clone.
    Partial {
        /// Commits searched.
        commits: usize,
        /// Objects that are missing.
        missing: usize,
    },
    /// The whole history was searched: the text was never committed.
    NotInHistory {
        /// Commits searched.
        commits: usize,
    },
    /// A search limit was reached.
    LimitReached {
        /// Commits searched.
        commits: usize,
    },
    /// The user cancelled the search.
    Cancelled,
    /// The repository cannot be read; with the reason.
    Broken(Arc<str>),
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRepository => f.write_str("the project root contains no git repository"),
            Self::OutsideRoot(reason) => {
                write!(f, "the git repository was not read: {reason}")
            }
            Self::Shallow { commits } => write!(
                f,
                "the history is incomplete (a shallow clone): none of its {} contains the text; \
                 `git fetch --unshallow` fetches the rest",
                Commits(*commits)
            ),
            Self::Partial { commits, missing } => write!(
                f,
                "the history is incomplete ({missing} objects are missing, as in a partial clone): the available part \
                 of {} does not contain the text",
                Commits(*commits)
            ),
            Self::NotInHistory { commits } => write!(
                f,
                "the text was never committed: {} searched, including code blocks in Markdown",
                Commits(*commits)
            ),
            Self::LimitReached { commits } => write!(
                f,
                "the search stopped after {}: the history is too large",
                Commits(*commits)
            ),
            Self::Cancelled => f.write_str("the search was stopped"),
            Self::Broken(reason) => write!(f, "the git repository cannot be read: {reason}"),
        }
    }
}

struct Commits(usize);

impl fmt::Display for Commits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 commit"),
            count => write!(f, "{count} commits"),
        }
    }
}
