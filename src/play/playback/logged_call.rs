//! An answered call in a log.

use std::fmt;
use std::sync::Arc;

/// An answered call in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedCall {
    /// Line, from 1.
    pub line: usize,
    /// The step; `None` if the log only names the recording.
    pub step: Option<LoggedStep>,
    /// For a call by position: index of the recording, from 0, and number of recordings.
    pub position: Option<(usize, usize)>,
    /// The tools of the request, which are printed if a signature matches.
    pub tools: Option<Box<[Arc<str>]>>,
    /// The `requestId` of the recording.
    pub id: Option<Arc<str>>,
    /// Differences between the tools of the request and those of the recording.
    pub mismatches: Vec<ToolMismatch>,
}

/// The step that answered a call, from a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedStep {
    /// "Matched recording by signature"
    Signature,
    /// "Using sequential recording 1/4"
    Sequential,
    /// "Playing back recording 1/4": a client that ignores signatures.
    InOrder,
    /// "No recording available, returning empty response"
    Empty,
}

/// A client's warning that the tools of a request differ from those of the recording that answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolMismatch {
    /// Line, from 1.
    pub line: usize,
    /// The difference. Displays the client's message.
    pub kind: MismatchKind,
    /// Whether the runner prints it separately from the calls, so that it may belong to an earlier call than the last.
    pub(super) is_apart: bool,
}

/// First difference of two lists of tools that a client reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    Count {
        /// Number of tools of the request.
        current: usize,
        /// Number of tools of the recording.
        recorded: usize,
    },
    /// The names at one position of the sorted lists.
    Name {
        index: usize,
        /// The name in the request.
        current: Arc<str>,
        /// The name in the recording.
        recorded: Arc<str>,
    },
}

impl fmt::Display for MismatchKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { current, recorded } => {
                write!(f, "Tool count mismatch: current has {current}, recording has {recorded}")
            }
            Self::Name { index, current, recorded } => write!(
                f,
                "Tool name mismatch at index {index}: current=\"{current}\", recorded=\"{recorded}\""
            ),
        }
    }
}

impl LoggedCall {
    pub(super) fn at_line(line: usize) -> Self {
        Self { line, ..Self::default() }
    }
}
