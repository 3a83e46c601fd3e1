//! Assigns lines of a log to runs of a client. Each run is one test; runners mix the output of several.

use std::collections::HashMap;
use std::sync::Arc;

use super::client_line::Printed;
use super::lines::text_after;
use super::{FailureKind, LoggedCall, LoggedFailure, LoggedStep, ObservedRun, ToolMismatch};

/// One run of a client, starting where it loads its recordings.
#[derive(Debug)]
struct LoggedRun {
    line: usize,
    /// The test name, if the runner prints one.
    test: Option<Arc<str>>,
    directory: Option<Arc<str>>,
    /// Number of loaded recordings.
    loaded: Option<usize>,
    context: Arc<str>,
    calls: Vec<LoggedCall>,
    /// Line and text of the error of the test, if it is not the client's.
    assertion: Option<(usize, Arc<str>)>,
}

/// The runs of a log read so far.
#[derive(Debug, Default)]
pub(super) struct LoggedRuns {
    runs: Vec<LoggedRun>,
    failures: Vec<(Option<usize>, LoggedFailure)>,
    /// The last test name.
    test: Option<Arc<str>>,
    /// The last file of tests, where a runner names tests without it.
    file: Option<Arc<str>>,
    /// Each test that a heading names as failed, once.
    failed: Vec<FailedTest>,
    /// Their positions.
    failed_positions: HashMap<Arc<str>, usize>,
    /// The calls of runs as their failures have them: thousands of tests may fail in one run.
    shared_calls: HashMap<usize, Arc<[LoggedCall]>>,
    /// The positions of those whose error follows: runners print an error that several tests share once.
    failing: Vec<usize>,
    /// The line of the last of their headings, if it is that of a section; else 0.
    heading_line: usize,
    /// Whether there is a heading of the runner after the last call.
    is_apart: bool,
}

/// A test that a heading names as failed.
#[derive(Debug)]
struct FailedTest {
    test: Arc<str>,
    /// The line of its error, else of its heading.
    line: usize,
    error: Option<Arc<str>>,
    /// Whether the heading is a list's or names only a file. Runners name the failed tests of the file elsewhere.
    is_vague: bool,
    /// Whether a client reports why it failed.
    is_reported: bool,
}

/// A line on which a runner names a test.
enum Heading {
    /// Output of a test, or of a file of tests.
    Output(String),
    /// The file of the tests that follow.
    File(String),
    /// A failed test, and whether it [is vague](FailedTest::is_vague).
    Failed(String, bool),
    /// An annotation, which repeats a failure of any test.
    Annotation,
}

/// Returns the file in a test name such as `test/a.test.ts > triage > answers`.
fn file_of(test: &str) -> &str {
    test.split(" > ").next().unwrap_or(test).trim()
}

/// Returns the file in a heading of its tests: vitest's `❯ test/a.test.ts (3 tests | 2 failed) 21ms`.
fn file_heading(line: &str) -> Option<&str> {
    let (file, rest) = text_after(line, "❯ ")?.split_once(" (")?;
    let is_heading = rest.contains(" test") && rest.contains(" failed");
    (is_heading && !file.contains(' ')).then_some(file)
}

/// Returns whether two names are of the same test, or one is of the file or suite of the other.
pub(super) fn is_part_of(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with(" > "))
}

/// Returns the test in vitest's and jest's `FAIL test/a.test.ts > suite > name`, without the name of a project before it.
fn failed_section(line: &str) -> Option<&str> {
    let test = text_after(line, "FAIL ")?;
    let path = file_of(test).split_whitespace().find(|word| word.contains('.'));
    let test = match path.and_then(|path| test.find(path)) {
        Some(start) => &test[start..],
        // Some runners name suites and no files; other lines with this word are no headings.
        None => Some(test).filter(|test| test.contains(" > "))?,
    };
    // A file that fails as a whole is named twice.
    Some(test.split_once(" [ ").map_or(test, |(file, _)| file))
}

/// Parses a line on which a runner names a test.
fn heading(line: &str, file: Option<&str>) -> Option<Heading> {
    if let Some(test) = text_after(line, "stdout | ").or_else(|| text_after(line, "stderr | ")) {
        return Some(Heading::Output(test.to_owned()));
    }
    if let Some(test) = failed_section(line) {
        let is_vague = !test.contains(" > ");
        return Some(Heading::Failed(test.to_owned(), is_vague));
    }
    if let Some(file) = file_heading(line) {
        return Some(Heading::File(file.to_owned()));
    }
    if let Some(test) = failed_test(line, file) {
        // Jest marks the output of a file with the same bullet as its failed tests.
        let is_console = test.ends_with(" > Console");
        return Some(match file.filter(|_| is_console) {
            Some(file) => Heading::File(file.to_owned()),
            None => Heading::Failed(test, true),
        });
    }
    line.contains("##[error]").then_some(Heading::Annotation)
}

