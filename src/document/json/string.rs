//! Decodes JSON strings and their escapes.

use std::ops::Range;

use crate::Syntax;
use crate::tree::{Node, Tree};

/// A fault inside a string.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StringFault {
    /// Bytes, counted from the start of the string's content.
    pub(super) range: Range<usize>,
    pub(super) message: String,
}

/// Decodes the text between the quotes. A lone surrogate stays as it is written (`\ud83d`), because a Rust
/// string cannot contain it. The first error is reported; an invalid escape stays as it is written.
pub(super) fn decode(content: &str) -> (String, Option<StringFault>) {
    let mut text = String::with_capacity(content.len());
    let mut fault = first_control(content);
    let mut rest = 0;
    while let Some(offset) = memchr::memchr(b'\\', &content.as_bytes()[rest..]) {
        let at = rest + offset;
        text.push_str(&content[rest..at]);
        // Nearly every escape is one of these.
        let escape_char = match content.as_bytes().get(at + 1) {
            Some(b'"') => Some('"'),
            Some(b'\\') => Some('\\'),
            Some(b'n') => Some('\n'),
            _ => None,
        };
        if let Some(c) = escape_char {
            text.push(c);
            rest = at + 2;
            continue;
        }
        let escape = JsonEscape::read(content, at);
        match escape.value {
            Some(c) => text.push(c),
            None => text.push_str(&content[at..at + escape.len]),
        }
        // A control character may come later in the string than this escape, though it was found first.
        if escape.is_fault && fault.as_ref().is_none_or(|f| f.range.start > at) {
            fault = Some(StringFault {
                range: at..at + escape.len,
                message: bad_escape(&content[at..at + escape.len]),
            });
        }
        rest = at + escape.len;
    }
    text.push_str(&content[rest..]);
    (text, fault)
}

/// Returns whether a string contains a raw control character, which JSON does not allow.
pub(super) fn has_control(content: &[u8]) -> bool {
    // Without an early exit the compiler can vectorise the loop.
    content.iter().fold(false, |has_any, &byte| has_any | (byte < b' '))
}

fn first_control(content: &str) -> Option<StringFault> {
    if !has_control(content.as_bytes()) {
        return None;
    }
    let at = content.bytes().position(|byte| byte < b' ')?;
    let message = match content.as_bytes()[at] {
        b'\n' | b'\r' => "A line break inside a string; `\\n` is expected instead".to_owned(),
        b'\t' => "A tab inside a string; `\\t` is expected instead".to_owned(),
        byte => {
            format!(
                "The control character U+{byte:04X} inside a string; `\\u{byte:04x}` is expected instead"
            )
        }
    };
    Some(StringFault { range: at..at + 1, message })
}

fn bad_escape(escape: &str) -> String {
    let escape = crate::text::visible(escape);
    if escape.starts_with("\\u") {
        format!("`{escape}` is not an escape; four hex digits are expected after `\\u`")
    } else {
        format!("`{escape}` is not a JSON escape; a backslash itself is written `\\\\`")
    }
}

/// One escape, at its backslash.
struct JsonEscape {
    /// In bytes; at least 1.
    len: usize,
    /// `None` for half a surrogate pair and for what is no escape.
    value: Option<char>,
    is_fault: bool,
}

impl JsonEscape {
    fn read(content: &str, at: usize) -> Self {
        let to_escape = |c: char, len: usize| Self { len, value: Some(c), is_fault: false };
        let Some(letter) = content[at + 1..].chars().next() else { return Self::fault(1) };
        match letter {
            '"' | '\\' | '/' => to_escape(letter, 2),
            'b' => to_escape('\u{8}', 2),
            'f' => to_escape('\u{c}', 2),
            'n' => to_escape('\n', 2),
            'r' => to_escape('\r', 2),
            't' => to_escape('\t', 2),
            'u' => Self::unicode(content, at),
            other => Self::fault(1 + other.len_utf8()),
        }
    }

    fn unicode(content: &str, at: usize) -> Self {
        let Some(unit) = unit_at(content, at) else {
            let digits = content[at + 2..].bytes().take(4);
            return Self::fault(2 + digits.take_while(u8::is_ascii_hexdigit).count());
        };
        let units = [Some(unit), unit_at(content, at + 6)];
        let (len, value) = match char::from_u32(unit.into()) {
            Some(c) => (6, Some(c)),
            None => match char::decode_utf16(units.into_iter().flatten()).next() {
                Some(Ok(c)) => (12, Some(c)),
                Some(Err(_)) | None => (6, None),
            },
        };
        Self { len, value, is_fault: false }
    }

    fn fault(len: usize) -> Self {
        Self { len, value: None, is_fault: true }
    }
}

/// Returns the code unit of `\uXXXX` at `at`.
fn unit_at(content: &str, at: usize) -> Option<u16> {
    let digits = content.get(at..at + 6)?.strip_prefix("\\u")?;
    let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// Returns the UTF-16 code units of a string of any document, as JavaScript holds them; halves of surrogate pairs included, which
/// only JSON can contain.
pub fn utf16(string: Node<'_>) -> Vec<u16> {
    units(string.tree(), string.as_str(), || string.raw())
}

/// Returns the UTF-16 code units of a member's key, as [`utf16`] those of a string.
pub fn key_utf16(member: Node<'_>) -> Vec<u16> {
    let span = || member.key_span().unwrap_or_default();
    units(member.tree(), member.key(), || member.tree().source().slice(span()))
}

/// Returns the code units of a decoded text, which is written as `raw`.
fn units<'t>(tree: &Tree, text: Option<&str>, raw: impl FnOnce() -> &'t str) -> Vec<u16> {
    match text {
        // Half of a surrogate pair is decoded as the text of its escape, which another string may contain literally.
        Some(text) if tree.syntax() == Syntax::Json && text.contains("\\u") => written_units(raw()),
        text => text.unwrap_or_default().encode_utf16().collect(),
    }
}

