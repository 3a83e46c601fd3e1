//! Logs of runs: what was asked, what was answered with, and where that lies.
//!
//! Read as it is pasted: with colours, times and names of workers in front of lines, indented, quoted as a text of JSON, or
//! with several tests in one. What a log does not say stays unknown, and what could not be read is reported.
//!
//! A client that finds no signature ends with an error that prints the request. One that falls back to position goes on:
//! its log names for each call the step and the recording, and warns where the tools differ. From that, and the set,
//! [`Failure::replay`] makes the requests of the run.

mod lines;
mod read;
mod replay;
mod runs;
mod suspect;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use super::Asked;

pub use replay::Replay;
pub use suspect::{FoundFolder, SetOfLog, Suspect};

/// What a log says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailureLog {
    /// Each failure, in the order of the log; where nothing failed, the runs.
    pub failures: Vec<Failure>,
    /// What belongs to a failure and could not be read, as sentences that begin with their line.
    pub unread: Vec<String>,
}

/// One failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Where it begins: line, from 1.
    pub line: usize,
    /// What failed.
    pub what: What,
    /// The folder of the recordings, as the log writes it.
    pub directory: Option<Arc<str>>,
    /// The calls of the same run that were answered before, in order, as far as the log shows them.
    pub calls: Vec<LoggedCall>,
    /// The test, as its runner names it.
    pub test: Option<Arc<str>>,
    /// The lines right before it, where runners name the test.
    pub(super) context: Arc<str>,
    /// What people call the log.
    log: Arc<str>,
}

/// What failed.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// "No matching recording found": no recording has the signature of the request.
    NoMatch {
        /// The request.
        asked: Arc<Asked>,
        /// The recordings there were, in order; empty where the client doesn't print them.
        available: Vec<Available>,
    },
    /// "LLM invoked but no recording available": the recordings are used up. The request is not printed.
    PastEnd {
        /// The position that was next.
        index: usize,
        /// How many there were.
        total: usize,
    },
    /// "Tool '…' not found": an answer called a tool that the machine does not have.
    ToolNotFound {
        /// Its name.
        tool: Arc<str>,
    },
    /// The client answered each call; what failed, if anything, is an expectation of the test.
    Run {
        /// The error of the test, from its name on; `None` where the log shows none.
        assertion: Option<Arc<str>>,
    },
}

/// A recording as a log lists it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Available {
    /// Its position.
    pub index: usize,
    /// Its `requestId`; `None` for one without.
    pub id: Option<Arc<str>>,
    /// Whether it was used.
    pub used: bool,
    /// Names of its tools.
    pub tools: Box<[Arc<str>]>,
    /// Count of its messages, where it is printed.
    pub messages: Option<u64>,
}

/// A call that a recording answered, as a log shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedCall {
    /// Line, from 1.
    pub line: usize,
    /// By which step; `None` where the log only names the recording.
    pub step: Option<LoggedStep>,
    /// By position: which recording, from 0, of how many.
    pub position: Option<(usize, usize)>,
    /// The tools of the request, which are printed where a signature fits.
    pub tools: Option<Box<[Arc<str>]>>,
    /// The `requestId` of the recording.
    pub id: Option<Arc<str>>,
    /// How the tools of the request differ from those of the recording.
    pub mismatches: Vec<ToolMismatch>,
}

/// By which step a log says that a call was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedStep {
    /// "Matched recording by signature"
    Signature,
    /// "Using sequential recording 1/4"
    Sequential,
    /// "Playing back recording 1/4": a client that looks at no signature.
    InOrder,
    /// "No recording available, returning empty response"
    Empty,
}

/// A client's warning that the tools of a request are not those of the recording that answers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolMismatch {
    /// Line, from 1.
    pub line: usize,
    /// What differs. Displays the client's words.
    pub kind: MismatchKind,
    /// Whether the runner prints it apart from the calls, so that it may be of an earlier one than the last.
    is_apart: bool,
}

/// How tools differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    /// Their number.
    Count {
        /// How many the request offers.
        current: usize,
        /// How many the recording was made with.
        recorded: usize,
    },
    /// The names at one position of both sorted lists.
    Name {
        /// The position.
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
            Self::Count { current, recorded } => write!(
                f,
                "Tool count mismatch: current has {current}, recording has {recorded}"
            ),
            Self::Name {
                index,
                current,
                recorded,
            } => write!(
                f,
                "Tool name mismatch at index {index}: current=\"{current}\", recorded=\"{recorded}\""
            ),
        }
    }
}

impl LoggedCall {
    fn at(line: usize) -> Self {
        Self {
            line,
            ..Self::default()
        }
    }
}

impl FailureLog {
    /// Whether a text has a failure in it, or something that a client prints while it answers.
    pub fn is_one(text: &str) -> bool {
        let lines = lines::lines(text);
        let mut has_heading = false;
        lines.iter().any(|(_, line)| {
            has_heading |= read::is_request_heading(line);
            let is_request = has_heading && lines::behind(line, "Tools (").is_some();
            is_request || read::start(line).is_some() || read::is_client(line)
        })
    }

    /// Reads a log. Requests are called by `name` with the line behind.
    pub fn read(name: &str, text: &str) -> Self {
        read::read(name, text)
    }
}

impl Failure {
    /// Its request, if the log prints one.
    pub fn asked(&self) -> Option<&Arc<Asked>> {
        match &self.what {
            What::NoMatch { asked, .. } => Some(asked),
            What::PastEnd { .. } | What::ToolNotFound { .. } | What::Run { .. } => None,
        }
    }

    /// What failed, as a title.
    pub fn title(&self) -> String {
        match &self.what {
            What::NoMatch { .. } => "No matching recording found for request".to_owned(),
            What::PastEnd { index, total } => {
                format!("LLM invoked but no recording available (index: {index}, total: {total})")
            }
            What::ToolNotFound { tool } => format!("Tool '{tool}' not found"),
            What::Run {
                assertion: Some(assertion),
            } => assertion.to_string(),
            What::Run { assertion: None } => {
                let calls = self.calls.len();
                let word = if calls == 1 { "call" } else { "calls" };
                format!("A run with {calls} answered {word}")
            }
        }
    }

    /// Whether another one is the same, printed again.
    fn is_again(&self, other: &Self, is_same_run: bool) -> bool {
        match (&self.what, &other.what) {
            (
                What::NoMatch { asked, available },
                What::NoMatch {
                    asked: other_asked,
                    available: other_available,
                },
            ) => {
                asked.signature() == other_asked.signature()
                    && available == other_available
                    && self.directory == other.directory
            }
            (what, other) => is_same_run && what == other,
        }
    }
}