/// Returns the test in a heading of its failure: vitest's `× name 14ms` and jest's `● suite › name`, of which the file is known, and
/// pytest's `____ name ____`.
fn failed_test(line: &str, file: Option<&str>) -> Option<String> {
    if let Some(name) = text_after(line, "× ") {
        let is_time = |word: &str| {
            let number = word.strip_suffix("ms").or_else(|| word.strip_suffix('s'));
            number.is_some_and(|number| number.parse::<f64>().is_ok())
        };
        let name = match name.rsplit_once(' ') {
            Some((name, time)) if is_time(time) => name,
            _ => name,
        };
        // Vitest adds the number of retries to the name of a test in this list.
        let name = name.split_once(" (retry x").map_or(name, |(name, _)| name);
        let has_file = file_of(name).contains('.');
        return match file.filter(|_| !has_file) {
            Some(file) => Some(format!("{file} > {name}")),
            None => has_file.then(|| name.to_owned()),
        };
    }
    if let Some(name) = text_after(line, "● ") {
        let name = name.replace(" › ", " > ");
        return file.map(|file| format!("{file} > {name}"));
    }
    let (head, rest) = line.split_once("___ ")?;
    let (name, tail) = rest.split_once(" ___")?;
    let is_rule = |text: &str| text.bytes().all(|byte| byte == b'_');
    let rule = head.rsplit(' ').next().unwrap_or_default();
    let is_heading = is_rule(rule) && is_rule(tail.trim_end()) && !name.contains("___");
    is_heading.then(|| name.to_owned())
}

impl LoggedRuns {
    /// Returns whether a runner names a test on a line.
    pub(super) fn is_heading(&self, line: &str) -> bool {
        heading(line, self.file.as_deref()).is_some()
    }

    /// Handles a line of the runner: a heading, or the error of a test.
    pub(super) fn line(&mut self, number: usize, line: &str) {
        match heading(line, self.file.as_deref()) {
            Some(Heading::Output(test)) => {
                (self.test, self.is_apart) = (Some(test.into()), true);
                self.failing.clear();
            }
            Some(Heading::File(file)) => {
                (self.file, self.test) = (Some(file.into()), None);
                self.failing.clear();
            }
            Some(Heading::Failed(test, is_vague)) => self.failed(number, test.into(), is_vague),
            Some(Heading::Annotation) => {
                self.test = None;
                self.failing.clear();
            }
            None => self.error(number, line),
        }
    }

    /// Handles a heading that names a failed test.
    fn failed(&mut self, line: usize, test: Arc<str>, is_vague: bool) {
        // Only the headings of sections follow each other without the error between them.
        if is_vague || line != self.heading_line + 1 {
            self.failing.clear();
        }
        self.heading_line = if is_vague { 0 } else { line };
        if test.contains('.') {
            self.file = Some(file_of(&test).into());
        }
        self.test = Some(Arc::clone(&test));
        let position = self.failed_positions.get(&test).copied();
        let at = position.unwrap_or(self.failed.len());
        self.failed_positions.insert(Arc::clone(&test), at);
        match position {
            Some(at) => self.failed[at].is_vague &= is_vague,
            None => {
                self.failed.push(FailedTest {
                    test,
                    line,
                    error: None,
                    is_vague,
                    is_reported: false,
                });
            }
        }
        self.failing.push(at);
    }

    /// Handles a line that may be the error of a test.
    fn error(&mut self, number: usize, line: &str) {
        let is_assertion = line.contains("AssertionError");
        // Jest prints `expect(received)…` without the class of an error.
        let is_error = is_assertion || line.contains("Error:") || line.contains("expect(");
        if is_error && !self.failing.is_empty() {
            for at in std::mem::take(&mut self.failing) {
                let failed = &mut self.failed[at];
                if failed.error.is_none() {
                    (failed.line, failed.error) = (number, Some(error_in(line).into()));
                }
            }
        } else if is_assertion
            && self.failed.is_empty()
            && let Some(run) = self.run_of(self.test.as_deref())
        {
            self.runs[run].assertion.get_or_insert((number, error_in(line).into()));
        }
    }

