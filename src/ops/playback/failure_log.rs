//! Logs of failed runs: what was asked, what there was to answer with, and where it lies.
//!
//! Read as it is pasted: with colours, times and names of workers in front of lines, indented, quoted as a text of JSON, or
//! with several failures in one. What a log does not say stays unknown, and what could not be read is told.

use std::sync::Arc;

use super::{Asked, Set, State};
use crate::ops::Item;

/// What a log says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailureLog {
    /// Each failure, in the order of the log.
    pub failures: Vec<Failure>,
    /// What looked like a failure and could not be read, as sentences with their lines.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Available {
    /// Its `requestId`; `None` for one without.
    pub id: Option<Arc<str>>,
    /// Whether it was used.
    pub used: bool,
    /// Names of its tools.
    pub tools: Box<[Arc<str>]>,
    /// Count of its messages, where it is printed.
    pub messages: Option<u64>,
}

/// The recording that is suspected first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// Its position in the set.
    pub index: usize,
    /// Why, as a sentence with its full stop.
    pub why: String,
}

impl FailureLog {
    /// Whether a text looks like the log of a failed run.
    pub fn is_one(_text: &str) -> bool {
        false
    }

    /// Reads a log. `name` is what requests are called by, with the line behind.
    pub fn read(_name: &str, _text: &str) -> Self {
        Self::default()
    }

    /// The requests of all failures that print one, in order.
    pub fn requests(&self) -> Vec<Arc<Asked>> {
        Vec::new()
    }
}

impl Failure {
    /// What was used before the failure: the recordings of the set with the ids that are marked.
    pub fn state(&self, _set: &Set) -> State {
        State::default()
    }

    /// The folder of the set that a failure is of, among the folders of these items; `None` when nothing points to one.
    pub fn set_among<'a>(&self, _items: impl Iterator<Item = &'a Item>) -> Option<&'a str> {
        None
    }

    /// The recording of a set to look at first.
    pub fn suspect(&self, _set: &Arc<Set>) -> Option<Suspect> {
        None
    }
}
