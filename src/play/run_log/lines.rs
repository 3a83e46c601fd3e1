//! Splits a log into lines, without colors and without the times and names that a service prints before each.

use std::borrow::Cow;

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogLine<'t> {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) text: Cow<'t, str>,
}

/// Returns the lines of a log.
pub(crate) fn lines(text: &str) -> Vec<LogLine<'_>> {
    let plain = |line| match line {
        line if has_escape(line) => Cow::Owned(without_escapes(line)),
        line => Cow::Borrowed(line.trim_end_matches('\r')),
    };
    let text = text.trim_start_matches('\u{feff}');
    let lines = (1..).zip(text.lines()).map(|(number, line)| {
        let text = without_time(plain(line));
        LogLine { number, text }
    });
    lines.collect()
}

fn has_escape(line: &str) -> bool {
    line.contains('\u{1b}') || line.contains("\\u001b[") || line.contains("\\x1b[")
}

/// Removes the time of a service from the beginning of a line, and what precedes it: `job<tab>step<tab>2026-11-28T10:31:45.123Z `.
fn without_time(line: Cow<'_, str>) -> Cow<'_, str> {
    let start =
        line.rfind("\t20").filter(|_| line.matches('\t').count() == 2).map_or(0, |at| at + 1);
    let Some(rest) = line.get(start..).and_then(after_time) else { return line };
    let len = line.len() - rest.len();
    match line {
        Cow::Borrowed(line) => Cow::Borrowed(&line[len..]),
        Cow::Owned(line) => Cow::Owned(line[len..].to_owned()),
    }
}

/// Returns what follows a time such as `2026-11-28T10:31:45.1234567Z ` or GitLab's `2026-11-28T10:31:45.123456Z 00O `.
fn after_time(line: &str) -> Option<&str> {
    let line = line.trim_start_matches('\u{feff}');
    let bytes = line.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_time = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18].into_iter().all(is_digit)
        && [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')]
            .into_iter()
            .all(|(at, byte)| bytes.get(at) == Some(&byte));
    if !is_time {
        return None;
    }
    let rest = line[19..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let rest = rest.strip_prefix('Z')?;
    // GitLab names the stream: two digits, `O` or `E`, and `+` for the rest of a long line.
    let stream = rest.as_bytes();
    if let [b' ', a, b, b'O' | b'E', b' ' | b'+', ..] = stream
        && a.is_ascii_hexdigit()
        && b.is_ascii_hexdigit()
    {
        return Some(&rest[5..]);
    }
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// Removes terminal escape sequences from a line. A log that was stored as JSON has them spelled out.
pub fn without_escapes(line: &str) -> String {
    let line = line.replace("\\u001b", "\u{1b}").replace("\\x1b", "\u{1b}");
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => match letters.next() {
                // A sequence ends with a letter, a title with a bell.
                Some('[') => while letters.next().is_some_and(|c| !c.is_ascii_alphabetic()) {},
                Some(']') => while letters.next().is_some_and(|c| c != '\u{7}') {},
                _ => {}
            },
            // Line ends of Windows and progress bars leave these.
            '\r' => {}
            letter => plain.push(letter),
        }
    }
    plain
}
