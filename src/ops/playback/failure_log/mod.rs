//! Logs of failed runs: what was asked, what there was to answer with, and where it lies.
//!
//! Read as it is pasted: with colours, times and names of workers in front of lines, indented, quoted as a text of JSON, or
//! with several failures in one. What a log does not say stays unknown, and what could not be read is told.

mod lines;
mod read;
mod suspect;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::Asked;

pub use suspect::Suspect;

/// What a log says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailureLog {
    /// Each failure, in the order of the log.
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
    /// Ids of recordings that were served before, in order, as far as the log tells; it may tell of other tests too.
    pub served: Vec<Arc<str>>,
    /// The lines right before it, where runners name the test.
    pub(super) context: Arc<str>,
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

impl FailureLog {
    /// Whether a text has a failure in it.
    pub fn is_one(text: &str) -> bool {
        let lines = lines::lines(text);
        let mut starts = lines.iter().map(|(_, line)| read::start(line));
        starts.any(|start| start.is_some())
    }

    /// Reads a log. Requests are called by `name` with the line behind.
    pub fn read(name: &str, text: &str) -> Self {
        read::read(name, text)
    }

    /// The requests of all failures that print one, in order. Each is of a client of its own: see [`Failure::state`].
    pub fn requests(&self) -> Vec<Arc<Asked>> {
        let asked = self.failures.iter().filter_map(Failure::asked);
        asked.cloned().collect()
    }
}

impl Failure {
    /// Its request, if the log prints one.
    pub fn asked(&self) -> Option<&Arc<Asked>> {
        match &self.what {
            What::NoMatch { asked, .. } => Some(asked),
            What::PastEnd { .. } | What::ToolNotFound { .. } => None,
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
        }
    }
}
