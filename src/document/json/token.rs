//! Reads strings, numbers and words, and reports their errors.

use super::{JsonDialect, JsonReader, string};
use crate::text::quoted;
use crate::tree::{NodeKind, Scalar};

impl JsonReader<'_> {
    pub(super) fn string(&mut self) -> Scalar {
        let start = self.at;
        let Some(end) = string_end(self.bytes, start) else {
            return self.open_string(self.bytes.len());
        };
        let content = &self.bytes[start + 1..end - 1];
        let is_plain = memchr::memchr(b'\\', content).is_none();
        let has_control = string::has_control(content);
        if is_plain && !has_control {
            self.at = end;
            // The text is what is between the quotes, so nothing is copied.
            return Scalar::Quoted;
        }
        if has_control && !self.goes_on(end) {
            // The quote is more likely the start of the next string, and the closing one is missing.
            if let Some(line) = memchr::memchr2(b'\n', b'\r', content) {
                return self.open_string(start + 1 + line);
            }
        }
        let (text, fault) = string::decode(&self.source.text()[start + 1..end - 1]);
        if let Some(fault) = fault {
            let (from, to) = (start + 1 + fault.range.start, start + 1 + fault.range.end);
            self.fault(from, to, fault.message);
        }
        self.at = end;
        Scalar::Decoded(text)
    }

    /// Returns whether what follows byte `end` may follow a string.
    fn goes_on(&self, end: usize) -> bool {
        let mut rest = self.bytes[end..].iter();
        rest.find(|byte| !byte.is_ascii_whitespace()).is_none_or(|byte| b",:]}".contains(byte))
    }

    /// Reads a string without its closing quote, up to byte `end`.
    fn open_string(&mut self, end: usize) -> Scalar {
        let start = self.at;
        let mut content = &self.source.text()[start + 1..end];
        if end == self.bytes.len() {
            let line = self.source.place(start).line;
            self.report_cut_off(&format!("a string that starts at line {line}"));
        } else {
            self.fault(start, end, "A closing quote is expected before the line ends");
            // The comma ends the member, not its text.
            content = content.trim_end_matches(',');
            self.at = start + 1 + content.len();
        }
        Scalar::Decoded(string::decode(content).0)
    }

    pub(super) fn single_quoted(&mut self) -> Scalar {
        let (start, rest) = (self.at, &self.bytes[self.at + 1..]);
        self.at += match memchr::memchr3(b'\'', b'\n', b'\r', rest) {
            Some(at) if rest[at] == b'\'' => at + 2,
            Some(at) => at + 1,
            None => rest.len() + 1,
        };
        self.fault(start, self.at, "Single quotes; JSON allows only double quotes");
        let text = &self.source.text()[start + 1..self.at];
        Scalar::Decoded(text.strip_suffix('\'').unwrap_or(text).to_owned())
    }

    pub(super) fn number(&mut self) {
        let start = self.at;
        // Includes what other languages allow in numbers, so that all of it is one fault.
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
        self.at += self.bytes[start..].iter().take_while(|byte| is_part(byte)).count();
        let text = &self.source.text()[start..self.at];
        if text == "-Infinity" && self.dialect == JsonDialect::Python {
            return;
        }
        let Some(reason) = wrong_number(text).filter(|_| !self.is_cut_token()) else { return };
        self.fault(start, self.at, format!("{} is not a JSON number: {reason}", quoted(text)));
    }

    /// Reads `true`, `false`, `null`, or an invalid word.
    pub(super) fn word(&mut self, len: usize) -> NodeKind {
        let start = self.at;
        self.at += len;
        match &self.bytes[start..self.at] {
            b"true" | b"false" => NodeKind::Bool,
            b"null" => NodeKind::Null,
            b"NaN" | b"Infinity" if self.dialect == JsonDialect::Python => NodeKind::Number,
            // The end of the file is reported instead: `tru` may have become `true`.
            _ if self.is_cut_token() => NodeKind::Null,
            _ => {
                let word = quoted(&self.source.text()[start..self.at]);
                let message = format!("{word} is not a JSON value; text needs double quotes");
                self.fault(start, self.at, message);
                NodeKind::Null
            }
        }
    }

    /// The length in bytes of the word at `at`, such as `null` or a key without quotes.
    pub(super) fn word_len(&self) -> usize {
        let rest = &self.source.text()[self.at..];
        rest.find(|c: char| !(c.is_alphanumeric() || "_$-.".contains(c))).unwrap_or(rest.len())
    }
}

/// The byte after the closing quote of the string whose opening quote is at `start`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Returns whether a text is a number as JSON writes it.
pub(super) fn is_number(text: &str) -> bool {
    wrong_number(text).is_none()
}

/// Returns the reason a number is invalid in JSON; `None` for a valid one.
fn wrong_number(source: &str) -> Option<&'static str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = source.strip_prefix('-').unwrap_or(source);
    let integer_len = digits(rest);
    match rest.as_bytes() {
        [b'+', ..] => return Some("it starts with a plus sign"),
        [b'.', ..] => return Some("a digit is expected before the point"),
        [b'0', b'0'..=b'9', ..] => return Some("it starts with a zero"),
        _ if integer_len == 0 => return Some("digits are expected"),
        _ => {}
    }
    let mut rest = &rest[integer_len..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let len = digits(fraction);
        if len == 0 {
            return Some("a digit is expected after the point");
        }
        rest = &fraction[len..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let len = digits(exponent);
        if len == 0 {
            return Some("digits are expected in its exponent");
        }
        rest = &exponent[len..];
    }
    (!rest.is_empty()).then_some("only digits, one point and an exponent are expected")
}
