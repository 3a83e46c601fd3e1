//! Finds what a green run does not prove: tests that are skipped for a missing recording, recordings that nothing plays, answers that
//! are empty or that no test can have read, and assertions on the recording itself.
//!
//! [`AuditReport::new`] has one finding for each cause, with all its places and one action. What the files and the logs do not show is
//! not guessed: it is listed in [`AuditReport::unknown`], with the way to find out.

mod not_run;
mod played;
mod sentence;
mod skipped;
mod test_index;
mod test_log;
mod test_text;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::unused::UnusedReport;
use calls::Item;
use document::text::{count, named_enum};
use document::{Problem, RuleId, Severity};
use test_index::TestIndex;
use test_log::TestLog;

pub use test_log::looks_like_test_log;

named_enum! {
    /// Cause for which a run proves less than it seems to.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum AuditKind {
        /// Tests are skipped for a recording that is elsewhere.
        SkippedElsewhere = "skipped-elsewhere",
        /// Tests are skipped for a recording that does not exist.
        SkippedMissing = "skipped-missing",
        /// The tests of recordings did not run.
        TestNotRun = "test-not-run",
        /// No test played recordings.
        NotPlayed = "not-played",
        /// No test played calls of recordings that it loaded.
        CallNotPlayed = "call-not-played",
        /// No assertion of the test follows answers.
        AnswerNotRead = "answer-not-read",
        /// Recordings belong to no test.
        Orphan = "orphan",
        /// Answers were recorded empty.
        EmptyAnswer = "empty-answer",
        /// Errors were recorded, and their tests mention none.
        UnexpectedError = "unexpected-error",
        /// Tests have assertions on their recording.
        AssertsOnRecording = "asserts-on-recording",
        /// The prompt cache cannot serve conversations.
        CacheBreak = "cache-break",
    }

    /// All causes, in the order of a report.
    const ALL;

    /// The name in JSON.
    pub fn as_str;
}

/// Findings of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// One for each cause that was found.
    pub findings: Vec<AuditFinding>,
    /// Logs, and lines of them, that cannot be read, as sentences without a full stop.
    pub unread: Vec<String>,
    /// Facts that are not known, with the way to find out, as sentences without a full stop.
    pub unknown: Vec<String>,
    /// Number of errors that `check` finds in the files.
    pub errors: usize,
    /// Number of files with such errors.
    faulty_files: usize,
    /// Number of files that were judged.
    files: usize,
    logs: usize,
}

/// A cause with its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFinding {
    pub kind: AuditKind,
    /// Number of tests, recordings, calls or answers, by the kind.
    pub count: usize,
    /// With the count, without a full stop.
    pub sentence: String,
    /// One sentence in the imperative, without a full stop.
    pub action: String,
    pub places: Vec<AuditPlace>,
}

/// A place of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditPlace {
    /// The recording as given.
    pub path: Option<Arc<str>>,
    /// The line in the recording, from 1.
    pub line: Option<u32>,
    /// The number of the call in the recording, from 1.
    pub call: Option<usize>,
    /// The test, or the place where tests are skipped.
    pub test: Option<Arc<str>>,
    /// The facts, as the end of a line; may be empty.
    pub note: String,
    /// Number of tests or tokens at the place; 1 for others.
    weight: usize,
}

/// All that is judged.
#[derive(Clone, Debug, Default)]
pub struct AuditInput<'a> {
    pub items: Vec<&'a Item>,
    /// Whether recordings are named by their paths from the project root, not as given.
    pub uses_root_paths: bool,
    /// The name and the text of each log.
    pub logs: &'a [(Arc<str>, Arc<str>)],
    /// The files of tests, by the path from the project root.
    pub modules: BTreeMap<Arc<str>, Arc<str>>,
    /// By the path of the recording: where the prompt cache cannot serve a conversation, with tokens.
    pub cache_breaks: Vec<(Arc<str>, Problem, u64)>,
    /// Recordings of sets that answer no call in the logs.
    pub unused: UnusedReport,
}

impl AuditInput<'_> {
    /// Returns the path by which a report names an item.
    pub fn name<'i>(&self, item: &'i Item) -> &'i str {
        if self.uses_root_paths { item.root_path() } else { &item.path }
    }
}

