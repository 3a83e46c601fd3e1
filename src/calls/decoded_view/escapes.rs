//! Escapes within texts: what they read, and where each character of that is written.

use std::borrow::Cow;
use std::ops::Range;

use document::json::quote;

/// A way to write characters in another form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// `\n`, `\"` and `\u0040`, as in JSON and in scripts.
    Backslash,
    /// `%40`, as in addresses.
    Percent,
    /// As [`Self::Percent`], and `+` for a space, as in forms.
    Form,
    /// `&#64;` and `&amp;`, as in HTML and XML.
    Entity,
}

/// A text without its escapes of one kind.
#[derive(Debug)]
pub(super) struct Unescaped<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) escape: Escape,
    /// Each escape, in order: its bytes in the text as it reads, and as it is written.
    escapes: Vec<(Range<usize>, Range<usize>)>,
}

impl Escape {
    /// Returns the bytes with which an escape begins.
    fn marks(self) -> [u8; 2] {
        match self {
            Self::Backslash => [b'\\'; 2],
            Self::Percent => [b'%'; 2],
            Self::Form => [b'%', b'+'],
            Self::Entity => [b'&'; 2],
        }
    }

    /// Reads the escape at the beginning of a text. Returns what it reads and its length.
    fn read(self, text: &str) -> Option<(char, usize)> {
        match self {
            Self::Backslash => backslash(text),
            Self::Form if text.starts_with('+') => Some((' ', 1)),
            Self::Percent | Self::Form => percent(text),
            Self::Entity => entity(text),
        }
    }

    /// Writes a text so that it reads as itself.
    pub(super) fn write(self, text: &str) -> String {
        match self {
            Self::Backslash => in_json(text),
            // Only these two begin something in a text of HTML.
            Self::Entity => text.replace('&', "&amp;").replace('<', "&lt;"),
            Self::Percent | Self::Form => {
                let write = |byte: u8| match byte {
                    // Unreserved in addresses (RFC 3986), as letters and digits are.
                    b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
                    _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
                    _ => format!("%{byte:02X}"),
                };
                text.bytes().map(write).collect()
            }
        }
    }
}

impl<'t> Unescaped<'t> {
    /// Reads a text; where it has no escapes, it is what is written.
    pub(super) fn new(raw: &'t str, escape: Escape) -> Self {
        let mut view = Self { text: Cow::Borrowed(raw), escape, escapes: Vec::new() };
        let (mut text, mut end) = (String::new(), 0);
        let [mark, other_mark] = escape.marks();
        for at in memchr::memchr2_iter(mark, other_mark, raw.as_bytes()) {
            // What is escaped may be such a sign itself.
            let Some((letter, len)) = escape.read(&raw[at..]).filter(|_| at >= end) else {
                continue;
            };
            text.push_str(&raw[end..at]);
            let start = text.len();
            text.push(letter);
            view.escapes.push((start..text.len(), at..at + len));
            end = at + len;
        }
        if !view.escapes.is_empty() {
            text.push_str(&raw[end..]);
            view.text = text.into();
        }
        view
    }

    pub(super) fn has_escapes(&self) -> bool {
        !self.escapes.is_empty()
    }

    /// Returns where a part of what it reads is written.
    pub(super) fn written(&self, range: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let count = self.escapes.partition_point(|(text_range, _)| text_range.start < at);
            let last = count.checked_sub(1).and_then(|i| self.escapes.get(i));
            last.map_or(at, |(text_range, raw)| raw.end + at.saturating_sub(text_range.end))
        };
        place(range.start)..place(range.end)
    }

    /// Returns whether a part of what is written has an escape.
    pub(super) fn is_escaped(&self, range: &Range<usize>) -> bool {
        let next = self.escapes.partition_point(|(_, r)| r.end <= range.start);
        self.escapes.get(next).is_some_and(|(_, r)| r.start < range.end)
    }

    /// Returns whether a byte of what is written is in an escape, behind its first one.
    pub(super) fn is_inside_escape(&self, at: usize) -> bool {
        let next = self.escapes.partition_point(|(_, r)| r.end <= at);
        self.escapes.get(next).is_some_and(|(_, r)| r.start < at)
    }
}

/// Returns a text as it is written within a string of JSON.
pub(super) fn in_json(text: &str) -> String {
    let literal = quote(text);
    literal[1..literal.len() - 1].to_owned()
}

