//! Outcomes of tests, as logs and reports name them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::run_log::{ReportedTest, TestName, TestOutcome, lines};
use crate::run_requests::{LoggedTest, RunRequests};
use crate::triage::{TestCount, looks_like_junit, looks_like_run, read_tests};

/// Tests that were skipped for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct LoggedSkip {
    pub(super) count: usize,
    /// The test, or the place where tests are skipped: `tests/test_a.py:12`.
    pub(super) label: Arc<str>,
    /// The test, if it is named.
    pub(super) test: Option<TestName>,
    pub(super) reason: Arc<str>,
}

/// The tests of all logs.
#[derive(Clone, Debug, Default)]
pub(super) struct TestLog {
    pub(super) outcomes: HashMap<TestName, TestOutcome>,
    pub(super) skips: Vec<LoggedSkip>,
    /// Number of skipped tests of which no log has the reason.
    pub(super) unexplained_skips: usize,
    /// The logs that do not name all tests that ran.
    pub(super) incomplete: Vec<Arc<str>>,
    /// Logs and lines that cannot be read.
    pub(super) unread: Vec<String>,
    /// Reasons for which logs have less than their run.
    pub(super) missing: Vec<String>,
    /// What the logs of the plugin have; `None` without one.
    pub(super) requests: Option<RunRequests>,
    /// The named tests among the skips.
    named_skips: HashSet<TestName>,
}

/// Words of pytest for the outcome of a test.
const OUTCOMES: [(&str, TestOutcome); 6] = [
    ("PASSED", TestOutcome::Passed),
    ("XFAIL", TestOutcome::Passed),
    ("XPASS", TestOutcome::Passed),
    ("FAILED", TestOutcome::Failed),
    ("ERROR", TestOutcome::Error),
    ("SKIPPED", TestOutcome::Skipped),
];

/// The content of one log.
#[derive(Default)]
struct ReadLog {
    tests: Vec<ReportedTest>,
    /// Skips of tests that are not named.
    folded: Vec<LoggedSkip>,
    count: Option<TestCount>,
    /// Whether it is a JUnit report, which is written at the end of a run and names all tests.
    is_report: bool,
}

impl TestLog {
    pub(super) fn read(logs: &[(Arc<str>, Arc<str>)]) -> Self {
        let mut all = Self::default();
        let mut read_logs = Vec::new();
        let (plugin_logs, logs): (Vec<_>, Vec<_>) =
            logs.iter().partition(|(_, text)| RunRequests::is_log(text));
        for (name, text) in logs {
            match read(text) {
                Ok(log) => read_logs.push((name, log)),
                Err(reason) => all.unread.push(format!("{name}: {reason}")),
            }
        }
        // A log without names may be of the same run as a report with all of them.
        let complete_logs = read_logs.iter().filter(|(_, log)| log.names_all());
        let mut totals: Vec<usize> = complete_logs.map(|(_, log)| log.ran()).collect();
        let mut folded = Vec::new();
        if !plugin_logs.is_empty() {
            let run = RunRequests::read(plugin_logs.iter().map(|(name, text)| (name, &**text)));
            all.unread.extend(run.faults.iter().map(ToString::to_string));
            all.missing.extend(run.missing.iter().cloned());
            run.tests.iter().filter_map(plugin_test).for_each(|test| all.add(test));
            totals.push(all.outcomes.values().filter(|o| **o != TestOutcome::Skipped).count());
            all.requests = Some(run);
        }
        for (name, log) in read_logs {
            let total = log.count.map_or(log.ran(), |count| count.total);
            if !log.names_all() && !totals.contains(&total) {
                all.incomplete.push(Arc::clone(name));
            }
            for test in log.tests {
                all.add(test);
            }
            folded.extend(log.folded);
        }
        let named: HashSet<Arc<str>> = all.skips.iter().map(|s| Arc::clone(&s.reason)).collect();
        // The list at the end may be in several logs of one run.
        let mut seen = HashSet::new();
        folded.retain(|skip| !named.contains(&skip.reason) && seen.insert(skip.clone()));
        all.skips.extend(folded);
        let skipped = all.outcomes.values().filter(|o| **o == TestOutcome::Skipped).count();
        let explained = all.skips.iter().map(|skip| skip.count).fold(0, usize::saturating_add);
        all.unexplained_skips = skipped.saturating_sub(explained);
        all
    }

    /// Returns whether the logs name all tests that ran.
    pub(super) fn is_complete(&self) -> bool {
        !self.outcomes.is_empty()
            && self.incomplete.is_empty()
            && self.unread.is_empty()
            && self.missing.is_empty()
    }

