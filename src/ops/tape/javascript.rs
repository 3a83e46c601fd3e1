//! Writes JSON as JavaScript does.

use std::collections::HashMap;

use crate::format::json::utf16;
use crate::format::{Node, NodeKind};

/// Formats a number like `JSON.stringify`: the shortest digits that parse to the same number; `null` if not finite.
pub fn number(number: f64) -> String {
    if !number.is_finite() {
        return "null".to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    // Position of the decimal point among the digits.
    let (count, point) = (digits.len() as i32, exponent + 1);
    let zeros = |count: i32| "0".repeat(count.max(0) as usize);
    match point {
        _ if count <= point && point <= 21 => format!("{sign}{digits}{}", zeros(point - count)),
        1..=21 => {
            let (whole, fraction) = digits.split_at(point as usize);
            format!("{sign}{whole}.{fraction}")
        }
        -5..=0 => format!("{sign}0.{}{digits}", zeros(-point)),
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let plus = if exponent > 0 { "+" } else { "" };
            format!("{sign}{first}{point}{rest}e{plus}{exponent}")
        }
    }
}

/// Formats UTF-16 text like `JSON.stringify`: half a surrogate pair as its escape.
pub fn text(units: &[u16]) -> String {
    let mut json = String::with_capacity(units.len() + 2);
    json.push('"');
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok('"') => json.push_str("\\\""),
            Ok('\\') => json.push_str("\\\\"),
            Ok('\n') => json.push_str("\\n"),
            Ok('\r') => json.push_str("\\r"),
            Ok('\t') => json.push_str("\\t"),
            Ok('\u{8}') => json.push_str("\\b"),
            Ok('\u{c}') => json.push_str("\\f"),
            Ok(c) if c < ' ' => push_escape(&mut json, c as u16),
            Ok(c) => json.push(c),
            Err(half) => push_escape(&mut json, half.unpaired_surrogate()),
        }
    }
    json.push('"');
    json
}

/// Formats a value like `JSON.stringify(JSON.parse(…))`: first keys that are array indices, in numeric order, then the
/// others in their first order; the last value of a duplicate key; normalized numbers.
pub fn stringify(value: Node<'_>) -> String {
    let mut writer = JavaScriptWriter {
        json: String::new(),
        indent: None,
    };
    writer.value(value, 0);
    writer.json
}

/// Formats a value like `JSON.stringify(JSON.parse(…), null, 2)` at a nesting depth.
pub(in crate::ops) fn indented(value: Node<'_>, depth: usize) -> String {
    let mut writer = JavaScriptWriter {
        json: String::new(),
        indent: Some(2),
    };
    writer.value(value, depth);
    writer.json
}

/// Returns the members of an object in JavaScript's order.
pub(super) fn members<'a>(object: Node<'a>) -> Vec<(&'a str, Node<'a>)> {
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(object.len());
    let mut members: Vec<(&str, Node<'_>)> = Vec::with_capacity(object.len());
    for item in object.items() {
        let key = item.key().unwrap_or_default();
        match places.get(key) {
            Some(place) => members[*place].1 = item,
            None => {
                places.insert(key, members.len());
                members.push((key, item));
            }
        }
    }
    // Stable: other keys stay in their order, behind all indices.
    members.sort_by_key(|(key, _)| array_index(key).map_or(u64::MAX, u64::from));
    members
}

/// Parses a key as an array index: digits without leading zeros, below 2³² − 1.
fn array_index(key: &str) -> Option<u32> {
    let is_written_so =
        key == "0" || !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit());
    let index = key.parse().ok().filter(|_| is_written_so);
    index.filter(|index| *index != u32::MAX)
}

struct JavaScriptWriter {
    json: String,
    /// Number of spaces per level; `None` for one line.
    indent: Option<usize>,
}

