//! Incremental JSON scanner: knows after each byte whether a value is complete, incomplete or invalid.

/// What the scanner expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expects {
    /// A value, or white space.
    Value,
    /// A value, or the end of an empty list.
    FirstElement,
    Key,
    /// A key, or the end of an empty object.
    FirstKey,
    /// The colon after a key.
    Colon,
    /// A comma, or the end of the enclosing list or object.
    Comma,
    /// More of a string.
    Text,
    /// The character after a backslash.
    Escape,
    /// This many hex digits.
    Hex(u8),
    /// More of `true`, `false` or `null`.
    Word(&'static [u8]),
    /// More of a number.
    Number(NumberState),
}

/// The part of a number that was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberState {
    Minus,
    Zero,
    Digits,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

/// How the text so far ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanState {
    /// Between values: all values are complete.
    Between,
    /// Inside a value.
    Within,
    /// Invalid from this byte of the last input on.
    Fault(usize),
}

/// A scanner of JSON values, each of which must start on a separate line.
#[derive(Clone, Debug)]
pub(super) struct Scanner {
    expects: Expects,
    /// Whether the current string is a key.
    is_key: bool,
    /// The enclosing lists and objects: true for an object.
    enclosing: Vec<bool>,
    complete: usize,
    /// Whether the line already has a value.
    line_is_taken: bool,
    /// Whether a value spans several lines; then it must be the only one.
    has_tall: bool,
    fault: Option<usize>,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            expects: Expects::Value,
            is_key: false,
            enclosing: Vec::new(),
            complete: 0,
            line_is_taken: false,
            has_tall: false,
            fault: None,
        }
    }
}

impl Scanner {
    /// Returns the number of complete values.
    pub(super) fn complete(&self) -> usize {
        self.complete + usize::from(self.is_outermost() && self.number_may_end())
    }

    pub(super) fn fault(&self) -> Option<usize> {
        self.fault
    }

    pub(super) fn state(&self) -> ScanState {
        let between = self.expects == Expects::Value || self.number_may_end();
        match self.fault {
            Some(at) => ScanState::Fault(at),
            None if self.is_outermost() && between => ScanState::Between,
            None => ScanState::Within,
        }
    }

    fn is_outermost(&self) -> bool {
        self.enclosing.is_empty()
    }

    /// Returns whether the current number may be complete.
    fn number_may_end(&self) -> bool {
        use NumberState::{Digits, Exponent, Fraction, Zero};
        matches!(self.expects, Expects::Number(Zero | Digits | Fraction | Exponent))
    }

    /// Scans more text. Does nothing after an error.
    pub(super) fn feed(&mut self, text: &str) {
        for (at, byte) in text.bytes().enumerate() {
            if self.fault.is_none() && self.step(byte).is_none() {
                self.fault = Some(at);
            }
        }
    }

    /// Scans one byte; `None` if it is invalid.
    fn step(&mut self, byte: u8) -> Option<()> {
        match self.expects {
            Expects::Text => self.in_text(byte),
            Expects::Escape => {
                self.expects = match byte {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Expects::Text,
                    b'u' => Expects::Hex(4),
                    _ => return None,
                };
                Some(())
            }
            Expects::Hex(left) => {
                self.expects = match left {
                    1 => Expects::Text,
                    _ => Expects::Hex(left - 1),
                };
                byte.is_ascii_hexdigit().then_some(())
            }
            Expects::Word(rest) => {
                let (first, rest) = rest.split_first()?;
                self.expects = Expects::Word(rest);
                if rest.is_empty() {
                    self.on_value_end();
                }
                (byte == *first).then_some(())
            }
            Expects::Number(part) => match part.next(byte) {
                Some(next) => {
                    self.expects = Expects::Number(next);
                    Some(())
                }
                None if self.number_may_end() => {
                    self.on_value_end();
                    self.step(byte)
                }
                None => None,
            },
            _ if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => self.space(byte),
            _ => self.sign(byte),
        }
    }

