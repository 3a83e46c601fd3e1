//! Reads literals of JavaScript; all other expressions are left alone.

use std::collections::HashMap;

use super::literal::{Indent, Literal, stringify};
use super::token::{CodeToken, NO_PAIR, TokenKind};
use crate::json::javascript_number;

/// The deepest nesting of literals.
// Reading is recursive, so the nesting in a file must not decide how much of the stack it takes.
const MAX_DEPTH: usize = 64;

/// Reads an expression; `None` unless it is a literal from its first token to its last.
pub(super) fn literal(
    text: &str,
    tokens: &[CodeToken],
    range: std::ops::Range<usize>,
) -> Option<Literal> {
    let mut reader = LiteralReader { text, tokens, at: range.start, end: range.end, depth: 0 };
    let value = reader.value()?;
    (reader.at == range.end).then_some(value)
}

struct LiteralReader<'a> {
    text: &'a str,
    tokens: &'a [CodeToken],
    at: usize,
    end: usize,
    depth: usize,
}

impl<'a> LiteralReader<'a> {
    fn peek(&self) -> Option<&'a CodeToken> {
        self.tokens[..self.end].get(self.at)
    }

    fn written(&self, token: &CodeToken) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// Returns the present token if it is a word.
    fn word(&self) -> Option<&'a str> {
        let token = self.peek()?;
        (token.kind == TokenKind::Word).then(|| self.written(token))
    }

    fn accept(&mut self, kind: TokenKind) -> bool {
        let is_kind = self.peek().is_some_and(|token| token.kind == kind);
        self.at += usize::from(is_kind);
        is_kind
    }

    /// Reads a value with what may follow it: concatenated text, `as const`, `!`.
    fn value(&mut self) -> Option<Literal> {
        self.depth += 1;
        // The depth is not restored on failure, because that ends the whole literal.
        let mut value = (self.depth <= MAX_DEPTH).then(|| self.primary())??;
        while let Literal::Text(text) = &mut value
            && self.accept(TokenKind::Sign(b'+'))
        {
            let Literal::Text(more) = self.primary()? else { return None };
            text.push_str(&more);
        }
        self.accept(TokenKind::Sign(b'!'));
        if matches!(self.word(), Some("as" | "satisfies")) {
            self.skip_type();
        }
        self.depth -= 1;
        Some(value)
    }

    /// Skips a type, up to a comma or the end of its container.
    fn skip_type(&mut self) {
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Sign(b',') => return,
                TokenKind::Open(_) if token.pair != NO_PAIR => self.at = token.pair as usize + 1,
                _ => self.at += 1,
            }
        }
    }

    fn primary(&mut self) -> Option<Literal> {
        let token = self.peek()?;
        self.at += 1;
        match token.kind {
            TokenKind::Text => text(self.written(token)).map(Literal::Text),
            TokenKind::Number => number(self.written(token)).map(Literal::Number),
            TokenKind::Sign(sign @ (b'-' | b'+')) => {
                let sign = if sign == b'-' { -1.0 } else { 1.0 };
                let digits = self.peek().filter(|token| token.kind == TokenKind::Number)?;
                self.at += 1;
                number(self.written(digits)).map(|number| Literal::Number(sign * number))
            }
            TokenKind::Word => match self.written(token) {
                "true" => Some(Literal::Bool(true)),
                "false" => Some(Literal::Bool(false)),
                "null" => Some(Literal::Null),
                "undefined" => Some(Literal::Undefined),
                "JSON" => self.stringified(),
                _ => None,
            },
            TokenKind::Open(opener) => self.enclosed(token, |reader| match opener {
                b'(' => reader.value(),
                b'[' => reader.elements().map(Literal::List),
                b'{' => reader.members().map(Literal::Object),
                _ => None,
            }),
            TokenKind::Regex | TokenKind::Close | TokenKind::Sign(_) => None,
        }
    }

    /// Reads what is between an opening bracket, which was already passed, and the closing one.
    fn enclosed<T>(
        &mut self,
        opening: &CodeToken,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let close = opening.pair as usize;
        if opening.pair == NO_PAIR || close >= self.end {
            return None;
        }
        let outer_end = std::mem::replace(&mut self.end, close);
        let value = read(self);
        let is_whole = self.at == close;
        self.end = outer_end;
        self.at = close + 1;
        value.filter(|_| is_whole)
    }

    fn elements(&mut self) -> Option<Vec<Literal>> {
        let mut elements = Vec::new();
        while self.peek().is_some() {
            if self.accept(TokenKind::Sign(b',')) {
                // A comma without a value before it is a hole in the array.
                elements.push(Literal::Undefined);
                continue;
            }
            elements.push(self.value()?);
            if !self.accept(TokenKind::Sign(b',')) {
                break;
            }
        }
        Some(elements)
    }

    fn members(&mut self) -> Option<Vec<(String, Literal)>> {
        let mut members = Vec::new();
        while let Some(token) = self.peek() {
            self.at += 1;
            let key = match token.kind {
                TokenKind::Word => self.written(token).to_owned(),
                // A template is not a property name in JavaScript.
                TokenKind::Text if !self.written(token).starts_with('`') => {
                    text(self.written(token))?
                }
                TokenKind::Number => javascript_number(number(self.written(token))?),
                _ => return None,
            };
            // Shorthands and methods have no value to read, and `__proto__: …` sets the prototype instead of a member.
            if !self.accept(TokenKind::Sign(b':')) || key == "__proto__" {
                return None;
            }
            members.push((key, self.value()?));
            if !self.accept(TokenKind::Sign(b',')) {
                break;
            }
        }
        Some(in_property_order(members))
    }

    /// Reads `JSON.stringify(…)` after its first word.
    fn stringified(&mut self) -> Option<Literal> {
        let is_call = self.accept(TokenKind::Sign(b'.')) && self.word() == Some("stringify");
        self.at += 1;
        let opening = self.peek().filter(|token| is_call && token.kind == TokenKind::Open(b'('))?;
        self.at += 1;
        let arguments = self.enclosed(opening, Self::elements)?;
        let (value, replacer) = (arguments.first()?, arguments.get(1));
        // A replacer would have to be run to know the text.
        if !matches!(replacer, None | Some(Literal::Null | Literal::Undefined)) {
            return None;
        }
        // Escapes and indentation make a text longer than its source, but not by much.
        let source_len = (self.tokens[self.at - 1].end - opening.start) as usize;
        let max_len = 32 * source_len + 1024;
        stringify(value, &Indent::from_argument(arguments.get(2))?, max_len)
    }
}