    fn add(&mut self, test: ReportedTest) {
        let old = self.outcomes.get(&test.name).copied();
        // A test that ran again after a failure, or in another log, has run.
        if old.is_none_or(|old| old == TestOutcome::Skipped) {
            self.outcomes.insert(test.name.clone(), test.outcome);
        }
        if let Some(reason) = test.reason
            && self.named_skips.insert(test.name.clone())
        {
            let label = test.name.to_string().into();
            self.skips.push(LoggedSkip { count: 1, label, test: Some(test.name), reason });
        }
    }
}

impl ReadLog {
    fn ran(&self) -> usize {
        self.tests.iter().filter(|test| test.outcome != TestOutcome::Skipped).count()
    }

    fn names_all(&self) -> bool {
        self.ran() > 0 && self.count.map_or(self.is_report, |count| self.ran() >= count.total)
    }
}

/// Returns whether a text names tests, or says how many ran: also a log of a run without failures.
pub fn looks_like_test_log(text: &str) -> bool {
    RunRequests::is_log(text) || looks_like_run(text) || {
        let log = read_text(text);
        !log.tests.is_empty() || !log.folded.is_empty()
    }
}

fn read(text: &str) -> Result<ReadLog, String> {
    if looks_like_junit(text) {
        return Ok(ReadLog { tests: read_tests(text)?, is_report: true, ..ReadLog::default() });
    }
    Ok(read_text(text))
}

fn read_text(text: &str) -> ReadLog {
    let mut log = ReadLog { count: TestCount::read(text), ..ReadLog::default() };
    for line in lines(text) {
        let line = without_worker(line.text.trim());
        match folded_skip(line) {
            Some(skip) => log.folded.push(skip),
            None => log.tests.extend(outcome_first(line).or_else(|| outcome_last(line))),
        }
    }
    // The progress and the list at the end name the same test.
    let mut seen: HashMap<TestName, usize> = HashMap::new();
    let tests = std::mem::take(&mut log.tests);
    for test in tests {
        match seen.get(&test.name) {
            Some(index) => {
                let known: &mut ReportedTest = &mut log.tests[*index];
                known.reason = known.reason.take().or(test.reason);
            }
            None => {
                seen.insert(test.name.clone(), log.tests.len());
                log.tests.push(test);
            }
        }
    }
    log
}

/// Removes what pytest-xdist prints before an outcome: `[gw0] [ 10%] `.
fn without_worker(line: &str) -> &str {
    let after = |line: &str| line.split_once("] ").map(|(_, rest)| rest.len());
    let Some(rest) = line.strip_prefix("[gw").and_then(after) else { return line };
    let line = &line[line.len() - rest..];
    let percent = line.starts_with('[').then(|| line.split_once("] ")).flatten();
    percent.map_or(line, |(_, rest)| rest)
}

/// Parses `SKIPPED [29] tests/test_a.py:12: no cassette`.
fn folded_skip(line: &str) -> Option<LoggedSkip> {
    let (count, rest) = line.strip_prefix("SKIPPED [")?.split_once("] ")?;
    let (place, reason) = rest.split_once(": ")?;
    let is_place = place.split(':').next().is_some_and(|path| path.ends_with(".py"));
    is_place.then_some(())?;
    let reason = reason.strip_prefix("Skipped: ").unwrap_or(reason).trim().into();
    Some(LoggedSkip { count: count.parse().ok()?, label: place.into(), test: None, reason })
}

/// Parses `PASSED tests/test_a.py::test_b` and `SKIPPED tests/test_a.py::test_b - no cassette`.
fn outcome_first(line: &str) -> Option<ReportedTest> {
    let (word, rest) = line.split_once(' ')?;
    let (_, outcome) = OUTCOMES.iter().find(|(other, _)| *other == word)?;
    let (id, reason) = rest.split_once(" - ").map_or((rest, None), |(id, r)| (id, Some(r)));
    let name = node_name(id)?;
    let is_skipped = *outcome == TestOutcome::Skipped;
    let reason = reason.filter(|_| is_skipped).map(|reason| reason.trim().into());
    Some(ReportedTest { name, outcome: *outcome, reason })
}

