//! Reads failures in JUnit reports, as vitest, jest and pytest write them.

use std::sync::Arc;

use roxmltree::{Document, Node, ParsingOptions};

use super::TestCount;
use crate::playback::failure_log::{
    FailureKind, FailureLog, LoggedFailure, ObservedRun, ObservedRuns,
};
use crate::run_log::{self, FailedTest, ReportedTest, TestName, TestOutcome, TestPhase};

/// Elements whose text is output of a test, in the order in which it is read.
const OUTPUT_ELEMENTS: [&str; 2] = ["system-out", "system-err"];

/// Elements that contain why a test failed.
const FAILURE_ELEMENTS: [&str; 2] = ["failure", "error"];

/// Returns whether a text begins as a JUnit report does.
pub(crate) fn looks_like_junit(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    // The root element is near the beginning; other files may be many megabytes.
    let Some(start) = start.get(..start.floor_char_boundary(4096)) else { return false };
    start.starts_with('<') && (start.contains("<testsuite") || start.contains("<testcase"))
}

/// Reads a report. One that is not XML has no failures, and the reason among its unread parts.
pub(super) fn read(name: &str, text: &str) -> FailureLog {
    let text = readable(text);
    let document = match parse(&text) {
        Ok(document) => document,
        Err(unread) => return FailureLog { unread: vec![unread], ..FailureLog::default() },
    };
    let mut log = FailureLog::default();
    let tests = document.descendants().filter(|node| node.has_tag_name("testcase"));
    for test in tests.filter(|test| failures(*test).next().is_some()) {
        let (failure, unread) = read_test(name, test);
        log.failures.push(cassette_failure(name, test, &failure).unwrap_or(failure));
        log.unread.extend(unread);
    }
    log
}

/// Reads all runs in a report, also those of tests that did not fail.
pub(super) fn read_runs(name: &str, text: &str) -> ObservedRuns {
    let text = readable(text);
    let document = match parse(&text) {
        Ok(document) => document,
        Err(unread) => return ObservedRuns { unread: vec![unread], ..ObservedRuns::default() },
    };
    let mut all = ObservedRuns::default();
    let is_test = |node: &Node<'_, '_>| node.has_tag_name("testcase");
    for test in document.descendants().filter(is_test) {
        if failures(test).next().is_some() {
            let (run, unread) = read_test(name, test);
            all.unread.extend(unread);
            // Most tests play no recordings.
            let is_of_client = !matches!(run.kind, FailureKind::Run { .. })
                || run.directory.is_some()
                || !run.calls.is_empty();
            if is_of_client {
                all.runs.push(ObservedRun { run, loaded: None });
            }
        }
    }
    // Runners write output for a test, or for its suite alone.
    for owner in document.descendants().filter(|node| outputs(*node).next().is_some()) {
        let parts: Vec<_> = outputs(owner).flat_map(texts).collect();
        let read = FailureLog::read_runs_of_parts(name, &parts);
        // Which runs of shared output belong to the test that failed is unknown.
        let has_failed = owner.descendants().filter(is_test).any(|t| failures(t).next().is_some());
        for mut observed in read.runs {
            if let FailureKind::Run { assertion } = &mut observed.run.kind
                && has_failed
            {
                assertion.get_or_insert_with(|| "a test with this output failed".into());
            }
            if is_test(&owner) {
                observed.run.test = Some(title(owner).into());
            }
            all.runs.push(observed);
        }
        all.unread.extend(read.unread);
    }
    all
}

/// Returns all tests of a report.
///
/// # Errors
///
/// Returns the reason why it is not XML, as a sentence.
pub(crate) fn read_tests(text: &str) -> Result<Vec<ReportedTest>, String> {
    let text = readable(text);
    let document = parse(&text)?;
    let tests = document.descendants().filter(|node| node.has_tag_name("testcase"));
    Ok(tests.map(read_outcome).collect())
}

fn read_outcome(test: Node<'_, '_>) -> ReportedTest {
    // An expected failure is reported as skipped, but its test ran.
    let is_skip = |child: &Node<'_, '_>| {
        child.has_tag_name("skipped") && child.attribute("type") != Some("pytest.xfail")
    };
    let skip = test.children().find(is_skip);
    let reason = skip.and_then(|skip| skip.attribute("message").or_else(|| skip.text()));
    let outcome = match skip {
        Some(_) => TestOutcome::Skipped,
        None if failures(test).next().is_some() => TestOutcome::Failed,
        None => TestOutcome::Passed,
    };
    ReportedTest { name: test_name(test), outcome, reason: reason.map(|text| text.trim().into()) }
}

/// Counts the tests in a report that were not skipped; `None` if it is not XML or has none.
pub(super) fn count(text: &str) -> Option<TestCount> {
    let text = readable(text);
    let document = parse(&text).ok()?;
    let mut count = TestCount::default();
    for test in document.descendants().filter(|node| node.has_tag_name("testcase")) {
        let skip = test.children().find(|child| child.has_tag_name("skipped"));
        count.total += usize::from(skip.is_none());
        // pytest reports a test that failed as expected in the same way.
        let is_skipped = |skip: Node<'_, '_>| skip.attribute("type") != Some("pytest.xfail");
        count.skipped += usize::from(skip.is_some_and(is_skipped));
        count.failed += usize::from(failures(test).next().is_some());
    }
    (count.total > 0).then_some(count)
}

/// Parses a report.
///
/// # Errors
///
/// Returns the reason why it is not XML, as a sentence that starts with its line.
fn parse(text: &str) -> Result<Document<'_>, String> {
    let options = ParsingOptions { nodes_limit: u32::MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let line = error.pos().row;
        format!("Line {line}: the report is not valid XML: {error}")
    })
}