/// Returns the place of the next escape of an ordinary character, such as a letter or `@`, from `at` on.
pub(super) fn first_hidden(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_hidden = |at: &usize| match bytes[*at] {
        b'\\' => {
            let tail = &bytes[*at + 1..];
            // Only printable ASCII can hide a mark; escapes of other letters are common.
            tail.starts_with(b"u00") && matches!(tail.get(3), Some(b'2'..=b'7'))
                || tail.first() == Some(&b'x')
        }
        b'%' => match bytes.get(at + 1..at + 3) {
            // `%`, `-` and `.` are signs of keys and addresses; `%2F` and similar escapes are in every address within another one.
            Some([b'2', digit]) => b"5dDeE".contains(digit),
            Some([b'3', digit]) => !b"bBcCeEfF".contains(digit),
            Some([b'4'..=b'7', digit]) => digit.is_ascii_hexdigit(),
            _ => false,
        },
        _ => {
            let tail = &text[*at..];
            ["&#", "&commat;", "&lowbar;"].iter().any(|e| tail.starts_with(e))
        }
    };
    memchr::memchr3_iter(b'\\', b'%', b'&', &bytes[at..]).map(|ahead| at + ahead).find(is_hidden)
}

fn backslash(text: &str) -> Option<(char, usize)> {
    let hex = |text: &str, at: usize, digits: usize| {
        let digits = text.get(at..at + digits)?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    Some(match *text.as_bytes().get(1)? {
        b'n' => ('\n', 2),
        b't' => ('\t', 2),
        b'r' => ('\r', 2),
        b'b' => ('\u{8}', 2),
        b'f' => ('\u{c}', 2),
        sign @ (b'"' | b'\'' | b'\\' | b'/') => (char::from(sign), 2),
        b'x' => (char::from_u32(hex(text, 2, 2)?.into())?, 4),
        b'u' => {
            let first = hex(text, 2, 4)?;
            match char::from_u32(first.into()) {
                Some(letter) => (letter, 6),
                None => {
                    let second =
                        text.get(6..8).filter(|s| *s == "\\u").and_then(|_| hex(text, 8, 4))?;
                    (char::decode_utf16([first, second]).next()?.ok()?, 12)
                }
            }
        }
        _ => return None,
    })
}

/// Reads the bytes of one character, each as `%` and two digits.
fn percent(text: &str) -> Option<(char, usize)> {
    let byte = |number: usize| {
        let escape = text.get(number * 3..number * 3 + 3)?.strip_prefix('%')?;
        let is_hex = escape.bytes().all(|b| b.is_ascii_hexdigit());
        is_hex.then(|| u8::from_str_radix(escape, 16).ok()).flatten()
    };
    let mut bytes = vec![byte(0)?];
    let len = match bytes[0] {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    bytes.extend((1..len).map_while(byte));
    Some((std::str::from_utf8(&bytes).ok()?.chars().next()?, bytes.len() * 3))
}

fn entity(text: &str) -> Option<(char, usize)> {
    // The longest number of a character: `&#1114111;`.
    const MAX_BYTES: usize = 10;
    const ENTITIES: [(&str, char); 12] = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", '\u{a0}'),
        ("commat", '@'),
        ("period", '.'),
        ("lowbar", '_'),
        ("equals", '='),
        ("colon", ':'),
        ("NewLine", '\n'),
    ];
    let end = text.bytes().take(MAX_BYTES).position(|b| b == b';')?;
    let name = text.get(1..end)?;
    let letter = match name.strip_prefix('#') {
        Some(number) => {
            let hex = number.strip_prefix(['x', 'X']);
            let (digits, radix) = hex.map_or((number, 10), |digits| (digits, 16));
            char::from_u32(u32::from_str_radix(digits, radix).ok()?)?
        }
        None => ENTITIES.iter().find(|(n, _)| *n == name)?.1,
    };
    Some((letter, end + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_character_has_its_place() {
        let cases = [
            (Escape::Backslash, r"a\n\u00e9\ud83d\ude00\x41\qb", "a\né😀A\\qb"),
            (Escape::Percent, "a%40%C3%A9%2540%zz%e9+", "a@é%40%zz%e9+"),
            (Escape::Form, "a+b%2B", "a b+"),
            (Escape::Entity, "a&#64;&#x40;&amp;amp;&x;&commat;", "a@@&amp;&x;@"),
        ];
        for (escape, raw, expected) in cases {
            let view = Unescaped::new(raw, escape);
            assert_eq!(view.text, expected);
            let places = view.text.char_indices().map(|(at, c)| {
                let place = view.written(&(at..at + c.len_utf8()));
                Unescaped::new(&raw[place], escape).text.into_owned()
            });
            assert_eq!(places.collect::<String>(), expected);
        }
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn what_is_written_reads_as_itself(text in "[\\x20-\\x7eé😀]{0,12}") {
            for escape in [Escape::Backslash, Escape::Percent, Escape::Form, Escape::Entity] {
                let raw = escape.write(&text);
                prop_assert_eq!(&Unescaped::new(&raw, escape).text, &text);
            }
        }
    }
}