/// Parses `tests/test_a.py::test_b PASSED [ 50%]`. Reasons are cut in such lines, so they are left out.
fn outcome_last(line: &str) -> Option<ReportedTest> {
    let (start, _) = line.split_once("::")?;
    start.ends_with(".py").then_some(())?;
    let places = OUTCOMES.iter().filter_map(|(word, outcome)| {
        let at = line.rfind(&format!(" {word}"))?;
        let rest = &line[at + word.len() + 1..];
        // Parameters in brackets may contain such a word, and so may the reason behind it.
        let is_whole = !line[..at].contains('[') || line[..at].trim_end().ends_with(']');
        let is_word = rest.is_empty() || rest.starts_with(' ');
        (is_word && is_whole).then_some((at, *outcome))
    });
    let (at, outcome) = places.min_by_key(|(at, _)| *at)?;
    Some(ReportedTest { name: node_name(&line[..at])?, outcome, reason: None })
}

fn plugin_test(test: &LoggedTest) -> Option<ReportedTest> {
    let reason = Some(test.reason.trim()).filter(|reason| !reason.is_empty());
    Some(ReportedTest {
        name: TestName::of_node(&test.test)?,
        outcome: test.outcome,
        reason: reason.filter(|_| test.outcome == TestOutcome::Skipped).map(Arc::from),
    })
}

fn node_name(id: &str) -> Option<TestName> {
    let name = TestName::of_node(id.trim())?;
    let is_file = name.file.as_deref().is_some_and(|f| f.ends_with(".py") && !f.contains(' '));
    is_file.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(logs: &[&str]) -> String {
        let logs: Vec<_> =
            (1..).zip(logs).map(|(n, text)| (n.to_string().into(), (*text).into())).collect();
        let log = TestLog::read(&logs);
        let mut tests: Vec<String> =
            log.outcomes.iter().map(|(name, outcome)| format!("{outcome:?} {name}")).collect();
        tests.sort();
        let skips = log.skips.iter().map(|s| format!("{} {}: {}", s.count, s.label, s.reason));
        tests.extend(skips);
        tests.push(format!(
            "{} without a reason, incomplete: {:?}",
            log.unexplained_skips, log.incomplete
        ));
        tests.join("\n")
    }

    #[test]
    fn tests_are_named_by_all_forms_of_output() {
        insta::assert_snapshot!(shown(&["\
tests/test_a.py::TestA::test_b PASSED                     [ 25%]
tests/test_a.py::test_c[a PASSED b] SKIPPED (no casse...)  [ 50%]
[gw1] [ 75%] FAILED tests/test_a.py::test_d
\u{1b}[33mSKIPPED\u{1b}[0m [1] tests/test_a.py:12: no cassette: a.yaml
FAILED tests/test_a.py::test_d - AssertionError: PASSED
==== 1 failed, 1 passed, 1 skipped in 0.10s ====
"]), @"
        Failed tests/test_a.py::test_d
        Passed tests/test_a.py::TestA::test_b
        Skipped tests/test_a.py::test_c[a PASSED b]
        1 tests/test_a.py:12: no cassette: a.yaml
        0 without a reason, incomplete: []
        ");
        // A log that was cut, or a part of one, has no last line.
        for part in ["tests/test_a.py::test_b PASSED [ 25%]\n", "FAILED tests/test_a.py::test_b\n"]
        {
            assert!(shown(&[part]).ends_with(r#"incomplete: ["1"]"#), "{part}");
        }
        let skips = format!(
            "SKIPPED [{}] tests/test_a.py:1: a\nSKIPPED [2] tests/test_a.py:2: b\n",
            usize::MAX
        );
        assert!(shown(&[&skips]).contains("0 without a reason"), "{skips}");
        insta::assert_snapshot!(shown(&["tests/test_a.py ..s [100%]\n==== 2 passed, 1 skipped in 0.10s ====\n"]), @r#"0 without a reason, incomplete: ["1"]"#);
    }

    #[test]
    fn a_report_and_the_log_of_its_run_count_once() {
        let report = "<testsuite><testcase classname='tests.test_a' name='test_b'/><testcase classname='tests.test_a' name='test_c'><skipped type='pytest.skip' message='no cassette: a.yaml'>/x/tests/test_a.py:12: no cassette: a.yaml</skipped></testcase><testcase classname='tests.test_a' name='test_e'><skipped type='pytest.xfail' message='later'/></testcase></testsuite>";
        let log = "tests/test_a.py .s [100%]\nSKIPPED [1] tests/test_a.py:12: no cassette: a.yaml\n==== 1 passed, 1 skipped, 1 xfailed in 0.10s ====\n";
        insta::assert_snapshot!(shown(&[report, log]), @"
        Passed tests/test_a.py::test_b
        Passed tests/test_a.py::test_e
        Skipped tests/test_a.py::test_c
        1 tests/test_a.py::test_c: no cassette: a.yaml
        0 without a reason, incomplete: []
        ");
        assert!(shown(&["<testsuite>"]).starts_with('0'));
    }
}