    /// Returns the run of a test, or of its file or suite; the latest where no runs are named.
    fn run_of(&self, test: Option<&str>) -> Option<usize> {
        let last = self.runs.len().checked_sub(1);
        let Some(test) = test else { return last };
        let of = |is: &dyn Fn(&str) -> bool| {
            self.runs.iter().rposition(|run| run.test.as_deref().is_some_and(is))
        };
        of(&|other| other == test)
            .or_else(|| of(&|other| is_part_of(other, test)))
            .or(last.filter(|_| !self.are_runs_named()))
    }

    fn are_runs_named(&self) -> bool {
        self.runs.iter().any(|run| run.test.is_some())
    }

    /// Returns the latest run of the file of a test: what it loaded, other tests of the file use, too.
    fn run_of_file(&self, test: Option<&str>) -> Option<usize> {
        let file = file_of(test?);
        let mut runs = self.runs.iter();
        runs.rposition(|run| run.test.as_deref().is_some_and(|other| file_of(other) == file))
    }

    fn push_run(
        &mut self,
        line: usize,
        directory: Option<Arc<str>>,
        loaded: Option<usize>,
        context: Arc<str>,
    ) {
        let (test, calls) = (self.test.clone(), Vec::new());
        self.runs.push(LoggedRun {
            line,
            test,
            directory,
            loaded,
            context,
            calls,
            assertion: None,
        });
    }

    /// Returns the run of a client's line; a new one at the start of a test.
    fn current(&mut self, line: usize, context: Arc<str>) -> &mut LoggedRun {
        let of_test = |run: &LoggedRun| run.test == self.test || self.test.is_none();
        let at = self.runs.iter().rposition(of_test).unwrap_or_else(|| {
            let test = self.test.as_deref();
            let own = self.run_of(test).or_else(|| self.run_of_file(test));
            let loaded = own.map_or(self.runs.last(), |run| self.runs.get(run));
            let directory = loaded.and_then(|run| run.directory.clone());
            self.push_run(line, directory, loaded.and_then(|run| run.loaded), context);
            self.runs.len() - 1
        });
        &mut self.runs[at]
    }

    /// Handles output of a client.
    pub(super) fn printed(&mut self, line: usize, print: Printed<'_>, context: Arc<str>) {
        let is_apart = self.is_apart;
        self.is_apart = is_apart && matches!(print, Printed::Mismatch(_));
        if let Printed::Loaded(count, directory) = print {
            return self.push_run(line, Some(directory.into()), Some(count), context);
        }
        let run = self.current(line, context);
        match print {
            Printed::Loaded(..) => {}
            Printed::Step(step, position) => run.calls.push(LoggedCall {
                step: Some(step),
                position,
                ..LoggedCall::at_line(line)
            }),
            Printed::Id(id) => {
                let waits = |call: &&mut LoggedCall| {
                    call.id.is_none() && call.step.is_some_and(|step| step != LoggedStep::Empty)
                };
                let id = Some(id.into());
                match run.calls.last_mut().filter(waits) {
                    Some(call) => call.id = id,
                    None => run.calls.push(LoggedCall { id, ..LoggedCall::at_line(line) }),
                }
            }
            Printed::Mismatch(kind) => {
                if run.calls.is_empty() {
                    run.calls.push(LoggedCall::at_line(line));
                }
                if let Some(call) = run.calls.last_mut() {
                    call.mismatches.push(ToolMismatch { line, is_apart, kind });
                }
            }
        }
    }

    /// Returns the call whose tools are printed on the next line: one matched by signature whose recording is not yet
    /// known.
    pub(super) fn awaits_tools(&mut self) -> Option<&mut LoggedCall> {
        let of_test = |run: &LoggedRun| run.test == self.test || self.test.is_none();
        let at = self.runs.iter().rposition(of_test)?;
        let call = self.runs[at].calls.last_mut()?;
        let awaits =
            call.step == Some(LoggedStep::Signature) && call.id.is_none() && call.tools.is_none();
        awaits.then_some(call)
    }

