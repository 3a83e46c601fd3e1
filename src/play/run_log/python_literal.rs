//! Values of Python, as tracebacks print them.

use serde_json::{Map, Number, Value};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 64;

/// Parses a value at the beginning of a text; `None` if it is cut, or no literal.
pub(super) fn value(text: &str) -> Option<(Value, &str)> {
    let mut reader = Reader { rest: text, is_bytes: false };
    let value = reader.value(0)?;
    Some((value, reader.rest))
}

/// Parses a text or bytes at the beginning of a text, up to its end or, if it is cut, to the end of the line. Returns whether it is
/// whole, and what follows it.
pub(super) fn string(text: &str) -> Option<(String, bool, &str)> {
    let mut reader = Reader { rest: text, is_bytes: false };
    reader.skip_prefix();
    let quote = reader.rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    reader.rest = &reader.rest[1..];
    let (bytes, is_whole) = reader.until(quote);
    Some((String::from_utf8_lossy(&bytes).into_owned(), is_whole, reader.rest))
}

struct Reader<'t> {
    rest: &'t str,
    /// Whether the text that is read is bytes, in which an escape is a part of a letter.
    is_bytes: bool,
}

impl Reader<'_> {
    fn skip_prefix(&mut self) {
        let letters = self.rest.trim_start_matches(['b', 'r', 'u']);
        self.is_bytes = self.rest.starts_with('b');
        if self.rest.len() - letters.len() <= 2 && letters.starts_with(['\'', '"']) {
            self.rest = letters;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.rest = self.rest.trim_start();
        self.skip_prefix();
        match self.rest.chars().next()? {
            quote @ ('\'' | '"') => {
                self.rest = &self.rest[1..];
                let (bytes, is_whole) = self.until(quote);
                is_whole.then(|| Value::String(String::from_utf8_lossy(&bytes).into_owned()))
            }
            '{' => {
                self.rest = &self.rest[1..];
                let mut map = Map::new();
                while !self.eat("}") {
                    let Value::String(key) = self.value(depth + 1)? else { return None };
                    if !self.eat(":") {
                        return None;
                    }
                    let value = self.value(depth + 1)?;
                    map.insert(key, value);
                    if !self.eat(",") && !self.rest.trim_start().starts_with('}') {
                        return None;
                    }
                }
                Some(Value::Object(map))
            }
            open @ ('[' | '(') => {
                self.rest = &self.rest[1..];
                let close = if open == '[' { "]" } else { ")" };
                let mut list = Vec::new();
                while !self.eat(close) {
                    list.push(self.value(depth + 1)?);
                    if !self.eat(",") && !self.rest.trim_start().starts_with(close) {
                        return None;
                    }
                }
                Some(Value::Array(list))
            }
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Option<Value> {
        let end =
            self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+')));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        Some(match word {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::Null,
            word => match word.parse::<i64>() {
                Ok(number) => Value::Number(number.into()),
                Err(_) => Value::Number(Number::from_f64(word.parse().ok()?)?),
            },
        })
    }

    /// Reads up to a quote. Returns whether there is one.
    fn until(&mut self, quote: char) -> (Vec<u8>, bool) {
        let mut bytes = Vec::new();
        let mut letters = self.rest.char_indices();
        let push = |bytes: &mut Vec<u8>, letter: char| {
            bytes.extend(letter.encode_utf8(&mut [0; 4]).bytes());
        };
        while let Some((at, letter)) = letters.next() {
            match letter {
                letter if letter == quote => {
                    self.rest = &self.rest[at + letter.len_utf8()..];
                    return (bytes, true);
                }
                '\\' => {
                    let Some((_, escaped)) = letters.next() else { break };
                    let digits = match escaped {
                        'x' => 2,
                        'u' => 4,
                        'U' => 8,
                        _ => 0,
                    };
                    match escaped {
                        'n' => bytes.push(b'\n'),
                        't' => bytes.push(b'\t'),
                        'r' => bytes.push(b'\r'),
                        '0' => bytes.push(0),
                        _ if digits > 0 => {
                            let code: String =
                                letters.by_ref().take(digits).map(|(_, c)| c).collect();
                            let code = u32::from_str_radix(&code, 16).unwrap_or(0xFFFD);
                            match (digits, u8::try_from(code)) {
                                // In bytes, several of these are one letter.
                                (2, Ok(byte)) if self.is_bytes => bytes.push(byte),
                                _ => push(&mut bytes, char::from_u32(code).unwrap_or('\u{FFFD}')),
                            }
                        }
                        other => push(&mut bytes, other),
                    }
                }
                letter => push(&mut bytes, letter),
            }
        }
        self.rest = "";
        (bytes, false)
    }
}
