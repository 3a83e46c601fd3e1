//! Splits a log into failed tests by the headings of runners.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::lines::LogLine;
use super::test_name::TestName;
use super::{TestPhase, miss};

/// The lines of a log that are of one failed test.
#[derive(Clone, Debug)]
pub(super) struct Section<'l> {
    pub(super) line: usize,
    pub(super) test: TestName,
    pub(super) phase: TestPhase,
    pub(super) is_of_python: bool,
    pub(super) lines: Vec<&'l LogLine<'l>>,
}

impl<'l> Section<'l> {
    fn new(line: usize, heading: TestHeading) -> Self {
        let TestHeading { test, phase, is_of_python } = heading;
        Self { line, test, phase, is_of_python, lines: Vec::new() }
    }

    /// Returns a whole log as one section.
    pub(super) fn of_all(lines: &'l [LogLine<'l>]) -> Self {
        let heading = TestHeading::new(TestName::default());
        Self { lines: lines.iter().collect(), ..Self::new(1, heading) }
    }

    /// Returns the first line of its error, or of all that is known.
    pub(super) fn error(&self) -> Arc<str> {
        let first = || self.lines.iter().map(|line| line.text.trim()).find(|text| !text.is_empty());
        last_error(&self.lines).map(|(_, text)| text).or_else(first).unwrap_or_default().into()
    }
}

/// A line that begins the output of a failed test.
struct TestHeading {
    test: TestName,
    phase: TestPhase,
    is_of_python: bool,
}

impl TestHeading {
    fn new(test: TestName) -> Self {
        Self { test, phase: TestPhase::Call, is_of_python: false }
    }

    fn of_sentence(file: Option<&str>, name: &str) -> Self {
        let file = file.map(|file| file.replace('\\', "/").into());
        Self::new(TestName { file, class: None, name: name.trim().into() })
    }
}

/// A line that divides a log.
enum Divider<'l> {
    Test(TestHeading),
    /// The heading of a list of failures, in which each has a heading.
    Failures,
    /// The list of failed tests at the end of a run of pytest.
    Summary,
    /// A test in such a list, with the beginning of its message.
    Listed(TestName, TestPhase, &'l str),
    /// The end of a section, or output of tests that passed.
    End,
}

/// A test in the list at the end of a run.
struct ListedTest<'l> {
    test: TestName,
    section: Section<'l>,
    message: &'l str,
}

