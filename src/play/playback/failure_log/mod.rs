//! Reads logs of test runs: requests, answers, and the set of recordings.
//!
//! Logs are read as pasted: with colors, times and names of workers before lines, indented, quoted as a JSON string, or
//! with several tests. What a log does not contain stays unknown, and what could not be read is reported.
//!
//! A client that finds no matching signature fails with an error that prints the request. One that falls back to
//! position continues: its log contains the step and the recording of each call, and warnings where the tools differ.
//! From that, and the set, [`LoggedFailure::replay`] reconstructs the requests of the run.

mod client_line;
mod lines;
mod read;
mod replay;
mod runs;
mod set_index;
mod suspect;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::PlayedRequest;
use crate::run_log::FailedTest;

pub use super::logged_call::{LoggedCall, LoggedStep, MismatchKind, ToolMismatch};
pub use replay::Replay;
pub use set_index::{FoundFolder, SetIndex, SetOfLog};
pub use suspect::Suspect;

/// The content of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FailureLog {
    /// Each failure in the order of the log; if nothing failed, the runs.
    pub failures: Vec<LoggedFailure>,
    /// Parts of failures that could not be read, as sentences that start with their line.
    pub unread: Vec<String>,
}

/// All runs in a log, whether their tests failed or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedRuns {
    /// In the order of the log.
    pub runs: Vec<ObservedRun>,
    /// Parts of failures that could not be read, as sentences that start with their line.
    pub unread: Vec<String>,
}

/// A run in a log.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedRun {
    pub run: LoggedFailure,
    /// The number of recordings that the client loaded, if the log shows it.
    pub loaded: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LoggedFailure {
    /// First line, from 1.
    pub line: usize,
    pub kind: FailureKind,
    /// The folder of the recordings, as written in the log.
    pub directory: Option<Arc<str>>,
    /// The earlier answered calls of the same run, in order, as far as the log contains them.
    pub calls: Arc<[LoggedCall]>,
    pub test: Option<Arc<str>>,
    /// The lines before it, where runners print the test name.
    pub(super) context: Arc<str>,
    /// Display name of the log.
    log: Arc<str>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FailureKind {
    /// "No matching recording found": no recording has the signature of the request.
    NoMatch {
        request: Arc<PlayedRequest>,
        /// The available recordings in order; empty if the client does not print them.
        available: Vec<Available>,
    },
    /// "LLM invoked but no recording available": the recordings are used up. The request is not printed.
    PastEnd {
        /// The position that was next.
        index: usize,
        total: usize,
    },
    /// "Recordings directory not found": nothing is played.
    NoDirectory,
    /// "Tool '…' not found": an answer called a tool that the machine does not have.
    ToolNotFound { tool: Arc<str> },
    /// The client answered each call; if anything failed, it is an expectation of the test.
    Run {
        /// The error of the test, starting with its name; `None` if the log contains none.
        assertion: Option<Arc<str>>,
    },
    /// A test that plays a cassette failed, or a test of a runner whose tests do.
    Cassette(Arc<FailedTest>),
}

/// A recording listed in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Available {
    pub index: usize,
    /// Its `requestId`, if it has one.
    pub id: Option<Arc<str>>,
    /// Whether it was used.
    pub used: bool,
    /// Names of its tools.
    pub tools: Box<[Arc<str>]>,
    /// Its number of messages, if printed.
    pub messages: Option<u64>,
}

impl FailureLog {
    /// Returns whether a text contains a failure or other output of a client.
    pub fn looks_like_log(text: &str) -> bool {
        let lines = lines::lines(text);
        let mut has_heading = false;
        lines.iter().any(|(_, line)| {
            // A line with `Tools (` alone is no proof: other programs print such lists, too.
            has_heading |= client_line::is_request_heading(line);
            let is_request = has_heading && lines::text_after(line, "Tools (").is_some();
            is_request || client_line::start(line).is_some() || client_line::is_client(line)
        })
    }

    /// Returns the position of the failure that is played unless another one is chosen: the first whose request is printed, else the
    /// first.
    pub fn main_failure(&self) -> Option<usize> {
        let prints = |failed: &LoggedFailure| matches!(failed.kind, FailureKind::NoMatch { .. });
        let first = (!self.failures.is_empty()).then_some(0);
        self.failures.iter().position(prints).or(first)
    }

    /// Parses a log. Requests are named `name` with their line.
    pub fn read(name: &str, text: &str) -> Self {
        read::read(name, lines::lines(text))
    }

    /// Parses a log, and returns its runs together with those that did not fail.
    pub fn read_runs(name: &str, text: &str) -> ObservedRuns {
        read::read_runs(name, lines::lines(text))
    }

    /// As [`read_runs`](Self::read_runs), of the parts of one log, each with the number of its first line in the log.
    pub fn read_runs_of_parts(name: &str, parts: &[(usize, &str)]) -> ObservedRuns {
        read::read_runs(name, lines_of_parts(parts))
    }

    /// Parses the parts of one log, each with the number of its first line in the log.
    pub fn read_parts(name: &str, parts: &[(usize, &str)]) -> Self {
        read::read(name, lines_of_parts(parts))
    }