/// Returns what is between the quotes of a JSON string; one that is cut off may have only the first.
fn unquoted(raw: &str) -> &str {
    let inner = raw.strip_prefix('"').unwrap_or(raw);
    inner.strip_suffix('"').unwrap_or(inner)
}

/// Returns the code units of a JSON string as written, with its quotes. An invalid escape represents itself.
fn written_units(raw: &str) -> Vec<u16> {
    let content = unquoted(raw);
    let mut units = Vec::with_capacity(content.len());
    let mut rest = 0;
    while let Some(offset) = memchr::memchr(b'\\', &content.as_bytes()[rest..]) {
        let at = rest + offset;
        units.extend(content[rest..at].encode_utf16());
        let escape = JsonEscape::read(content, at);
        match (escape.value, unit_at(content, at)) {
            (Some(c), _) => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
            (None, Some(half)) => units.push(half),
            (None, None) => units.extend(content[at..at + escape.len].encode_utf16()),
        }
        rest = at + escape.len;
    }
    units.extend(content[rest..].encode_utf16());
    units
}

/// Returns where bytes of a decoded string (as [`Node::as_str`](crate::Node::as_str) returns it) are in the string as
/// written, counted from its opening quote; `None` within an escape, and past the end. `raw` has its quotes, `at` is in order.
pub fn places_in_raw(raw: &str, at: &[usize]) -> Vec<Option<usize>> {
    let content = unquoted(raw);
    let (mut source_units, mut value_units) = (0, 0);
    let mut places = Vec::with_capacity(at.len());
    while places.len() < at.len() {
        let rest = &content.as_bytes()[source_units..];
        let plain_len = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        while let Some(at) = at.get(places.len()).filter(|at| **at <= value_units + plain_len) {
            // A place before `value_units` is inside the last escape.
            let offset = at.checked_sub(value_units);
            places.push(offset.map(|offset| 1 + source_units + offset));
        }
        if plain_len == rest.len() {
            places.resize(at.len(), None);
            break;
        }
        let escape = JsonEscape::read(content, source_units + plain_len);
        source_units += plain_len + escape.len;
        value_units += plain_len + escape.value.map_or(escape.len, char::len_utf8);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_what_is_read_are_found_in_what_is_written() {
        let raw = r#""a\u00e9\n\ud83d\ude00é\ud83dz""#;
        let at: Vec<usize> = (0..18).collect();
        let places = places_in_raw(raw, &at);
        let pairs: Vec<(usize, usize)> =
            at.iter().zip(places).filter_map(|(at, place)| Some((*at, place?))).collect();
        // The byte within `é` is no border of characters, but it has a place.
        assert_eq!(
            pairs,
            [(0, 1), (1, 2), (3, 8), (4, 10), (8, 22), (9, 23), (10, 24), (16, 30), (17, 31)]
        );
        assert_eq!(places_in_raw("\"\"", &[0, 0]), [Some(1), Some(1)]);
    }

    #[test]
    fn escapes_become_what_they_represent() {
        assert_eq!(
            decode(r#"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00z"#),
            ("a\"\\/\u{8}\u{c}\n\r\té😀z".to_owned(), None)
        );
    }

    #[test]
    fn half_a_surrogate_pair_stays_as_written() {
        assert_eq!(decode(r"a\uD83Dz"), (r"a\uD83Dz".to_owned(), None));
        assert_eq!(decode(r"\ude00\ud83d\ud83d\ude00"), (r"\ude00\ud83d😀".to_owned(), None));
        assert_eq!(written_units(r#""\ud83d""#), [0xd83d]);
        assert_eq!(
            written_units(r#""é\ud83d\ude00\n""#),
            "é😀\n".encode_utf16().collect::<Vec<_>>()
        );
    }

    #[test]
    fn what_is_no_escape_stays_and_is_reported() {
        let fault = |content| {
            let (text, fault) = decode(content);
            let fault = fault.expect("a fault");
            format!("{text:?} {:?} {}", fault.range, fault.message)
        };
        insta::assert_snapshot!(fault(r"C:\dir\x"), @r#""C:\\dir\\x" 2..4 `\d` is not a JSON escape; a backslash itself is written `\\`"#);
        insta::assert_snapshot!(fault(r"a\u12g4"), @r#""a\\u12g4" 1..5 `\u12` is not an escape; four hex digits are expected after `\u`"#);
        insta::assert_snapshot!(fault("a\nb\\q"), @r#""a\nb\\q" 1..2 A line break inside a string; `\n` is expected instead"#);
        insta::assert_snapshot!(fault("\u{1b}[31m"), @r#""\u{1b}[31m" 0..1 The control character U+001B inside a string; `\u001b` is expected instead"#);
    }
}