/// Splits a log into its failed tests.
pub(super) fn split<'l>(lines: &'l [LogLine<'l>]) -> Vec<Section<'l>> {
    let mut sections: Vec<Section<'l>> = Vec::new();
    let mut listed: Vec<ListedTest<'l>> = Vec::new();
    // The failures of `--tb=line`, which have no headings: each ends with its place.
    let mut short: Vec<Vec<&'l LogLine<'l>>> = vec![Vec::new()];
    let (mut is_open, mut is_listing, mut is_in_failures) = (false, false, false);
    let mut files = HeadingContext::default();
    for (at, line) in lines.iter().enumerate() {
        let divider = divider(
            &line.text,
            lines.get(at + 1),
            at.checked_sub(1).map(|at| &lines[at]),
            &mut files,
        );
        match divider {
            Some(Divider::Test(heading)) => {
                sections.push(Section::new(line.number, heading));
                (is_open, is_listing) = (true, false);
            }
            Some(Divider::Failures) => (is_open, is_listing, is_in_failures) = (false, false, true),
            Some(Divider::Summary) => (is_open, is_listing, is_in_failures) = (false, true, false),
            Some(Divider::End) => (is_open, is_listing, is_in_failures) = (false, false, false),
            Some(Divider::Listed(test, phase, message)) if is_listing || !is_open => {
                let heading = TestHeading { test: test.clone(), phase, is_of_python: true };
                let section = Section::new(line.number, heading);
                listed.push(ListedTest { test, section, message });
                is_listing = true;
            }
            Some(Divider::Listed(..)) | None => {
                let open = if is_listing {
                    listed.last_mut().map(|listed| &mut listed.section)
                } else {
                    sections.last_mut().filter(|_| is_open)
                };
                match open {
                    Some(section) => section.lines.push(line),
                    None if is_in_failures => {
                        short.last_mut().into_iter().for_each(|block| block.push(line));
                        if is_short_failure(&line.text) {
                            short.push(Vec::new());
                        }
                    }
                    None => {}
                }
            }
        }
    }
    short.pop();
    name_files(&mut sections, &listed);
    add_listed(&mut sections, listed, &short, lines);
    for section in sections.iter_mut().filter(|section| section.test.file.is_none()) {
        section.test.file = first_frame(section).map(Arc::from);
    }
    sections
}

/// Gives sections of pytest the files of their tests, which only the list at the end has.
fn name_files(sections: &mut [Section<'_>], listed: &[ListedTest<'_>]) {
    let mut by_name: HashMap<(String, bool), VecDeque<&TestName>> = HashMap::new();
    for entry in listed {
        let key = (entry.test.with_class(), entry.section.phase == TestPhase::Call);
        by_name.entry(key).or_default().push_back(&entry.test);
    }
    for section in sections.iter_mut().filter(|section| section.is_of_python) {
        let key = (section.test.with_class(), section.phase == TestPhase::Call);
        // Tests of several files have one name; both lists have the same order.
        let Some(names) = by_name.get_mut(&key) else { continue };
        let name = if names.len() > 1 { names.pop_front() } else { names.front().copied() };
        section.test = name.cloned().unwrap_or_else(|| section.test.clone());
    }
}

/// Adds the listed tests that have no section, with the lines of `--tb=line`, and the messages of those whose section has no error.
fn add_listed<'l>(
    sections: &mut Vec<Section<'l>>,
    listed: Vec<ListedTest<'l>>,
    short: &[Vec<&'l LogLine<'l>>],
    lines: &'l [LogLine<'l>],
) {
    let positions: HashMap<TestName, usize> =
        sections.iter().enumerate().map(|(at, section)| (section.test.clone(), at)).collect();
    let is_new = |entry: &ListedTest<'_>| !positions.contains_key(&entry.test);
    let new_count = listed.iter().filter(|entry| is_new(entry)).count();
    // Both lists have the same order.
    let mut short = short.iter().filter(|_| short.len() == new_count);
    for mut entry in listed {
        let own_line = lines.get(entry.section.line - 1).filter(|_| !entry.message.is_empty());
        let message = own_line.into_iter().chain(std::mem::take(&mut entry.section.lines));
        let message: Vec<&LogLine<'_>> = message.collect();
        let has_miss = |lines: &[&LogLine<'_>]| lines.iter().any(|line| miss::is_in(&line.text));
        let Some(at) = positions.get(&entry.test) else {
            // Without a traceback the list shortens messages to the width of the terminal.
            let block = short.next().filter(|block| has_miss(block) || !has_miss(&message));
            entry.section.lines = block.cloned().unwrap_or(message);
            sections.push(entry.section);
            continue;
        };
        // With `CI` set, the list has the whole message, also where the traceback is hidden.
        let section = &mut sections[*at];
        if !has_miss(&section.lines) && has_miss(&message) {
            let end = captured(&section.lines).unwrap_or(section.lines.len());
            section.lines.splice(end..end, message);
        }
    }
}

/// Returns whether a line is a failure of `--tb=line`: `/tests/test_a.py:9: AssertionError`.
fn is_short_failure(line: &str) -> bool {
    let place = line.split_once(".py:").and_then(|(_, rest)| rest.split_once(": "));
    place.is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The last names that headings of later lines depend on.
#[derive(Default)]
struct HeadingContext {
    /// The last file that jest names as failed.
    file: Option<String>,
    /// The last test that nextest or Go names.
    running: Option<String>,
    /// Whether a numbered list of failures began.
    is_numbered: bool,
}

fn divider<'l>(
    line: &'l str,
    next: Option<&'l LogLine<'l>>,
    previous: Option<&'l LogLine<'l>>,
    context: &mut HeadingContext,
) -> Option<Divider<'l>> {
    // The first letters decide, since most lines of a log are none of these.
    match line.as_bytes().first()? {
        b'_' => pytest_heading(line).map(Divider::Test),
        b'=' => banner(line),
        b'F' | b'E' => listed(line)
            .or_else(|| unittest_heading(line, previous).map(Divider::Test))
            .or_else(|| {
                minitest_heading(line, next).map(Divider::Test).or_else(|| {
                    if line.starts_with("Failures:") || line.starts_with("Failed examples:") {
                        context.is_numbered = line.starts_with("Failures:");
                        return Some(Divider::End);
                    }
                    (line == "FAIL"
                        || line.starts_with("FAIL\t")
                        || line.starts_with("Finished in "))
                    .then_some(Divider::End)
                    .or_else(|| jest_file(line, context))
                })
            }),
        b'-' => rust_or_go_heading(line, context),
        b' ' => indented_heading(line, next, context).map(Divider::Test),
        _ if line.starts_with("── ") || line.starts_with("══ ") => r_heading(line),
        _ if line.starts_with("failures:") || line.starts_with("Ran ") => Some(Divider::End),
        _ if line.starts_with("⎯⎯") && line.contains('[') => Some(Divider::End),
        _ => None,
    }
}

