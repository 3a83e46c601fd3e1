//! Assigns lines of a log to runs of a client. Each run is one test; runners mix the output of several.

use std::sync::Arc;

use super::lines::text_after;
use super::read::Printed;
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
    /// Whether the error of a failed test follows.
    is_failed: bool,
    /// Whether there is a heading of the runner after the last call.
    is_apart: bool,
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

/// Returns the test in a heading of its failure: vitest's `× name 14ms` and jest's `● suite › name`, of which the file is known, and
/// pytest's `____ name ____`.
fn failed_test(line: &str, file: Option<&str>) -> Option<String> {
    if let Some(name) = text_after(line, "× ") {
        let name = match name.rsplit_once(' ') {
            Some((name, time)) if time.ends_with("ms") && time.len() < 9 => name,
            _ => name,
        };
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
    let (before, rest) = line.split_once("___ ")?;
    let (name, after) = rest.split_once(" ___")?;
    let is_rule = |text: &str| text.bytes().all(|byte| byte == b'_');
    let rule = before.rsplit(' ').next().unwrap_or_default();
    let is_heading = is_rule(rule) && is_rule(after.trim_end()) && !name.contains("___");
    is_heading.then(|| name.to_owned())
}

impl LoggedRuns {
    /// Handles a line of the runner: a heading, or the error of a test.
    pub(super) fn line(&mut self, number: usize, line: &str) {
        let heading = text_after(line, "stdout | ").or_else(|| text_after(line, "stderr | "));
        if let Some(test) = heading {
            (self.test, self.is_failed, self.is_apart) = (Some(test.into()), false, true);
        } else if let Some(test) = text_after(line, "FAIL ").filter(|test| test.contains('.')) {
            (self.test, self.is_failed) = (Some(test.into()), true);
            self.file = Some(file_of(test).into());
        } else if let Some(file) = file_heading(line) {
            (self.file, self.test) = (Some(file.into()), None);
        } else if let Some(test) = failed_test(line, self.file.as_deref()) {
            (self.test, self.is_failed) = (Some(test.into()), true);
        } else if line.contains("##[error]") {
            // An annotation repeats a failure of any test.
            (self.test, self.is_failed) = (None, false);
        } else if line.contains("AssertionError")
            || self.is_failed && (line.contains("Error:") || line.contains("expect("))
        {
            self.is_failed = false;
            if let Some(run) = self.run().and_then(|run| self.runs.get_mut(run)) {
                let text = error_in(line).into();
                run.assertion.get_or_insert((number, text));
            }
        }
    }

    /// Returns the run of the current line: that of the named test, else of its file, else the latest.
    fn run(&self) -> Option<usize> {
        let last = self.runs.len().checked_sub(1);
        let Some(test) = &self.test else { return last };
        let of = |is: &dyn Fn(&str) -> bool| {
            let mut runs = self.runs.iter();
            runs.rposition(|run| run.test.as_deref().is_some_and(is))
        };
        let are_named = self.runs.iter().any(|run| run.test.is_some());
        of(&|other| *other == **test)
            .or_else(|| of(&|other| file_of(other) == file_of(test)))
            .or(last.filter(|_| !are_named))
    }

    /// Returns the run of a client's line; a new one at the start of a test.
    fn current(&mut self, line: usize, context: Arc<str>) -> &mut LoggedRun {
        let of_test = |run: &LoggedRun| run.test == self.test || self.test.is_none();
        let at = self.runs.iter().rposition(of_test).unwrap_or_else(|| {
            let loaded = self.run().or(self.runs.len().checked_sub(1));
            let loaded = loaded.and_then(|run| self.runs.get(run));
            let run = LoggedRun {
                line,
                test: self.test.clone(),
                directory: loaded.and_then(|run| run.directory.clone()),
                loaded: loaded.and_then(|run| run.loaded),
                context,
                calls: Vec::new(),
                assertion: None,
            };
            self.runs.push(run);
            self.runs.len() - 1
        });
        &mut self.runs[at]
    }

    /// Handles output of a client.
    pub(super) fn printed(&mut self, line: usize, printed: Printed<'_>, context: Arc<str>) {
        let is_apart = self.is_apart;
        self.is_apart = is_apart && matches!(printed, Printed::Mismatch(_));
        if let Printed::Loaded(count, directory) = printed {
            return self.runs.push(LoggedRun {
                line,
                test: self.test.clone(),
                directory: Some(directory.into()),
                loaded: Some(count),
                context,
                calls: Vec::new(),
                assertion: None,
            });
        }
        let run = self.current(line, context);
        match printed {
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
                match run.calls.last_mut().filter(waits) {
                    Some(call) => call.id = Some(id.into()),
                    None => run.calls.push(LoggedCall {
                        id: Some(id.into()),
                        ..LoggedCall::at_line(line)
                    }),
                }
            }
            Printed::Mismatch(kind) => {
                if run.calls.is_empty() {
                    run.calls.push(LoggedCall::at_line(line));
                }
                if let Some(call) = run.calls.last_mut() {
                    call.mismatches.push(ToolMismatch {
                        line,
                        is_apart,
                        kind,
                    });
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
        self.is_failed = false;
        let has_count = |run: &usize| match (&what, self.runs[*run].loaded) {
            (FailureKind::PastEnd { total, .. }, Some(loaded)) => loaded == *total,
            _ => true,
        };
        let another = || (0..self.runs.len()).rev().find(has_count);
        let run = self.run().filter(has_count);
        let run = run.or_else(|| another().filter(|_| matches!(what, FailureKind::PastEnd { .. })));
        let of = run.map(|run| &self.runs[run]);
        let failure = LoggedFailure {
            line,
            kind: what,
            directory: directory.or_else(|| of.and_then(|run| run.directory.clone())),
            calls: of.map_or(Vec::new(), |run| run.calls.clone()),
            test: of
                .and_then(|run| run.test.clone())
                .or_else(|| self.test.clone()),
            context,
            log: Arc::default(),
        };
        // Runners print an error where it happens, and again at the end.
        let is_new = |(other, known): &(Option<usize>, LoggedFailure)| {
            let is_same_run = run == *other && run.is_some() || known.context == failure.context;
            !known.is_repeat_of(&failure, is_same_run)
        };
        if self.failures.iter().all(is_new) {
            self.failures.push((run, failure));
        }
    }

    /// Returns all failures in the order of the log. If there are none, returns the runs whose tools differ from those
    /// of the recordings, or else all runs.
    pub(super) fn failures(self, log: &str) -> Vec<LoggedFailure> {
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
                let runs = self.runs.iter().filter(|run| tier(run));
                failures.extend(runs.map(LoggedRun::failure));
            }
        }
        failures.sort_by_key(|failure| failure.line);
        for failure in &mut failures {
            failure.log = Arc::clone(&log);
        }
        failures
    }

    /// Returns all runs in the order of the log, those that failed with their failures.
    pub(super) fn all(self, log: &str) -> Vec<ObservedRun> {
        let log: Arc<str> = log.into();
        let is_reported = |at: usize| self.failures.iter().any(|(run, _)| *run == Some(at));
        let runs = self.runs.iter().enumerate();
        let unreported = runs.filter(|(at, _)| !is_reported(*at));
        let mut all: Vec<ObservedRun> = unreported
            .map(|(_, run)| ObservedRun {
                run: run.failure(),
                loaded: run.loaded,
            })
            .collect();
        all.extend(self.failures.iter().map(|(run, failure)| ObservedRun {
            run: failure.clone(),
            loaded: run.and_then(|at| self.runs.get(at)?.loaded),
        }));
        all.sort_by_key(|observed| observed.run.line);
        for observed in &mut all {
            observed.run.log = Arc::clone(&log);
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
            calls: self.calls.clone(),
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
    let start = word.map_or(0, |at| {
        at + line[at..].chars().next().map_or(1, char::len_utf8)
    });
    &line[start..]
}