impl JavaScriptWriter {
    fn value(&mut self, value: Node<'_>, depth: usize) {
        match value.kind() {
            NodeKind::Array => {
                let items = value.items();
                self.parts('[', items, ']', depth, |writer, item| {
                    writer.value(item, depth + 1);
                });
            }
            NodeKind::Object => {
                let members = members(value).into_iter();
                self.parts('{', members, '}', depth, |writer, (_, member)| {
                    writer.json += &text(&key(member));
                    writer.json += if writer.indent.is_some() { ": " } else { ":" };
                    writer.value(member, depth + 1);
                });
            }
            NodeKind::String => self.json += &text(&utf16(value.raw())),
            NodeKind::Number => self.json += &number(value.as_f64().unwrap_or(f64::NAN)),
            NodeKind::Null | NodeKind::Bool | NodeKind::Timestamp | NodeKind::Expression => {
                self.json += value.raw();
            }
        }
    }

    fn parts<T>(
        &mut self,
        open: char,
        parts: impl Iterator<Item = T>,
        close: char,
        depth: usize,
        write: impl Fn(&mut Self, T),
    ) {
        self.json.push(open);
        let mut parts = parts.peekable();
        let is_empty = parts.peek().is_none();
        for (index, part) in parts.enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            self.line(depth + 1);
            write(self, part);
        }
        if !is_empty {
            self.line(depth);
        }
        self.json.push(close);
    }

    fn line(&mut self, depth: usize) {
        if let Some(indent) = self.indent {
            self.json.push('\n');
            self.json.extend(std::iter::repeat_n(' ', indent * depth));
        }
    }
}

/// Returns a member's key as UTF-16.
fn key(member: Node<'_>) -> Vec<u16> {
    let key = member
        .key_span()
        .map(|key| member.tree().source().slice(key));
    utf16(key.unwrap_or_default())
}

/// Escapes all non-ASCII characters in JSON.
pub(super) fn ascii(json: &str) -> String {
    let mut ascii = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            c.encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| push_escape(&mut ascii, *unit));
        }
    }
    ascii
}

fn push_escape(json: &mut String, unit: u16) {
    json.push_str(&format!("\\u{unit:04x}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::json;
    use crate::text::Source;

    fn stringified(text: &str) -> String {
        let (tree, _) = json::parse(&Source::new(text));
        tree.root().map(stringify).unwrap_or_default()
    }

    #[test]
    fn values_are_written_as_javascript_reads_them() {
        let text = r#" { "b": 1.0, "10": [ ], "2": {}, "a": "\u00e9\/\ud83d\u001f\b\"\\", "b": -0, "01": 1E5, "4294967295": 1e400, "__proto__": null } "#;
        insta::assert_snapshot!(stringified(text), @r#"{"2":{},"10":[],"b":0,"a":"é/\ud83d\u001f\b\"\\","01":100000,"4294967295":null,"__proto__":null}"#);
    }

    #[test]
    fn two_spaces_a_step_show_what_is_inside() {
        let (tree, _) = json::parse(&Source::new(r#"{"a":[1,{"b":[]}],"c":{}}"#));
        insta::assert_snapshot!(tree.root().map(|root| indented(root, 1)).unwrap_or_default(), @r#"
        {
            "a": [
              1,
              {
                "b": []
              }
            ],
            "c": {}
          }
        "#);
    }

    #[test]
    fn numbers_are_written_as_javascript_does() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.5,
            150e6,
            8e6,
            1e20,
            1e21,
            1.5e21,
            123456789012345680000.0,
            0.1,
            0.000001,
            1.5e-7,
            1e-7,
            f64::MAX,
            5e-324,
            f64::INFINITY,
            2.0 / 3.0,
        ];
        let written = numbers.map(number).join(" ");
        insta::assert_snapshot!(written, @"0 0 1 -1.5 150000000 8000000 100000000000000000000 1e+21 1.5e+21 123456789012345680000 0.1 0.000001 1.5e-7 1e-7 1.7976931348623157e+308 5e-324 null 0.6666666666666666");
    }
}
