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
        let tail = self.rest();
        let Some(first) = tail.chars().next() else { return };
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
            '#' => self.at += tail.find(['\n', '\r']).unwrap_or(tail.len()),
            '\\' => {
                let end = ["\\\r\n", "\\\n", "\\\r"].iter().find(|end| tail.starts_with(**end));
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
                let end = tail.find(|c| !is_part(c)).unwrap_or(tail.len());
                self.push(Token::Number(&tail[..end]), end);
            }
            _ if first.is_alphabetic() || first == '_' => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                let end = tail.find(|c| !is_part(c)).unwrap_or(tail.len());
                let name = &tail[..end];
                // Python has no prefix of three letters.
                let is_prefix = name.len() <= 2 && name.chars().all(|c| "rRbBuUfFtT".contains(c));
                if is_prefix && tail[end..].starts_with(['"', '\'']) {
                    self.string(end);
                } else {
                    self.push(Token::Name(name), end);
                }
            }
            _ => {
                let long_sign = LONG_SIGNS.iter().find(|sign| tail.starts_with(**sign));
                let length = long_sign.map_or(first.len_utf8(), |sign| sign.len());
                match first {
                    '(' | '[' | '{' => self.depth += 1,
                    ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
                self.push(Token::Sign(&tail[..length]), length);
            }
        }
    }

    /// Reads a string after a prefix of this number of bytes.
    fn string(&mut self, prefix: usize) {
        let tail = self.rest();
        let marks = tail[..prefix].to_ascii_lowercase();
        let literal = &tail[prefix..];
        let quote = &literal[..1];
        let triple_quote = quote.repeat(3);
        let is_long = literal.starts_with(&triple_quote);
        let end_mark = if is_long { &triple_quote } else { quote };
        let content = &literal[end_mark.len()..];
        let (mut end, mut is_closed) = (content.len(), false);
        let mut chars = content.char_indices();
        while let Some((at, c)) = chars.next() {
            if content[at..].starts_with(end_mark) {
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
        let end_len = if is_closed { end_mark.len() } else { 0 };
        self.push(Token::Text(text), prefix + end_mark.len() + end + end_len);
    }
}

/// Replaces the escapes of a string; `None` if one is invalid, or names a character.
fn unescape(content: &str) -> Option<String> {
    let mut text = String::with_capacity(content.len());
    let mut tail = content;
    while let Some(at) = tail.find('\\') {
        text.push_str(&tail[..at]);
        let escape = &tail[at + 1..];
        let kind = escape.chars().next()?;
        let suffix = &escape[kind.len_utf8()..];
        let mut used_len = 0;
        let mut number = |digits: usize, radix| {
            used_len = digits;
            char::from_u32(u32::from_str_radix(suffix.get(..digits)?, radix).ok()?)
        };
        match kind {
            '\n' => {}
            '\r' => used_len = usize::from(suffix.starts_with('\n')),
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
                used_len = digits.len() - 1;
                text.push(char::from_u32(u32::from_str_radix(&digits, 8).ok()?)?);
            }
            // Python keeps the backslash of other escapes, too.
            _ => text.extend(['\\', kind]),
        }
        tail = &suffix[used_len..];
    }
    text.push_str(tail);
    Some(text)
}