/// Sorts members as JavaScript does: integer keys first, then in insertion order; of a repeated key, the last value at the
/// first one's position.
fn in_property_order(members: Vec<(String, Literal)>) -> Vec<(String, Literal)> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut entries: Vec<(String, Literal)> = Vec::with_capacity(members.len());
    for (key, value) in members {
        match places.get(&key) {
            Some(&place) => entries[place].1 = value,
            None => {
                places.insert(key.clone(), entries.len());
                entries.push((key, value));
            }
        }
    }
    // The sort is stable, so keys that are not indices stay in the order of insertion.
    entries.sort_by_key(|(key, _)| array_index(key).map_or(u64::MAX, u64::from));
    entries
}

/// Returns the number of a key that JavaScript treats as an array index.
fn array_index(key: &str) -> Option<u32> {
    // The largest array index of JavaScript is 2^32 - 2.
    let index: u32 = key.parse().ok().filter(|index| *index != u32::MAX)?;
    // `01` and `+1` can be parsed, but are ordinary keys.
    (index.to_string() == key).then_some(index)
}

/// Decodes a string or a template; `None` when it is invalid JavaScript.
fn text(source: &str) -> Option<String> {
    let content = source.get(1..source.len() - 1)?;
    // UTF-16 as in JavaScript, where two escapes `\uXXXX` can make one character.
    let mut units: Vec<u16> = Vec::new();
    let mut rest = content;
    while let Some(at) = rest.find(['\\', '\r']) {
        units.extend(rest[..at].encode_utf16());
        if rest[at..].starts_with('\r') {
            // All line ends of a template count as `\n`.
            units.push('\n' as u16);
            rest = rest[at + 1..].strip_prefix('\n').unwrap_or(&rest[at + 1..]);
            continue;
        }
        rest = escape(&rest[at + 1..], &mut units)?;
    }
    units.extend(rest.encode_utf16());
    Some(decoded(&units))
}

/// Reads one escape after its backslash; returns the rest of the text.
fn escape<'a>(rest: &'a str, units: &mut Vec<u16>) -> Option<&'a str> {
    let letter = rest.chars().next()?;
    let tail = &rest[letter.len_utf8()..];
    let unit = |digits: &str| {
        // `from_str_radix` would accept a sign.
        let all_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        all_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    let escaped_char = match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '0' if !tail.starts_with(|c: char| c.is_ascii_digit()) => '\0',
        // Octal escapes are errors in templates and in strict code, as all modules are.
        '0'..='9' => return None,
        'x' => {
            units.push(unit(tail.get(..2)?)?);
            return tail.get(2..);
        }
        'u' if tail.starts_with('{') => {
            let (digits, tail) = tail[1..].split_once('}')?;
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            return Some(tail);
        }
        'u' => {
            units.push(unit(tail.get(..4)?)?);
            return tail.get(4..);
        }
        // An escaped line end is not part of the text.
        '\r' => return Some(tail.strip_prefix('\n').unwrap_or(tail)),
        '\n' | '\u{2028}' | '\u{2029}' => return Some(tail),
        other => other,
    };
    units.extend_from_slice(escaped_char.encode_utf16(&mut [0; 2]));
    Some(tail)
}

/// Decodes UTF-16 units; a lone surrogate, which a Rust string cannot contain, becomes its escape.
fn decoded(units: &[u16]) -> String {
    let mut text = String::with_capacity(units.len());
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(c) => text.push(c),
            Err(half) => text.push_str(&format!("\\u{:04x}", half.unpaired_surrogate())),
        }
    }
    text
}

/// Parses a number; `None` for what is not a number in JSON either, such as `1n`.
fn number(source: &str) -> Option<f64> {
    let digits = source.replace('_', "");
    let radix =
        |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(|number| number as f64);
    match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => radix(&digits[2..], 16),
        [b'0', b'o' | b'O', ..] => radix(&digits[2..], 8),
        [b'0', b'b' | b'B', ..] => radix(&digits[2..], 2),
        // Octal numbers of old JavaScript are errors in strict code.
        [b'0', b'0'..=b'9', ..] => None,
        _ if digits.contains(|c: char| !(c.is_ascii_digit() || ".eE+-".contains(c))) => None,
        _ => digits.parse().ok(),
    }
}
