//! Reads logs of the requests that tests send while recordings answer, as the plugin of `retake plugin pytest` and
//! `retake serve --watch-drift` write them.
//!
//! A log has one JSON object a line: the head, a request, the end of a test, and last the number of tests. A line that cannot be read
//! is a [fault](LogFault), and the others are read all the same. A log without its last line is incomplete: its run was stopped, so
//! that nothing may be concluded from what it lacks.

mod record;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::client::HttpRequest;

pub use crate::run_log::TestOutcome;
pub use record::{LogHead, RequestLine, write_head, write_request};

/// The text in place of a secret, in values of headers, in addresses and in bodies.
pub const MASKED: &str = "[masked by Retake]";

/// The requests of a run: one log, or those of all its workers.
#[derive(Clone, Debug, Default)]
pub struct RunRequests {
    /// The client that played the recordings, with its version: `vcrpy 9.4.0`.
    pub client: Option<Arc<str>>,
    /// The plugin of pytest with which tests are recorded, such as `pytest-recording`.
    pub recorder: Option<Arc<str>>,
    /// The tests that ended, in the order of the logs.
    pub tests: Vec<LoggedTest>,
    /// In the order of the logs, which is the order in which they were sent.
    pub requests: Vec<LoggedRequest>,
    /// Lines that could not be read.
    pub faults: Vec<LogFault>,
    /// Reasons for which the logs have less than the run, as sentences without a full stop.
    pub missing: Vec<String>,
}

/// A place in a log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogPlace {
    pub log: Arc<str>,
    /// From 1.
    pub line: usize,
}

impl fmt::Display for LogPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.log, self.line)
    }
}

/// A line of a log that could not be read; displayed with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFault {
    pub place: LogPlace,
    pub reason: String,
}

impl fmt::Display for LogFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.reason)
    }
}

/// The part of a test that sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SendingPhase {
    Setup,
    Call,
    Teardown,
}

/// A request that was sent.
#[derive(Clone, Debug)]
pub struct LoggedRequest {
    pub place: LogPlace,
    /// The id of the test; `None` if it is not known, as for a server.
    pub test: Option<Arc<str>>,
    /// `None` outside of tests.
    pub phase: Option<SendingPhase>,
    /// The line of the test's file at which its own function sent the request, from 1.
    pub line: Option<usize>,
    /// Whether nothing in the function of the test can fail after that line; `None` if that is not known.
    pub after_assertions: Option<bool>,
    /// The cassette that was used, by its path from the root of the tests; of a server, the file of the answer.
    pub cassette: Option<Arc<str>>,
    /// Index of the recorded call that answered, from 0; `None` if none did.
    pub call: Option<usize>,
    /// The request as the client compares it, with secrets [masked](MASKED).
    pub request: HttpRequest,
}

/// A test that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedTest {
    pub place: LogPlace,
    /// Its id: `tests/test_a.py::test_x`.
    pub test: Arc<str>,
    pub outcome: TestOutcome,
    /// The first line of the failure, or why it was skipped; empty if it passed.
    pub reason: String,
    /// The cassettes that it loaded, by their paths from the root of the tests.
    pub cassettes: BTreeMap<Arc<str>, PlayedCalls>,
    /// The line at which it begins, from 1.
    pub line: Option<usize>,
}

/// Calls of a cassette that a test played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayedCalls {
    /// Number of calls of the file.
    pub calls: usize,
    /// Their indices from 0, in the order in which they were first played.
    pub played: Vec<usize>,
}

impl RunRequests {
    /// Returns whether a text is such a log.
    pub fn is_log(text: &str) -> bool {
        text.lines().find(|line| !line.trim().is_empty()).is_some_and(record::is_head)
    }

    /// Reads the logs of a run by their names.
    pub fn read<'t>(logs: impl IntoIterator<Item = (&'t Arc<str>, &'t str)>) -> Self {
        let mut run = Self::default();
        for (name, text) in logs {
            run.add(name, text);
        }
        run
    }

    /// Returns whether the logs have all requests of a run that ran to its end.
    pub fn is_complete(&self) -> bool {
        self.faults.is_empty() && self.missing.is_empty()
    }

    fn add(&mut self, name: &Arc<str>, text: &str) {
        let (mut is_ended, mut is_of_server) = (false, false);
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let place = LogPlace { log: Arc::clone(name), line: index + 1 };
            match record::read(line, &place) {
                Ok(record::LogRecord::Head(head)) => {
                    is_of_server = head.retake == record::SERVE_LOG;
                    self.client = self.client.take().or(head.client.map(Arc::from));
                    self.recorder = self.recorder.take().or(head.recorder.map(Arc::from));
                }
                Ok(record::LogRecord::Request(request)) => self.requests.push(request),
                Ok(record::LogRecord::Test(test)) => self.tests.push(test),
                Ok(record::LogRecord::End(end)) => {
                    is_ended = true;
                    self.missing.extend(end.missing(name));
                }
                Err(reason) => self.faults.push(LogFault { place, reason }),
            }
        }
        // A server is stopped, and knows of no run.
        if !is_ended && !is_of_server {
            self.missing.push(format!("{name}: the log has no end, so that the run was stopped"));
        }
    }
}