/// Parses `____ TestA.test_b[c] ____` and `____ ERROR at setup of test_b ____`.
fn pytest_heading(line: &str) -> Option<TestHeading> {
    let inner = line.trim_start_matches('_').strip_prefix(' ')?;
    let inner = inner.trim_end().trim_end_matches('_').strip_suffix(' ')?.trim();
    // Rows of `_ _ _` divide the frames of a traceback.
    if inner.is_empty() || inner.chars().all(|c| c == '_' || c == ' ') || !line.ends_with('_') {
        return None;
    }
    let phases = [
        ("ERROR at setup of ", TestPhase::Setup),
        ("ERROR at teardown of ", TestPhase::Teardown),
        ("ERROR collecting ", TestPhase::Setup),
    ];
    let phase =
        phases.into_iter().find_map(|(start, phase)| Some((inner.strip_prefix(start)?, phase)));
    let (name, phase) = phase.unwrap_or((inner, TestPhase::Call));
    if inner.starts_with("summary") || inner.starts_with("coverage:") {
        return None;
    }
    Some(TestHeading { test: TestName::of_heading(name), phase, is_of_python: true })
}

/// Parses `==== FAILURES ====` and its like.
fn banner(line: &str) -> Option<Divider<'_>> {
    let run = line.strip_prefix("=== ");
    if let Some(rest) = run {
        // Go, which also has `=== NAME`, `=== CONT` and `=== PAUSE`.
        if let Some(name) = rest.strip_prefix("RUN ").or_else(|| rest.strip_prefix("NAME ")) {
            return Some(Divider::Test(TestHeading::of_sentence(None, name)));
        }
    }
    let inner = line.trim_matches('=').trim();
    if inner.is_empty() {
        return None;
    }
    Some(match inner {
        "FAILURES" | "ERRORS" => Divider::Failures,
        "short test summary info" => Divider::Summary,
        _ => Divider::End,
    })
}

/// Parses `FAILED tests/test_a.py::test_b - AssertionError: …` in the list at the end of a run of pytest.
fn listed(line: &str) -> Option<Divider<'_>> {
    let phases = [("FAILED ", TestPhase::Call), ("ERROR ", TestPhase::Setup)];
    let (rest, phase) =
        phases.into_iter().find_map(|(s, phase)| Some((line.strip_prefix(s)?, phase)))?;
    let rest = rest.trim_start();
    let space = rest.find(' ').unwrap_or(rest.len());
    // Parameters may contain blanks and hyphens.
    let end = match rest.find('[').filter(|bracket| *bracket < space) {
        Some(_) => rest.find("] - ").map_or(rest.trim_end().len(), |at| at + 1),
        None => space,
    };
    let message = rest[end..].trim_start().strip_prefix("- ").unwrap_or_default();
    let test = TestName::of_node(&rest[..end])?;
    (test.file.as_deref()?.ends_with(".py")).then_some(Divider::Listed(test, phase, message))
}