/// Returns the texts of an element that are not blank, each with its line.
fn texts<'a>(of: Node<'a, '_>) -> impl Iterator<Item = (usize, &'a str)> {
    let document = of.document();
    let line_of = |at: usize| document.text_pos_at(at).row as usize;
    of.children()
        .filter(Node::is_text)
        .filter_map(move |text| Some((line_of(text.range().start), text.text()?)))
        .filter(|(_, text)| !text.trim().is_empty())
}

/// Removes what XML does not allow, but test runners write: control characters, such as those of colors.
fn readable(text: &str) -> String {
    let is_allowed = |letter: &char| {
        !letter.is_control() || matches!(letter, '\t' | '\n' | '\r' | '\u{80}'..='\u{9f}')
    };
    let text = text.trim_start_matches('\u{feff}');
    let mut readable: String = text.chars().filter(is_allowed).collect();
    // The escape character, as a reference and as pytest writes it. What follows is read as colors.
    for escape in ["&#27;", "&#x1b;", "&#x1B;", "#x1B"] {
        if readable.contains(escape) {
            readable = readable.replace(escape, "\\u001b");
        }
    }
    readable
}

fn failures<'a, 'i>(test: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    test.children().filter(|child| FAILURE_ELEMENTS.contains(&child.tag_name().name()))
}

/// Reads a failed test: its output, then the message and the text of its failure.
fn read_test(name: &str, test: Node<'_, '_>) -> (LoggedFailure, Vec<String>) {
    let document = test.document();
    let line_of = |at: usize| document.text_pos_at(at).row as usize;
    let mut parts: Vec<(usize, &str)> = Vec::new();
    let own: Vec<Node<'_, '_>> = outputs(test).collect();
    let suite = test.parent_element().into_iter().flat_map(outputs);
    // A report without output of single tests may have that of all.
    let outputs = if own.is_empty() { suite.collect() } else { own };
    for part in outputs.into_iter().chain(failures(test)) {
        let texts: Vec<(usize, &str)> = texts(part).collect();
        // The text repeats the message, which may be only its first line.
        if let Some(message) = part.attribute_node("message").filter(|_| texts.is_empty()) {
            parts.push((line_of(message.range_value().start), message.value()));
        }
        parts.extend(texts);
    }
    let title = title(test);
    let line = line_of(test.range().start);
    let message = failures(test)
        .find_map(|failure| failure.attribute("message"))
        .or_else(|| failures(test).find_map(|failure| failure.text()))
        .unwrap_or("the test failed");
    let mut log = FailureLog::read_parts(name, &parts);
    let unread = std::mem::take(&mut log.unread);
    (log.into_failure_of(name, &title, (line, message)), unread)
}

/// Returns the failure of a test that plays a cassette; `None` for one of a client of recordings, or of which that is not known.
fn cassette_failure(name: &str, test: Node<'_, '_>, read: &LoggedFailure) -> Option<LoggedFailure> {
    if read.has_client_output() {
        return None;
    }
    let document = test.document();
    let mut parts: Vec<(usize, &str)> = Vec::new();
    for failure in failures(test) {
        let message = failure.attribute_node("message").map(|message| {
            let line = document.text_pos_at(message.range_value().start).row as usize;
            (line, message.value())
        });
        // The message may be shortened, and some runners have only that.
        parts.extend(message);
        parts.extend(texts(failure));
    }
    let outputs: Vec<(usize, &str)> = outputs(test).flat_map(texts).collect();
    let (line, miss) = run_log::read_parts(&parts, &outputs)?;
    // Tests in other languages than Python fail for many reasons that have nothing to do with a cassette.
    if miss.client.is_none() && !parts.iter().any(|(_, text)| text.contains(".py:")) {
        return None;
    }
    let is_error = test.children().any(|child| child.has_tag_name("error"));
    let phase = if is_error { TestPhase::Setup } else { TestPhase::Call };
    let failed = FailedTest { line, test: test_name(test), phase, miss };
    let mut failure = LoggedFailure::of_cassette(name, failed);
    // The same name as in the log of the run, which may be read as well.
    if !is_of_python(test) {
        failure.test = read.test.clone();
    }
    Some(failure)
}

/// Returns whether the name of a test may be that of one in Python.
fn is_of_python(test: Node<'_, '_>) -> bool {
    let class = test.attribute("classname").unwrap_or_default();
    test.attribute("file").is_none_or(|file| file.ends_with(".py"))
        && class.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'))
}

fn test_name(test: Node<'_, '_>) -> TestName {
    let name = test.attribute("name").unwrap_or_default();
    match test.attribute("classname").filter(|class| !class.is_empty() && is_of_python(test)) {
        Some(class) => TestName::of_module(class, name),
        None => {
            TestName { file: test.attribute("file").map(Arc::from), class: None, name: name.into() }
        }
    }
}

fn outputs<'a, 'i>(of: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    of.children().filter(|child| OUTPUT_ELEMENTS.contains(&child.tag_name().name()))
}

/// Returns the name of a test: its file or class, then its own.
fn title(test: Node<'_, '_>) -> String {
    let name = test.attribute("name").unwrap_or_default();
    // Vitest and pytest write the file or module as the class; some reporters have `file` instead.
    let class = test.attribute("classname").or_else(|| test.attribute("file"));
    let is_word =
        |rest: &str| rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    // Some reporters repeat the class at the beginning of the name.
    let is_apart = |class: &&str| name.strip_prefix(class).is_none_or(is_word);
    match class.filter(|class| !class.is_empty() && is_apart(class)) {
        Some(class) => format!("{class} > {name}"),
        None => name.to_owned(),
    }
}