    fn in_text(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'\\' => self.expects = Expects::Escape,
            b'"' if self.is_key => self.expects = Expects::Colon,
            b'"' => self.on_value_end(),
            ..b' ' => return None,
            _ => {}
        }
        Some(())
    }

    fn space(&mut self, byte: u8) -> Option<()> {
        if byte == b'\n' {
            self.has_tall |= !self.is_outermost();
            self.line_is_taken &= !self.is_outermost();
        }
        Some(())
    }

    /// Scans a byte that is not white space and not inside a string, word or number.
    fn sign(&mut self, byte: u8) -> Option<()> {
        match (self.expects, byte) {
            (Expects::Key | Expects::FirstKey, b'"') => {
                self.is_key = true;
                self.expects = Expects::Text;
            }
            (Expects::Colon, b':') => self.expects = Expects::Value,
            (Expects::Comma, b',') => {
                self.expects = if *self.enclosing.last()? { Expects::Key } else { Expects::Value };
            }
            (Expects::Comma | Expects::FirstKey, b'}') => self.close(true)?,
            (Expects::Comma | Expects::FirstElement, b']') => self.close(false)?,
            (Expects::Value | Expects::FirstElement, _) => self.value(byte)?,
            _ => return None,
        }
        Some(())
    }

    fn value(&mut self, byte: u8) -> Option<()> {
        if self.is_outermost() {
            if self.line_is_taken || self.has_tall {
                return None;
            }
            self.line_is_taken = true;
        }
        self.expects = match byte {
            b'{' => {
                self.enclosing.push(true);
                Expects::FirstKey
            }
            b'[' => {
                self.enclosing.push(false);
                Expects::FirstElement
            }
            b'"' => {
                self.is_key = false;
                Expects::Text
            }
            b't' => Expects::Word(b"rue"),
            b'f' => Expects::Word(b"alse"),
            b'n' => Expects::Word(b"ull"),
            b'-' => Expects::Number(NumberState::Minus),
            b'0' => Expects::Number(NumberState::Zero),
            b'1'..=b'9' => Expects::Number(NumberState::Digits),
            _ => return None,
        };
        Some(())
    }

    fn close(&mut self, is_object: bool) -> Option<()> {
        let open = self.enclosing.pop()?;
        self.on_value_end();
        // A value over several lines cannot be one of several.
        let is_alone = !(self.is_outermost() && self.has_tall && self.complete > 1);
        (open == is_object && is_alone).then_some(())
    }

    /// A value is complete.
    fn on_value_end(&mut self) {
        if self.enclosing.is_empty() {
            self.complete += 1;
            self.expects = Expects::Value;
        } else {
            self.expects = Expects::Comma;
        }
    }
}

impl NumberState {
    /// Returns the next state if the byte continues the number.
    fn next(self, byte: u8) -> Option<Self> {
        use NumberState::{Digits, E, Exponent, Fraction, Minus, Point, Sign, Zero};
        Some(match (self, byte) {
            (Minus, b'0') => Zero,
            (Minus, b'1'..=b'9') | (Digits, b'0'..=b'9') => Digits,
            (Zero | Digits, b'.') => Point,
            (Point | Fraction, b'0'..=b'9') => Fraction,
            (Zero | Digits | Fraction, b'e' | b'E') => E,
            (E, b'+' | b'-') => Sign,
            (E | Sign | Exponent, b'0'..=b'9') => Exponent,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn state(pieces: &[&str]) -> ScanState {
        let mut scanner = Scanner::default();
        for piece in pieces {
            scanner.feed(piece);
        }
        scanner.state()
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn it_takes_for_json_what_is_json(text in "[\\[\\]{}:,\" 0\\-1.eEtrufalsn\\\\]{0,8}", cut in 0usize..8) {
            let is_json = text.trim().is_empty() || serde_json::from_str::<serde_json::Value>(&text).is_ok();
            let cut = cut.min(text.len());
            let found = state(&[&text[..cut], &text[cut..]]);
            prop_assert_eq!(found == ScanState::Between, is_json, "{}", text);
            prop_assert_eq!(matches!(state(&[&text]), ScanState::Fault(_)), matches!(found, ScanState::Fault(_)));
        }
    }
}
