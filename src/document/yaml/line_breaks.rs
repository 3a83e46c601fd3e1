//! Line breaks that only YAML 1.1 has: U+0085, U+2028 and U+2029.
//!
//! The scanner reads YAML 1.2, where they are ordinary characters; to PyYAML, libyaml and what is built on them they end lines, in
//! scalars and elsewhere. So scalars with them are decoded here; and where they are outside of quotes and brackets, the scanner gets a text
//! in which they are line ends. In them they stay: there the scanner requires indentation after a line end, and PyYAML does not.

use saphyr_parser::ScalarStyle;

use crate::text::Span;
use crate::tree::{NodeKind, Tree};

/// Replaces the line breaks of YAML 1.1 that are outside of quotes, and of texts in brackets, by spaces and a line feed of the same
/// length, so that all places
/// stay the same. `tree` is what was read of the text before. `None` if there are none.
pub(super) fn as_line_feeds(tree: &Tree) -> Option<String> {
    let text = tree.source().text();
    let starts = |span: Span, signs: [char; 2]| text[span.range()].starts_with(signs);
    let scalars = tree.nodes().flat_map(|node| {
        let is_text = node.kind() == NodeKind::String && !node.is_alias();
        let is_in_brackets = (node.parent()).is_some_and(|p| starts(p.span(), ['[', '{']));
        let scalars = node.key_span().into_iter().chain(is_text.then_some(node.span()));
        scalars.filter(move |span| is_in_brackets || starts(*span, ['"', '\'']))
    });
    let mut scalar_ranges = scalars.map(Span::range).peekable();
    let mut new_text = String::with_capacity(text.len());
    let mut is_same = true;
    for (at, line_break) in text.match_indices(['\u{85}', '\u{2028}', '\u{2029}']) {
        while scalar_ranges.next_if(|range| range.end <= at).is_some() {}
        if !scalar_ranges.peek().is_some_and(|range| range.contains(&at)) {
            // The new text is as long as the old one, so its length is also a place in the old one.
            new_text.push_str(&text[new_text.len()..at]);
            new_text.extend(std::iter::repeat_n(' ', line_break.len() - 1));
            new_text.push('\n');
            is_same = false;
        }
    }
    new_text.push_str(&text[new_text.len()..]);
    (!is_same).then_some(new_text)
}

/// Returns whether a text has a line break that only YAML 1.1 has.
pub fn has_any(text: &str) -> bool {
    let has = |c: &str| memchr::memmem::find(text.as_bytes(), c.as_bytes()).is_some();
    !text.is_ascii() && ["\u{85}", "\u{2028}", "\u{2029}"].into_iter().any(has)
}

/// Reads a line break at the start of a text. Returns its length and what it represents: the two that Unicode added
/// represent themselves, all others a line feed.
fn line_break(text: &str) -> Option<(usize, char)> {
    let c = text.chars().next()?;
    match c {
        '\r' if text.starts_with("\r\n") => Some((2, '\n')),
        '\r' | '\n' | '\u{85}' => Some((c.len_utf8(), '\n')),
        '\u{2028}' | '\u{2029}' => Some((c.len_utf8(), c)),
        _ => None,
    }
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A line break in a scalar without indicator of a block, with the white space around it and the blank lines after it.
pub(crate) struct LineFold {
    /// The bytes it takes.
    pub(crate) len: usize,
    /// Text that it represents: a space or line breaks.
    pub(crate) text: String,
    /// Text that it represents behind a backslash.
    pub(crate) escaped: String,
}

/// Reads a line break and what is around it, if there is one at the start of a text.
pub(crate) fn fold(text: &str) -> Option<LineFold> {
    let after_blanks = |at: usize| {
        let rest = &text[at..];
        at + rest.len() - rest.trim_start_matches([' ', '\t']).len()
    };
    let mut at = after_blanks(0);
    let (len, first) = line_break(&text[at..])?;
    at = after_blanks(at + len);
    let mut other_breaks = String::new();
    while let Some((len, c)) = line_break(&text[at..]) {
        other_breaks.push(c);
        at = after_blanks(at + len);
    }
    let text = match first {
        '\n' if other_breaks.is_empty() => " ".to_owned(),
        '\n' => other_breaks.clone(),
        _ => format!("{first}{other_breaks}"),
    };
    Some(LineFold { len: at, text, escaped: other_breaks })
}

/// Decodes the scalar of `len` bytes at the start of a text as PyYAML does; `value` is what the scanner read of it.
pub(super) fn decode(yaml: &str, len: usize, style: ScalarStyle, value: &str) -> Option<String> {
    let raw = yaml.get(..len)?;
    let content = raw.get(1..len.saturating_sub(1));
    match style {
        ScalarStyle::Plain => unquoted(raw, None),
        ScalarStyle::SingleQuoted => unquoted(content?, Some(b'\'')),
        ScalarStyle::DoubleQuoted => unquoted(content?, Some(b'"')),
        ScalarStyle::Literal | ScalarStyle::Folded => {
            block(yaml, value, style == ScalarStyle::Folded)
        }
    }
}

/// Decodes a plain scalar, or what is between two quotes. `None` for an invalid escape.
pub(super) fn unquoted(content: &str, quote: Option<u8>) -> Option<String> {
    // No YAML text contains a zero.
    let special = quote.map_or(0, |quote| if quote == b'"' { b'\\' } else { quote });
    let is_simple = memchr::memchr(b'\r', content.as_bytes()).is_none() && !has_any(content);
    let next = |rest: &str| {
        if is_simple {
            memchr::memchr2(special, b'\n', rest.as_bytes())
        } else {
            rest.find(|c| is_break(c) || c == char::from(special))
        }
    };
    let mut text = String::with_capacity(content.len());
    // The end of what an escape or a line break made, which no line break shortens.
    let mut fixed_len = 0;
    let mut rest = content;
    while let Some(at) = next(rest) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = if let Some(fold) = fold(rest) {
            let trimmed_len = text[fixed_len..].trim_end_matches([' ', '\t']).len();
            text.truncate(fixed_len + trimmed_len);
            text.push_str(&fold.text);
            fold.len
        } else if special == b'\\' && rest[1..].starts_with(is_break) {
            let fold = fold(&rest[1..])?;
            text.push_str(&fold.escaped);
            1 + fold.len
        } else if special == b'\\' {
            let (c, len) = escape(&rest[1..])?;
            text.push(c);
            1 + len
        } else {
            // Single quotes have no escapes: a quote inside them is doubled.
            text.push(char::from(special));
            2
        };
        rest = rest.get(len..)?;
        fixed_len = text.len();
    }
    text.push_str(rest);
    Some(text)
}