    /// Handles a failure that a client reports.
    pub(super) fn fail(
        &mut self,
        line: usize,
        what: FailureKind,
        directory: Option<Arc<str>>,
        context: Arc<str>,
    ) {
        let failing = std::mem::take(&mut self.failing);
        let tests: Vec<Option<Arc<str>>> = match &failing[..] {
            [] => vec![self.test.clone()],
            failing => failing.iter().map(|at| Some(Arc::clone(&self.failed[*at].test))).collect(),
        };
        for at in failing {
            self.failed[at].is_reported = true;
        }
        for test in tests {
            // A client that reports another number has loaded another set.
            let has_count = |run: &usize| match (&what, self.runs[*run].loaded) {
                (FailureKind::PastEnd { total, .. }, Some(loaded)) => loaded == *total,
                (FailureKind::NoDirectory, Some(_)) => false,
                _ => true,
            };
            let another = || (0..self.runs.len()).rev().find(has_count);
            let is_named = test.is_some() && self.are_runs_named();
            let run = self.run_of(test.as_deref()).filter(has_count).or_else(|| {
                let is_past_end = matches!(what, FailureKind::PastEnd { .. });
                // Without names of tests, the number of recordings is the only trace of the run.
                another().filter(|_| is_past_end && !is_named)
            });
            let loaded = run.or_else(|| self.run_of_file(test.as_deref()).filter(has_count));
            let directory = directory.clone().or_else(|| self.runs[loaded?].directory.clone());
            self.add(run, test, (line, what.clone()), directory, &context);
        }
    }

    /// Adds a failure with the calls of its run.
    fn add(
        &mut self,
        run: Option<usize>,
        test: Option<Arc<str>>,
        (line, kind): (usize, FailureKind),
        directory: Option<Arc<str>>,
        context: &Arc<str>,
    ) {
        let calls = run.map_or_else(Arc::default, |run| self.calls_of(run));
        let of = run.map(|run| &self.runs[run]);
        let failure = LoggedFailure {
            line,
            kind,
            directory,
            calls,
            test: test.or_else(|| of.and_then(|run| run.test.clone())),
            context: Arc::clone(context),
            log: Arc::default(),
        };
        // Runners print an error where it happens, and again at the end.
        let is_new = |(other, twin): &(Option<usize>, LoggedFailure)| {
            let is_same_run = run == *other && run.is_some() || twin.context == failure.context;
            !twin.is_repeat_of(&failure, is_same_run)
        };
        if self.failures.iter().all(is_new) {
            self.failures.push((run, failure));
        }
    }

    /// Returns the calls of a run, of which only the last may still change.
    fn calls_of(&mut self, run: usize) -> Arc<[LoggedCall]> {
        let calls = &self.runs[run].calls;
        let is_same =
            |log: &&mut Arc<[LoggedCall]>| log.len() == calls.len() && log.last() == calls.last();
        match self.shared_calls.get_mut(&run).filter(is_same) {
            Some(log) => Arc::clone(log),
            None => {
                let log: Arc<[LoggedCall]> = calls.as_slice().into();
                self.shared_calls.insert(run, Arc::clone(&log));
                log
            }
        }
    }

    /// Adds the tests that a heading names as failed and no client reports.
    fn add_failed_tests(&mut self) {
        let is_counted = |failed: &FailedTest| failed.error.is_some() || !failed.is_vague;
        let failed = std::mem::take(&mut self.failed);
        for test in failed.iter().filter(|failed| is_counted(failed) && !failed.is_reported) {
            // A list, and a heading of a file, repeat tests that other headings name.
            let is_named_elsewhere = test.is_vague
                && failed.iter().any(|other| {
                    !other.is_vague && file_of(&other.test) == file_of(&test.test)
                        || other.test.len() > test.test.len() && is_part_of(&other.test, &test.test)
                });
            if is_named_elsewhere {
                continue;
            }
            let run = self.run_of(Some(&test.test));
            let of = run.map(|run| &self.runs[run]);
            let (directory, context) =
                of.map_or_else(Default::default, |r| (r.directory.clone(), Arc::clone(&r.context)));
            let assertion = test.error.clone().or_else(|| Some("the test failed".into()));
            let kind = FailureKind::Run { assertion };
            self.add(run, Some(Arc::clone(&test.test)), (test.line, kind), directory, &context);
        }
    }

