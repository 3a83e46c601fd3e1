//! Splits a log into lines, without the additions of terminals and test runners.

use crate::run_log::without_escapes;

/// Returns the lines with their numbers, from 1: without colors, and with the lines of a text quoted as JSON separated.
pub(super) fn lines(text: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = without_escapes(line);
        if line.contains("\\n") {
            lines.extend(line.split("\\n").map(|part| (at + 1, unescaped(part))));
        } else {
            lines.push((at + 1, line));
        }
    }
    lines
}

fn unescaped(part: &str) -> String {
    part.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// Returns the text after a key anywhere in the line, without surrounding JSON quotes and commas.
pub(super) fn text_after<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(key)?;
    Some(rest.trim().trim_end_matches(['"', '\'', '`']).trim_end())
}

/// Splits names at commas.
pub(super) fn names(list: &str) -> impl Iterator<Item = &str> {
    let names = list.split(',').map(|name| name.trim().trim_matches(['"', '\'', '`']));
    names.filter(|name| !name.is_empty())
}

/// Parses the number at the start of a text.
pub(super) fn number(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}
