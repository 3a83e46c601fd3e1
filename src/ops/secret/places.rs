//! Maps a part of a decoded text to its place in the source text.

use std::ops::Range;

use crate::format::Syntax;
use crate::text::Span;

/// Returns the bytes, within `span` of the document's text, that decode to `range`. Exact for JSON; in YAML exact if the
/// part is written without escapes, otherwise the whole span.
pub(super) fn find_span(
    document: &str,
    syntax: Syntax,
    span: Span,
    decoded: &str,
    range: Range<usize>,
) -> Span {
    let outer = span.range();
    let raw = &document[outer.clone()];
    let is_quoted = raw.len() >= 2 && raw.starts_with('"') && raw.ends_with('"');
    let found = match syntax {
        Syntax::Json if is_quoted => in_json(raw, &range),
        Syntax::Json => None,
        Syntax::Yaml | Syntax::Toml | Syntax::Code | Syntax::Machine => {
            find_verbatim(raw, decoded, &range).or_else(|| find_across_lines(raw, &decoded[range]))
        }
    };
    match found {
        Some(found) => Span::new(outer.start + found.start, outer.start + found.end),
        None => span,
    }
}

/// Walks over a JSON string with its quotes, counting on both sides.
fn in_json(raw: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let bytes = raw.as_bytes();
    let (mut at, mut decoded) = (1, 0);
    let mut start = None;
    while at < bytes.len() - 1 {
        if decoded == range.start && start.is_none() {
            start = Some(at);
        }
        if decoded >= range.end {
            break;
        }
        let (written, meant) = step(&raw[at..]);
        at += written;
        decoded += meant;
    }
    Some(start?..at)
}

/// Returns how many bytes one character takes as written, and decoded.
fn step(rest: &str) -> (usize, usize) {
    let plain = rest.chars().next().map_or(1, char::len_utf8);
    if !rest.starts_with('\\') {
        return (plain, plain);
    }
    let unit = |at: usize| {
        let digits = rest.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    match (unit(0), unit(6)) {
        (None, _) => (2, 1),
        (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, 4),
        // An unpaired surrogate is decoded as its escape.
        (Some(0xd800..=0xdfff), _) => (6, 6),
        (Some(unit), _) => (6, char::from_u32(u32::from(unit)).map_or(6, char::len_utf8)),
    }
}

/// Returns the same text in the same order of occurrence.
fn find_verbatim(raw: &str, decoded: &str, range: &Range<usize>) -> Option<Range<usize>> {
    let part = &decoded[range.clone()];
    let before = decoded[..range.start].matches(part).count();
    let (at, _) = raw.match_indices(part).nth(before)?;
    Some(at..at + part.len())
}

/// Finds a part of several lines, if each line is written verbatim and only the indentation differs.
fn find_across_lines(raw: &str, part: &str) -> Option<Range<usize>> {
    let mut lines = part.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next()?;
    let last = lines.next_back()?;
    let start = raw.find(first)?;
    let end = start + raw[start..].rfind(last)? + last.len();
    Some(start..end)
}