impl AuditFinding {
    /// Returns the first words of a place: the test, or the recording with the line or the call.
    pub fn label(&self, place: &AuditPlace) -> String {
        let path = place.path.as_deref().unwrap_or_default();
        match (&place.test, place.line, place.call) {
            (Some(test), ..) if self.kind.is_about_tests() => test.to_string(),
            (_, Some(line), _) => format!("{path}:{line}"),
            (_, None, Some(call)) => format!("{path}#call={call}"),
            (_, None, None) => path.to_owned(),
        }
    }

    /// Returns the recordings that its places name, each once, in order.
    pub fn paths(&self) -> Vec<Arc<str>> {
        let paths = self.places.iter().filter_map(|place| place.path.clone());
        let mut seen = HashSet::new();
        paths.filter(|path| seen.insert(Arc::clone(path))).collect()
    }
}

/// Places by their cause.
type Places = BTreeMap<AuditKind, Vec<AuditPlace>>;

impl AuditReport {
    /// Returns the sentence of a report without causes, without a full stop.
    pub fn nothing_found(&self, is_all_read: bool) -> String {
        let files = count(self.files, "file");
        if self.errors > 0 {
            return format!(
                "`check` finds {} in {} of {files}; nothing else was found that a green run would hide",
                count(self.errors, "error"),
                self.faulty_files
            );
        }
        let logs = match self.logs {
            0 => "without a log".to_owned(),
            logs => format!("with {}", count(logs, "log")),
        };
        if is_all_read {
            format!("Nothing found that a green run would hide, in {files} {logs}")
        } else {
            "Nothing found in what could be read".to_owned()
        }
    }

    /// Judges recordings with the logs of their tests.
    pub fn new(input: &AuditInput<'_>) -> Self {
        let log = TestLog::read(input.logs);
        let index = TestIndex::new(&log);
        let mut places = Places::new();
        let mut unknown = Vec::new();
        skipped::judge(input, &log, &mut places);
        not_run::judge(input, &log, &index, &mut places);
        judge_problems(input, &mut places);
        played::judge(input, &log, &mut places, &mut unknown);
        test_text::judge(input, &mut places, &mut unknown);
        let items: HashMap<&str, &Item> =
            input.items.iter().map(|item| (input.name(item), *item)).collect();
        let breaks = input.cache_breaks.iter().map(|(path, problem, tokens)| AuditPlace {
            call: items.get(&**path).and_then(|item| call_of(item, problem)),
            weight: usize::try_from(*tokens).unwrap_or(usize::MAX),
            ..AuditPlace::at(path, problem)
        });
        let breaks: Vec<AuditPlace> = breaks.collect();
        if !breaks.is_empty() {
            places.insert(AuditKind::CacheBreak, breaks);
        }
        unknown.extend(not_run::unknown(input, &log));
        let findings = places.into_iter().map(|(kind, places)| AuditFinding::new(kind, places));
        let errors = input.items.iter().map(|item| item.count(Severity::Error));
        Self {
            findings: findings.collect(),
            unread: log.unread,
            unknown,
            faulty_files: errors.clone().filter(|errors| *errors > 0).count(),
            errors: errors.sum(),
            files: input.items.len(),
            logs: input.logs.len(),
        }
    }
}

impl AuditPlace {
    fn new(path: &str) -> Self {
        Self { path: Some(path.into()), weight: 1, ..Self::default() }
    }

    fn at(path: &str, problem: &Problem) -> Self {
        let note = problem.message.to_string();
        Self { line: Some(problem.place.line), note, ..Self::new(path) }
    }
}

/// Returns the number of the call that a problem of a recording is in.
fn call_of(item: &Item, problem: &Problem) -> Option<usize> {
    item.calls.iter().position(|call| call.has_problem(problem)).map(|index| index + 1)
}

/// Takes what rules report of single files.
fn judge_problems(input: &AuditInput<'_>, places: &mut Places) {
    for item in &input.items {
        for problem in item.problems.iter() {
            let kind = match problem.rule {
                RuleId::ResponseEmpty | RuleId::StreamEmpty => AuditKind::EmptyAnswer,
                _ => continue,
            };
            let place = AuditPlace::at(input.name(item), problem);
            let place = AuditPlace { call: call_of(item, problem), ..place };
            places.entry(kind).or_default().push(place);
        }
        let orphan = item.cassette.as_ref().and_then(|facts| facts.orphan.as_ref());
        if let Some(reason) = orphan.filter(|_| item.is_cassette()) {
            let place =
                AuditPlace { note: reason.to_string(), ..AuditPlace::new(input.name(item)) };
            places.entry(AuditKind::Orphan).or_default().push(place);
        }
    }
}
