//! Reads failures in JUnit reports, as vitest, jest and pytest write them.

use roxmltree::{Document, Node, ParsingOptions};

use crate::ops::playback::failure_log::{FailureLog, LoggedFailure};

/// Elements whose text is output of a test, in the order in which it is read.
const OUTPUT: [&str; 2] = ["system-out", "system-err"];

/// Elements that contain why a test failed.
const FAILURE: [&str; 2] = ["failure", "error"];

/// Returns whether a text begins as a JUnit report does.
pub(super) fn looks_like_junit(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let Some(start) = start.get(..start.floor_char_boundary(4096)) else {
        return false;
    };
    start.starts_with('<') && (start.contains("<testsuite") || start.contains("<testcase"))
}

/// Reads a report. One that is not XML has no failures, and the reason among its unread parts.
pub(super) fn read(name: &str, text: &str) -> FailureLog {
    let text = readable(text);
    let options = ParsingOptions {
        nodes_limit: u32::MAX,
        ..ParsingOptions::default()
    };
    let document = match Document::parse_with_options(&text, options) {
        Ok(document) => document,
        Err(error) => {
            let unread = format!(
                "Line {}: the report is not valid XML: {error}",
                error.pos().row
            );
            return FailureLog {
                unread: vec![unread],
                ..FailureLog::default()
            };
        }
    };
    let mut log = FailureLog::default();
    let tests = document
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    for test in tests.filter(|test| failures(*test).next().is_some()) {
        let (failure, unread) = read_test(name, test);
        log.failures.push(failure);
        log.unread.extend(unread);
    }
    log
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
    test.children()
        .filter(|child| FAILURE.contains(&child.tag_name().name()))
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
        let texts = part.children().filter(Node::is_text);
        let texts = texts.filter_map(|text| Some((line_of(text.range().start), text.text()?)));
        let texts: Vec<(usize, &str)> = texts.filter(|(_, it)| !it.trim().is_empty()).collect();
        // The text repeats the message, which may be only its first line.
        if let Some(message) = part.attribute_node("message").filter(|_| texts.is_empty()) {
            parts.push((line_of(message.range_value().start), message.value()));
        }
        parts.extend(texts);
    }
    let title = title(test);
    let line = line_of(test.range().start);
    let message = failures(test).find_map(|failure| failure.attribute("message"));
    let message = message.or_else(|| failures(test).find_map(|failure| failure.text()));
    let message = message.unwrap_or("the test failed");
    let mut log = FailureLog::read_parts(name, &parts);
    let unread = std::mem::take(&mut log.unread);
    (log.into_failure_of(name, &title, (line, message)), unread)
}

fn outputs<'a, 'i>(of: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    of.children()
        .filter(|child| OUTPUT.contains(&child.tag_name().name()))
}

/// Returns the name of a test: its file or class, then its own.
fn title(test: Node<'_, '_>) -> String {
    let name = test.attribute("name").unwrap_or_default();
    let class = test
        .attribute("classname")
        .or_else(|| test.attribute("file"));
    let is_word = |rest: &str| rest.starts_with(|it: char| it.is_alphanumeric() || it == '_');
    let is_apart = |class: &&str| name.strip_prefix(class).is_none_or(is_word);
    match class.filter(|class| !class.is_empty() && is_apart(class)) {
        Some(class) => format!("{class} > {name}"),
        None => name.to_owned(),
    }
}