/// Parses `ERROR: test_a (tests.test_mail.TestMail.test_a)` below a row of `=`.
fn unittest_heading(line: &str, previous: Option<&LogLine<'_>>) -> Option<TestHeading> {
    let rest = line.strip_prefix("ERROR: ").or_else(|| line.strip_prefix("FAIL: "))?;
    previous
        .filter(|line| line.text.starts_with("=====") && line.text.trim_matches('=').is_empty())?;
    let (name, module) = rest.split_once(" (")?;
    let module = module.split(')').next()?;
    // Since 3.11 the name of the test is part of it.
    let module = module.strip_suffix(name).and_then(|m| m.strip_suffix('.')).unwrap_or(module);
    if name == "setUpClass" {
        let test = TestName { name: "setUpClass".into(), ..TestName::of_module(module, "") };
        let heading = TestHeading { phase: TestPhase::Setup, ..TestHeading::new(test) };
        return Some(TestHeading { is_of_python: true, ..heading });
    }
    let heading = TestHeading::new(TestName::of_module(module, name));
    Some(TestHeading { is_of_python: true, ..heading })
}

/// Parses `Error:` with `MailTest#test_a:` on the next line, or after a number: `  1) Error:`.
fn minitest_heading(line: &str, next: Option<&LogLine<'_>>) -> Option<TestHeading> {
    if !["Error:", "Failure:"].contains(&line.trim_end()) {
        return None;
    }
    let name = next?.text.trim();
    let (class, rest) = name.split_once('#')?;
    let (name, place) = rest.split_once(" [").unwrap_or((rest, ""));
    let file = place.split(':').next().filter(|file| !file.is_empty());
    let class = class.rsplit("::").next().map(Arc::from);
    let name = name.trim_end_matches(':').into();
    Some(TestHeading::new(TestName { file: file.map(Arc::from), class, name }))
}

/// Parses `FAIL test/a.test.ts` of jest, whose tests follow.
fn jest_file<'l>(line: &str, context: &mut HeadingContext) -> Option<Divider<'l>> {
    let file = line.strip_prefix("FAIL ")?.trim();
    if file.contains(' ') && !file.contains(" (") {
        return None;
    }
    context.file = file.split(' ').next().map(str::to_owned);
    Some(Divider::End)
}

/// Parses `--- FAIL: TestA (0.02s)` of Go, and `---- a::b stdout ----` and `--- STDOUT: crate a::b ---` of Rust.
fn rust_or_go_heading<'l>(line: &str, context: &mut HeadingContext) -> Option<Divider<'l>> {
    if let Some(rest) = line.strip_prefix("--- FAIL: ") {
        let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
        return Some(Divider::Test(TestHeading::of_sentence(None, name)));
    }
    if line.starts_with("--- PASS: ") || line.starts_with("--- SKIP: ") {
        return Some(Divider::End);
    }
    let inner = line.trim_matches(['-', ' ']);
    if let Some(name) = inner.strip_suffix(" stdout").or_else(|| inner.strip_suffix(" stderr")) {
        return line.ends_with("----").then(|| Divider::Test(TestHeading::of_sentence(None, name)));
    }
    let output = inner.strip_prefix("STDOUT:").or_else(|| inner.strip_prefix("STDERR:"))?;
    let name = output.split_whitespace().last()?;
    context.running = Some(name.to_owned());
    Some(Divider::Test(TestHeading::of_sentence(None, name)))
}

/// Parses the headings of RSpec, ExUnit, minitest, vitest, jest, Go's subtests and nextest, which are indented.
fn indented_heading(
    line: &str,
    next: Option<&LogLine<'_>>,
    context: &mut HeadingContext,
) -> Option<TestHeading> {
    let text = line.trim();
    if let Some(rest) = text.strip_prefix("● ") {
        return Some(TestHeading::of_sentence(
            context.file.as_deref(),
            &rest.replace(" › ", " > "),
        ));
    }
    if let Some(rest) = line.strip_prefix(" FAIL  ") {
        let (file, name) = rest.split_once(" > ")?;
        return Some(TestHeading::of_sentence(Some(file.rsplit('|').next()?.trim()), name));
    }
    if let Some(rest) = text.strip_prefix("--- FAIL: ") {
        let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
        return Some(TestHeading::of_sentence(None, name));
    }
    if let Some(rest) = text.strip_prefix("FAIL [") {
        context.running = rest.split_whitespace().last().map(str::to_owned);
        return None;
    }
    if text.starts_with("stdout ───") || text.starts_with("stderr ───") {
        return Some(TestHeading::of_sentence(None, context.running.as_deref()?));
    }
    let (number, name) = text.split_once(") ")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || line.len() - line.trim_start().len() > 4 {
        return None;
    }
    minitest_heading(name, next).or_else(|| {
        let below = next.map(|next| next.text.trim()).unwrap_or_default();
        let is_failure = below.starts_with("Failure/Error:") || context.is_numbered;
        let is_exunit = name.starts_with("test ") && below.contains(".exs:");
        (is_failure || is_exunit).then(|| TestHeading::of_sentence(None, name))
    })
}