/// Decodes the block at the start of a text, from its header to its end. `None` if it has no line that is not blank.
fn block(yaml: &str, value: &str, is_folded: bool) -> Option<String> {
    let header = yaml.split(is_break).next()?;
    let (len, _) = line_break(&yaml[header.len()..])?;
    let mut lines = BlockLines::new(&yaml[header.len() + len..], value)?;
    let indicators = header.split_whitespace().next()?;
    let mut text = String::new();
    let mut end = None;
    let mut blank = lines.blank_lines();
    while lines.is_at_text() {
        text.push_str(&blank);
        let line;
        (line, end) = lines.line();
        text.push_str(line);
        blank = lines.blank_lines();
        if lines.is_at_text() {
            let is_unindented = |line: &str| !line.starts_with([' ', '\t']);
            match end {
                // Lines that are indented further keep the line breaks before and after them.
                Some('\n') if is_folded && is_unindented(line) && is_unindented(lines.rest) => {
                    text.extend(blank.is_empty().then_some(' '));
                }
                _ => text.extend(end),
            }
        }
    }
    if !indicators.contains('-') {
        text.extend(end);
    }
    if indicators.contains('+') {
        text.push_str(&blank);
    }
    Some(text)
}

/// Rest of a block.
struct BlockLines<'a> {
    rest: &'a str,
    /// The spaces before each line.
    indent: usize,
    /// Number of those that were read on this line.
    column: usize,
}

impl<'a> BlockLines<'a> {
    /// Returns the lines after a header. How far they are indented follows from the first line that is not blank and how the scanner
    /// read it.
    fn new(rest: &'a str, value: &str) -> Option<Self> {
        let spaces = |text: &str| {
            let mut lines = text.split(is_break);
            let line = lines.find(|line| !line.trim_matches([' ', '\t']).is_empty())?;
            Some(line.len() - line.trim_start_matches(' ').len())
        };
        let indent = spaces(rest)?.checked_sub(spaces(value)?)?;
        (indent > 0).then_some(Self { rest, indent, column: 0 })
    }

    fn is_at_text(&self) -> bool {
        self.column == self.indent && !self.rest.is_empty()
    }

    /// Reads the rest of a line; also returns what its line break represents.
    fn line(&mut self) -> (&'a str, Option<char>) {
        let (line, rest) = self.rest.split_at(self.rest.find(is_break).unwrap_or(self.rest.len()));
        let end = line_break(rest);
        self.rest = &rest[end.map_or(0, |(len, _)| len)..];
        self.column = 0;
        (line, end.map(|(_, c)| c))
    }

    /// Reads blank lines and the indentation of the next line. Returns what the line breaks represent.
    fn blank_lines(&mut self) -> String {
        let mut breaks = String::new();
        loop {
            let spaces = self.rest.bytes().take_while(|byte| *byte == b' ').count();
            let read = spaces.min(self.indent - self.column);
            self.rest = &self.rest[read..];
            self.column += read;
            let Some((len, c)) = line_break(self.rest) else { return breaks };
            breaks.push(c);
            self.rest = &self.rest[len..];
            self.column = 0;
        }
    }
}

/// Reads an escape without its backslash; returns its length as well.
fn escape(rest: &str) -> Option<(char, usize)> {
    let sign = rest.chars().next()?;
    let c = match sign {
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\x0b',
        'f' => '\x0c',
        'r' => '\r',
        'e' => '\x1b',
        ' ' | '"' | '/' | '\\' => sign,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        'x' | 'u' | 'U' => {
            let len = match sign {
                'x' => 2,
                'u' => 4,
                _ => 8,
            };
            let digits = rest.get(1..1 + len)?;
            // `from_str_radix` would accept a sign.
            let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
            return Some((char::from_u32(code)?, 1 + len));
        }
        _ => return None,
    };
    Some((c, sign.len_utf8()))
}
