//! Reads logs of tests that play cassettes: the failed tests, the requests that no recorded call answered, and why.
//!
//! [`read`] splits a log into the failed tests of pytest, unittest, RSpec, minitest, testthat, Go, Rust, vitest and jest
//! (`sections`), and finds in each the error of a client that plays cassettes (`miss`). A client's error that was only logged is
//! not why a test failed, unless all that the test reports is a failed connection. What a log does not print stays unknown.

mod frames;
mod lines;
mod miss;
mod python_literal;
mod sections;
mod test_name;
#[cfg(test)]
mod tests;
mod vcrpy;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use frames::function_code;
pub use lines::without_escapes;
pub use test_name::TestName;

pub(crate) use lines::lines;

use lines::LogLine;
use sections::Section;

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestOutcome {
    Passed,
    Failed,
    Skipped,
    /// Its setup or its teardown failed.
    Error,
}

/// A test that a log names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedTest {
    pub name: TestName,
    pub outcome: TestOutcome,
    /// The reason for which it was skipped, if the log has all of it.
    pub reason: Option<Arc<str>>,
}

/// A failed test of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTest {
    /// Line of the client's error, else of the test, from 1.
    pub line: usize,
    pub test: TestName,
    /// Whether the test failed before it began or after it ended.
    pub phase: TestPhase,
    pub miss: Miss,
}

/// The part of a test that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestPhase {
    #[default]
    Call,
    Setup,
    Teardown,
}

/// The error of a client that plays cassettes, or of a test that uses one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Miss {
    /// The client that printed it, with its versions where the text shows them: `vcrpy 9`.
    pub client: Option<&'static str>,
    pub kind: MissKind,
    /// The cassette as printed: a path of the machine that ran, or a name.
    pub cassette: Option<Arc<str>>,
    pub request: Option<PrintedRequest>,
    /// The name of the mode, such as `none`.
    pub record_mode: Option<Arc<str>>,
    /// The names of what the client compares, if printed.
    pub match_on: Vec<Arc<str>>,
    /// Numbers of recorded and of played calls.
    pub counts: Option<(usize, usize)>,
    /// Number of recorded calls that match the request, each of which was played, if printed.
    pub matching: Option<usize>,
    pub candidates: Vec<PrintedCandidate>,
    /// The code that the log prints, unless the client prints the whole body that was sent.
    pub code: TestCode,
    /// The first line of the error that the test reports.
    pub error: Arc<str>,
}

impl Miss {
    /// Returns whether the code of the test may say what the log does not: the body that was sent, the calls that were played, or the
    /// order of requests.
    pub fn needs_code(&self) -> bool {
        let has_body = self.request.as_ref().is_some_and(|request| request.body.is_some());
        match self.kind {
            MissKind::NoMatch | MissKind::Hidden => !has_body || self.counts.is_none(),
            _ => self.kind == MissKind::Other,
        }
    }

    fn has_whole_body(&self) -> bool {
        let body = self.request.as_ref().and_then(|request| request.body.as_ref());
        matches!(body, Some(PrintedBody::Whole(_)))
    }
}

/// The texts in the code of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCode {
    pub texts: Vec<Arc<str>>,
    /// Whether it begins with the test, so that it has also what was sent before.
    pub is_whole: bool,
}

/// The reason why a client played nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MissKind {
    /// Recorded calls differ from the request, or it is not printed whether any is similar.
    #[default]
    NoMatch,
    /// Recorded calls match, and each was played.
    Consumed,
    /// No recorded call has anything in common with the request.
    NothingSimilar,
    /// The cassette does not exist.
    NoCassette,
    /// The cassette exists, and the client cannot read it: its reason.
    NotLoaded(Arc<str>),
    /// Recorded calls were not played: the positions from 0, if printed.
    NotAllPlayed(Vec<usize>),
    /// A plugin refused the connection to a host.
    NetworkBlocked(Arc<str>),
    /// The test reports a failed connection or a refused call without the error of a client.
    Hidden,
    /// The test reports something else.
    Other,
}

/// A request as a log prints it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedRequest {
    pub method: Arc<str>,
    pub url: Arc<str>,
    pub body: Option<PrintedBody>,
}

/// The body of a request as a log prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintedBody {
    Whole(Arc<str>),
    /// Its beginning and its end; the end is empty if the log has only the beginning.
    Cut(Arc<str>, Arc<str>),
}

/// A recorded request that the client names as one of the closest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedCandidate {
    pub method: Arc<str>,
    pub url: Arc<str>,
    /// The matchers that do not match.
    pub failed: Vec<FailedMatcher>,
}

/// A matcher that does not match, with what differs in it if that is printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedMatcher {
    pub name: Arc<str>,
    /// The recorded and the sent value.
    pub values: Option<(Arc<str>, Arc<str>)>,
    /// The unified difference of the bodies, whose JSON has two blanks for each level and sorted keys; empty if it is not printed.
    pub diff: Vec<Arc<str>>,
}