    /// Returns the failure of a test of which this is the output: the one that a client reports, else the run that the test failed
    /// after. `message` is why the test failed, with its line.
    pub fn into_failure_of(
        self,
        name: &str,
        test: &str,
        (line, message): (usize, &str),
    ) -> LoggedFailure {
        let is_run = |failure: &LoggedFailure| matches!(failure.kind, FailureKind::Run { .. });
        let mut failures = self.failures;
        let reported = failures.iter().position(|failure| !is_run(failure));
        let at = reported.or(failures.len().checked_sub(1));
        let first = message.trim().lines().next().unwrap_or_default();
        let mut failure = match at {
            Some(at) => failures.swap_remove(at),
            None => LoggedFailure {
                line,
                kind: FailureKind::Run { assertion: None },
                directory: None,
                calls: Arc::default(),
                test: None,
                context: Arc::default(),
                log: name.into(),
            },
        };
        if let FailureKind::Run { assertion } = &mut failure.kind {
            assertion.get_or_insert_with(|| first.into());
        }
        failure.test = Some(test.into());
        failure
    }
}

fn lines_of_parts(parts: &[(usize, &str)]) -> impl Iterator<Item = (usize, String)> {
    parts.iter().flat_map(|(first, text)| {
        lines::lines(text).into_iter().map(move |(number, line)| (first + number - 1, line))
    })
}

impl LoggedFailure {
    /// Returns the display name of its log.
    pub fn log(&self) -> &Arc<str> {
        &self.log
    }

    /// Returns the failure of a test that plays a cassette.
    pub fn of_cassette(log: &str, failed: FailedTest) -> Self {
        let name = failed.test.to_string();
        Self {
            line: failed.line,
            directory: None,
            calls: Arc::default(),
            test: (!name.is_empty()).then(|| name.into()),
            context: Arc::default(),
            log: log.into(),
            kind: FailureKind::Cassette(Arc::new(failed)),
        }
    }

    /// Returns the failed test, if it is one that plays a cassette.
    pub fn cassette_test(&self) -> Option<&Arc<FailedTest>> {
        match &self.kind {
            FailureKind::Cassette(failed) => Some(failed),
            _ => None,
        }
    }

    /// Returns its request, if the log contains one.
    pub fn request(&self) -> Option<&Arc<PlayedRequest>> {
        match &self.kind {
            FailureKind::NoMatch { request, .. } => Some(request),
            FailureKind::PastEnd { .. }
            | FailureKind::NoDirectory
            | FailureKind::ToolNotFound { .. }
            | FailureKind::Cassette(_)
            | FailureKind::Run { .. } => None,
        }
    }

    /// Returns a title for what failed.
    pub fn title(&self) -> String {
        match &self.kind {
            FailureKind::NoMatch { .. } => "No matching recording found for request".to_owned(),
            FailureKind::PastEnd { index, total } => {
                format!("LLM invoked but no recording available (index: {index}, total: {total})")
            }
            FailureKind::NoDirectory => {
                let directory = self.directory.as_deref().unwrap_or_default();
                format!("Recordings directory not found: {directory}")
            }
            FailureKind::ToolNotFound { tool } => format!("Tool '{tool}' not found"),
            FailureKind::Cassette(failed) => failed.miss.error.to_string(),
            FailureKind::Run { assertion: Some(assertion) } => assertion.to_string(),
            FailureKind::Run { assertion: None } => {
                let calls = self.calls.len();
                let word = if calls == 1 { "call" } else { "calls" };
                format!("A run with {calls} answered {word}")
            }
        }
    }

    /// Returns whether the log has output of a client of recordings for it.
    pub fn has_client_output(&self) -> bool {
        let is_run = matches!(self.kind, FailureKind::Run { .. });
        !is_run || self.directory.is_some() || !self.calls.is_empty()
    }

    /// Returns whether the client had no recordings: their folder did not exist, or was empty.
    pub fn lacks_recordings(&self) -> bool {
        let is_empty = |call: &LoggedCall| call.step == Some(LoggedStep::Empty);
        match self.kind {
            FailureKind::NoDirectory | FailureKind::PastEnd { total: 0, .. } => true,
            _ => !self.calls.is_empty() && self.calls.iter().all(is_empty),
        }
    }

    /// Returns whether another failure is the same, printed again.
    fn is_repeat_of(&self, other: &Self, is_same_run: bool) -> bool {
        // Runners name the file of a test before they name the test.
        let (is_same_test, may_be_same) = match (&self.test, &other.test) {
            (Some(a), Some(b)) => (a == b, runs::is_part_of(a, b)),
            _ => (false, true),
        };
        if !may_be_same {
            return false;
        }
        match (&self.kind, &other.kind) {
            (
                FailureKind::NoMatch { request, available },
                FailureKind::NoMatch { request: other_request, available: other_available },
            ) => {
                request.signature() == other_request.signature()
                    && available == other_available
                    && self.directory == other.directory
            }
            (what, other) => (is_same_run || is_same_test) && what == other,
        }
    }
}