/// Parses `── Error ('test-mail.R:12:3'): can chat ────` of testthat.
fn r_heading<'l>(line: &str) -> Option<Divider<'l>> {
    let rest = line
        .trim_start_matches(['─', '═', ' ', '1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '.']);
    let Some(rest) = rest.strip_prefix("Error (").or_else(|| rest.strip_prefix("Failure (")) else {
        return Some(Divider::End);
    };
    let (place, name) = rest.split_once("): ")?;
    let file = place.trim_matches('\'').split(':').next();
    let name = name.trim_end_matches(['─', ' ']);
    Some(Divider::Test(TestHeading::of_sentence(file, name)))
}

/// Returns the position of the first line that pytest captured from the test.
pub(super) fn captured(lines: &[&LogLine<'_>]) -> Option<usize> {
    lines.iter().position(|line| {
        let text = line.text.trim_end();
        text.starts_with("---") && text.ends_with("---") && text.contains(" Captured ")
    })
}

/// Returns the first line of the error that a test reports at last, with its number.
pub(super) fn last_error<'l>(lines: &[&'l LogLine<'_>]) -> Option<(usize, &'l str)> {
    let marked = |at: usize| lines.get(at).and_then(|line| error_text(&line.text));
    // The lines of one error are all marked; the first has its name.
    let first = (0..lines.len())
        .rev()
        .find(|at| marked(*at).is_some() && at.checked_sub(1).and_then(marked).is_none());
    let unmarked = || {
        let named = |line: &&&LogLine<'_>| error_name(line.text.trim()).is_some();
        let named = lines.iter().rev().find(named).map(|line| (line.number, line.text.trim()));
        // A message in the list of failed tests follows the name of the test.
        named.or_else(|| {
            let line = lines.iter().find(|line| listed(&line.text).is_some())?;
            match listed(&line.text)? {
                Divider::Listed(.., message) => Some((line.number, message)),
                _ => None,
            }
        })
    };
    let marked_error = first.and_then(|at| Some((lines[at].number, marked(at)?.trim())));
    marked_error.or_else(unmarked)
}

/// Returns the text of a line that pytest marks as part of an error.
pub(super) fn error_text(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('E')?;
    (rest.is_empty() || rest.starts_with("  ")).then_some(rest)
}

/// Returns the name of the error that a line begins with: `openai.APIConnectionError: Connection error.`
pub(super) fn error_name(line: &str) -> Option<&str> {
    // Lines of `--tb=line` begin with their place.
    let line = match line.split_once(".py:") {
        Some((_, rest)) => rest.split_once(": ").map_or(line, |(_, error)| error),
        None => line,
    };
    let end =
        line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    let is_error = ["Error", "Exception", "Failed"].iter().any(|ending| name.ends_with(ending));
    (is_error && (rest.is_empty() || rest.starts_with(": ") || rest == ":")).then_some(name)
}

/// Returns the file of the test in a traceback that has no list of failed tests.
fn first_frame(section: &Section<'_>) -> Option<String> {
    section.lines.iter().find_map(|line| {
        let text = line.text.trim_start();
        let path = match text.strip_prefix("File \"") {
            Some(rest) => rest.split('"').next()?,
            None => text
                .split_once(".py:")
                .filter(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
                .map(|(path, _)| &text[..path.len() + 3])?,
        };
        let path = path.replace('\\', "/");
        let name = path.rsplit('/').next()?;
        let stem = name.strip_suffix(".py")?;
        let is_test = stem.starts_with("test_") || stem.ends_with("_test");
        (is_test && !path.contains("site-packages")).then_some(path)
    })
}