impl FailedMatcher {
    /// Returns the lines of a body that only the recorded and only the sent one has.
    pub fn changed_lines(&self) -> [Vec<&str>; 2] {
        ['-', '+'].map(|sign| {
            self.diff.iter().filter_map(|line| Some(line.strip_prefix(sign)?.trim())).collect()
        })
    }

    /// Returns the number of the first of them in the recorded body, from 1; 0 if it is not printed.
    pub fn first_line(&self) -> usize {
        let [heading, lines @ ..] = &self.diff[..] else { return 0 };
        let start = heading.strip_prefix("@@ -").and_then(|start| start.split([',', ' ']).next());
        let same_lines = lines.iter().take_while(|line| !line.starts_with(['-', '+', '@']));
        start.and_then(|number| number.parse().ok()).map_or(0, |n: usize| n + same_lines.count())
    }
}

/// Returns whether a text contains the error of a client that plays cassettes.
pub fn has_miss(text: &str) -> bool {
    miss::is_in(text)
}

/// Reads the failed tests of a log. If the log names no test, each error of a client is a failure.
pub fn read(text: &str) -> Vec<FailedTest> {
    let lines = lines::lines(text);
    let sections = sections::split(&lines);
    let mut failed: Vec<FailedTest> = sections.iter().filter_map(read_section).collect();
    if failed.is_empty() {
        let section = Section::of_all(&lines);
        failed.extend(miss::find_all(&section.lines).into_iter().map(|(line, miss)| FailedTest {
            line,
            test: TestName::default(),
            phase: TestPhase::Call,
            miss,
        }));
    }
    failed
}

/// Reads the parts of the report of one test, each with the number of its first line: those of its error, and its output. Returns the
/// error of a client, with its line.
pub fn read_parts(parts: &[(usize, &str)], output: &[(usize, &str)]) -> Option<(usize, Miss)> {
    let (line, miss) = read_error(parts)?;
    if miss.kind == MissKind::Hidden
        && let Some((line, logged)) = read_error(output)
        && logged.client.is_some()
    {
        return Some((line, Miss { error: miss.error, ..logged }));
    }
    Some((line, miss))
}

fn read_error(parts: &[(usize, &str)]) -> Option<(usize, Miss)> {
    let texts: Vec<(usize, Vec<LogLine>)> =
        parts.iter().map(|(first, text)| (*first, lines::lines(text))).collect();
    let lines = texts.into_iter().flat_map(|(first, lines)| {
        lines.into_iter().map(move |line| LogLine { number: line.number + first - 1, ..line })
    });
    let lines: Vec<LogLine> = lines.collect();
    read_lines(&lines.iter().collect::<Vec<_>>(), TestPhase::Setup)
}

fn read_section(section: &Section<'_>) -> Option<FailedTest> {
    let (line, miss) = read_lines(&section.lines, section.phase).unwrap_or_else(|| {
        let miss = Miss { kind: MissKind::Other, error: section.error(), ..Miss::default() };
        (section.line, miss)
    });
    // Tests in other languages fail for many reasons that have nothing to do with a cassette.
    let is_shown = miss.client.is_some() || section.is_of_python;
    is_shown.then(|| FailedTest { line, test: section.test.clone(), phase: section.phase, miss })
}

/// Finds why a test failed in its lines.
fn read_lines(lines: &[&LogLine<'_>], phase: TestPhase) -> Option<(usize, Miss)> {
    let own_len = sections::captured(lines).unwrap_or(lines.len());
    let (own, captured) = lines.split_at(own_len);
    let error = sections::last_error(own);
    if let Some((line, mut miss)) = miss::find_last(own) {
        if !miss.has_whole_body() {
            frames::add_request(own, &mut miss);
        }
        miss.error = error.map_or_else(|| Arc::clone(&miss.error), |(_, text)| text.into());
        return Some((line, miss));
    }
    let (line, text) = error?;
    if let Some(mut miss) = miss::not_read(own, text, phase != TestPhase::Call) {
        miss.error = text.into();
        return Some((line, miss));
    }
    let is_hidden = miss::hides_miss(text);
    // The error of the client may be in the output of the test, if it failed by no more than that a call failed.
    let logged = is_hidden.then(|| miss::find_last(captured)).flatten();
    let (line, mut miss) = logged.unwrap_or_else(|| {
        let kind = if is_hidden { MissKind::Hidden } else { MissKind::Other };
        (line, Miss { kind, ..Miss::default() })
    });
    miss.error = text.into();
    if is_hidden && !miss.has_whole_body() {
        frames::add_request(own, &mut miss);
    }
    Some((line, miss))
}