    /// Returns all failures in the order of the log. If there are none, returns the runs whose tools differ from those
    /// of the recordings, or else all runs.
    pub(super) fn failures(mut self, log: &str) -> Vec<LoggedFailure> {
        self.add_failed_tests();
        let log: Arc<str> = log.into();
        let is_reported = |at: usize| self.failures.iter().any(|(run, _)| *run == Some(at));
        let runs = self.runs.iter().enumerate();
        let asserted = runs.filter(|(at, run)| run.assertion.is_some() && !is_reported(*at));
        let mut failures: Vec<LoggedFailure> = asserted.map(|(_, run)| run.failure()).collect();
        failures.extend(self.failures.iter().map(|(_, failure)| failure.clone()));
        let differs = |run: &&LoggedRun| run.calls.iter().any(|call| !call.mismatches.is_empty());
        let has_calls = |run: &&LoggedRun| !run.calls.is_empty();
        let tiers: [&dyn Fn(&&LoggedRun) -> bool; 3] = [&differs, &has_calls, &|_| true];
        for tier in tiers {
            if failures.is_empty() {
                failures.extend(self.runs.iter().filter(|run| tier(run)).map(LoggedRun::failure));
            }
        }
        failures.sort_by_key(|failure| failure.line);
        for failure in &mut failures {
            failure.log = Arc::clone(&log);
        }
        failures
    }

    /// Returns all runs in the order of the log, those that failed with their failures.
    pub(super) fn all(mut self, log: &str) -> Vec<ObservedRun> {
        self.add_failed_tests();
        // Most tests play no recordings.
        self.failures.retain(|(r, f)| r.is_some() || !matches!(f.kind, FailureKind::Run { .. }));
        let log: Arc<str> = log.into();
        let is_reported = |at: usize| self.failures.iter().any(|(run, _)| *run == Some(at));
        let runs = self.runs.iter().enumerate();
        let rest = runs.filter(|(at, _)| !is_reported(*at));
        let mut all: Vec<ObservedRun> =
            rest.map(|(_, run)| ObservedRun { run: run.failure(), loaded: run.loaded }).collect();
        all.extend(self.failures.iter().map(|(run, failure)| ObservedRun {
            run: failure.clone(),
            loaded: run.and_then(|at| self.runs.get(at)?.loaded),
        }));
        all.sort_by_key(|run| run.run.line);
        for run in &mut all {
            run.run.log = Arc::clone(&log);
        }
        all
    }
}

impl LoggedRun {
    /// Returns the run as a failure that no client reported.
    fn failure(&self) -> LoggedFailure {
        let first = self.calls.first().map_or(self.line, |call| call.line);
        let (line, assertion) = match &self.assertion {
            Some((line, assertion)) => (*line, Some(Arc::clone(assertion))),
            None => (first, None),
        };
        LoggedFailure {
            line,
            kind: FailureKind::Run { assertion },
            directory: self.directory.clone(),
            calls: self.calls.as_slice().into(),
            test: self.test.clone(),
            context: Arc::clone(&self.context),
            log: Arc::default(),
        }
    }
}

/// Returns the error on a line without its prefix.
fn error_in(line: &str) -> &str {
    let line = line.trim();
    let Some(end) = line.find("Error") else {
        return line.find("expect(").map_or(line, |at| &line[at..]);
    };
    let word = line[..end].rfind(|c: char| !c.is_alphanumeric());
    let start = word.map_or(0, |at| at + line[at..].chars().next().map_or(1, char::len_utf8));
    &line[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_heading_of_a_failed_test_names_it_with_or_without_a_file() {
        for (line, test) in [
            (" FAIL  test/a.test.ts > triage > answers", Some("test/a.test.ts > triage > answers")),
            (" FAIL  |unit| test/a.test.ts > answers", Some("test/a.test.ts > answers")),
            (" FAIL  test/a.test.ts [ test/a.test.ts ]", Some("test/a.test.ts")),
            (" FAIL  triage > answers", Some("triage > answers")),
            ("--- FAIL: TestTriage (0.00s)", None),
            ("The tests FAIL often", None),
        ] {
            assert_eq!(failed_section(line), test, "{line}");
        }
    }

    #[test]
    fn failures_of_one_run_share_its_calls_until_it_has_another() {
        let call = |line: usize| LoggedCall {
            line,
            step: None,
            position: None,
            tools: None,
            id: None,
            mismatches: Vec::new(),
        };
        let mut runs = LoggedRuns::default();
        runs.runs.push(LoggedRun {
            line: 1,
            test: None,
            directory: None,
            loaded: None,
            context: Arc::default(),
            calls: vec![call(2)],
            assertion: None,
        });
        let first = runs.calls_of(0);
        assert!(Arc::ptr_eq(&first, &runs.calls_of(0)));
        runs.runs[0].calls.push(call(3));
        let second = runs.calls_of(0);
        assert_eq!((first.len(), second.len()), (1, 2));
        assert!(Arc::ptr_eq(&second, &runs.calls_of(0)));
    }
}
