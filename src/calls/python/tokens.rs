//! Splits Python source into lines of tokens.

/// A part of a line.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Number(&'a str),
    /// A string; `None` if its text is not in the source, as that of `f"…"` and `b"…"`.
    Text(Option<String>),
    Sign(&'a str),
}

/// A token and the byte where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlacedToken<'a> {
    pub(super) token: Token<'a>,
    pub(super) at: usize,
}

/// A statement, or the beginning of a compound one. It may be on several lines of the text.
#[derive(Debug, Default)]
pub(super) struct LogicalLine<'a> {
    /// Columns of white space before it; a tab reaches to the next multiple of 8.
    pub(super) indent: usize,
    pub(super) tokens: Vec<PlacedToken<'a>>,
}

/// Signs of several characters, the longest first.
const LONG_SIGNS: [&str; 24] = [
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=",
];

/// Splits a text. Never fails: an unclosed string ends with its line, an unclosed bracket with the text.
pub(super) fn split(text: &str) -> Vec<LogicalLine<'_>> {
    let mut splitter = Splitter {
        text,
        at: 0,
        depth: 0,
        is_at_start: true,
        line: LogicalLine::default(),
        lines: Vec::new(),
    };
    while splitter.at < text.len() {
        splitter.step();
    }
    splitter.end_line();
    splitter.lines
}

struct Splitter<'a> {
    text: &'a str,
    at: usize,
    /// Number of open brackets.
    depth: usize,
    /// Whether only white space precedes on the line of the text.
    is_at_start: bool,
    line: LogicalLine<'a>,
    lines: Vec<LogicalLine<'a>>,
}

impl<'a> Splitter<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !line.tokens.is_empty() {
            self.lines.push(line);
        }
    }

    fn push(&mut self, token: Token<'a>, length: usize) {
        let at = self.at;
        self.line.tokens.push(PlacedToken { token, at });
        self.is_at_start = false;
        self.at += length;
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return };
        match first {
            '\n' | '\r' => {
                self.at += 1;
                if self.depth == 0 {
                    self.end_line();
                    self.line.indent = 0;
                    self.is_at_start = true;
                }
            }
            ' ' | '\t' | '\u{c}' | '\u{feff}' => {
                if self.is_at_start {
                    // A form feed begins the indentation again, as for Python; a byte order mark has no width.
                    self.line.indent = match first {
                        ' ' => self.line.indent + 1,
                        '\t' => (self.line.indent / 8 + 1) * 8,
                        _ => 0,
                    };
                }
                self.at += first.len_utf8();
            }
            '#' => self.at += rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '\\' => {
                let end = ["\\\r\n", "\\\n", "\\\r"].iter().find(|end| rest.starts_with(**end));
                self.at += end.map_or(1, |end| end.len());
            }
            ';' if self.depth == 0 => {
                let indent = self.line.indent;
                self.end_line();
                // The next statement is in the same block.
                self.line.indent = indent;
                self.at += 1;
            }
            '"' | '\'' => self.string(0),
            '0'..='9' => {
                let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                self.push(Token::Number(&rest[..end]), end);
            }
            _ if first.is_alphabetic() || first == '_' => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                let name = &rest[..end];
                // Python has no prefix of three letters.
                let is_prefix = name.len() <= 2 && name.chars().all(|c| "rRbBuUfFtT".contains(c));
                if is_prefix && rest[end..].starts_with(['"', '\'']) {
                    self.string(end);
                } else {
                    self.push(Token::Name(name), end);
                }
            }
            _ => {
                let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
                let length = long.map_or(first.len_utf8(), |sign| sign.len());
                match first {
                    '(' | '[' | '{' => self.depth += 1,
                    ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.push(Token::Sign(&rest[..length]), length);
            }
        }
    }

    /// Reads a string after a prefix of this number of bytes.
    fn string(&mut self, prefix: usize) {
        let rest = self.rest();
        let marks = rest[..prefix].to_ascii_lowercase();
        let quoted = &rest[prefix..];
        let quote = &quoted[..1];
        let triple = quote.repeat(3);
        let is_long = quoted.starts_with(&triple);
        let close = if is_long { &triple } else { quote };
        let content = &quoted[close.len()..];
        let (mut end, mut is_closed) = (content.len(), false);
        let mut chars = content.char_indices();
        while let Some((at, c)) = chars.next() {
            if content[at..].starts_with(close) {
                (end, is_closed) = (at, true);
                break;
            }
            // The quote behind a backslash does not end a raw string either.
            if c == '\\' {
                chars.next();
            } else if matches!(c, '\n' | '\r') && !is_long {
                end = at;
                break;
            }
        }
        let content = &content[..end];
        let text = if !is_closed || marks.contains(['b', 'f', 't']) {
            None
        } else if marks.contains('r') {
            Some(content.to_owned())
        } else {
            unescape(content)
        };
        let closing = if is_closed { close.len() } else { 0 };
        self.push(Token::Text(text), prefix + close.len() + end + closing);
    }
}

/// Replaces the escapes of a string; `None` if one is invalid, or names a character.
fn unescape(content: &str) -> Option<String> {
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let kind = escape.chars().next()?;
        let after = &escape[kind.len_utf8()..];
        let mut used = 0;
        let mut number = |digits: usize, radix| {
            used = digits;
            char::from_u32(u32::from_str_radix(after.get(..digits)?, radix).ok()?)
        };
        match kind {
            '\n' => {}
            '\r' => used = usize::from(after.starts_with('\n')),
            '\\' | '\'' | '"' => text.push(kind),
            'a' => text.push('\u{7}'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'v' => text.push('\u{b}'),
            'x' => text.push(number(2, 16)?),
            'u' => text.push(number(4, 16)?),
            'U' => text.push(number(8, 16)?),
            // The names of Unicode's characters are not known here.
            'N' => return None,
            '0'..='7' => {
                let is_octal = |c: &char| ('0'..='7').contains(c);
                let digits: String = escape.chars().take(3).take_while(is_octal).collect();
                used = digits.len() - 1;
                text.push(char::from_u32(u32::from_str_radix(&digits, 8).ok()?)?);
            }
            // Python keeps the backslash of other escapes, too.
            _ => text.extend(['\\', kind]),
        }
        rest = &after[used..];
    }
    text.push_str(rest);
    Some(text)
}
