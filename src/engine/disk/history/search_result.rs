//! The result of a search through a history.

use std::fmt;
use std::sync::Arc;

use calls::source::SourceOrigin;
use document::text::count;

/// The exact bytes that a recording was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalSource {
    /// The bytes; their SHA-256 is the recorded one.
    pub bytes: Vec<u8>,
    /// The place at which they were found; of a commit, the newest that has them.
    pub origin: SourceOrigin,
    /// True when that place has them with different line ends.
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
                count(*commits, "commit")
            ),
            Self::Partial { commits, missing } => write!(
                f,
                "the history is incomplete ({missing} objects are missing, as in a partial clone): the available part \
                 of {} does not contain the text",
                count(*commits, "commit")
            ),
            Self::NotInHistory { commits } => write!(
                f,
                "the text was never committed: {} searched, including code blocks in Markdown",
                count(*commits, "commit")
            ),
            Self::LimitReached { commits } => write!(
                f,
                "the search stopped after {}: the history is too large",
                count(*commits, "commit")
            ),
            Self::Cancelled => f.write_str("the search was stopped"),
            Self::Broken(reason) => write!(f, "the git repository cannot be read: {reason}"),
        }
    }
}
