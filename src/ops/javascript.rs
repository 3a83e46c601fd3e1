//! Writes values of JSON as JavaScript reads and writes them.

use std::collections::HashMap;

use crate::format::json::{JsonLayout, JsonWriter, javascript_number, quote_utf16, utf16};
use crate::format::{Node, NodeKind};

/// Formats a value like `JSON.stringify(JSON.parse(…))`: first keys that are array indices, in numeric order, then the
/// others in their first order; the last value of a duplicate key; normalized numbers.
pub fn stringify(value: Node<'_>) -> String {
    let mut writer = JsonWriter::new(JsonLayout::Compact);
    write(&mut writer, value);
    writer.into_text()
}

/// Formats a value like `JSON.stringify(JSON.parse(…), null, 2)`.
pub(in crate::ops) fn indented(value: Node<'_>) -> String {
    let mut writer = JsonWriter::new(JsonLayout::PRETTY);
    write(&mut writer, value);
    writer.into_text()
}

/// Returns the members of an object in JavaScript's order.
pub(in crate::ops) fn members<'a>(object: Node<'a>) -> Vec<(&'a str, Node<'a>)> {
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

/// Writes a value like [`stringify`], in the writer's layout.
pub(super) fn write(writer: &mut JsonWriter<'_>, value: Node<'_>) {
    match value.kind() {
        NodeKind::Array => writer.list(value.items(), write),
        NodeKind::Object => {
            let members = members(value).into_iter();
            writer.object(
                members.map(|(_, member)| (quote_utf16(&key(member)), member)),
                write,
            );
        }
        NodeKind::String if is_stringified(value.raw()) => writer.json(value.raw()),
        NodeKind::String => writer.json(&quote_utf16(&utf16(value.raw()))),
        NodeKind::Number => {
            writer.json(&javascript_number(value.as_f64().unwrap_or(f64::NAN)));
        }
        NodeKind::Null | NodeKind::Bool | NodeKind::Timestamp | NodeKind::Expression => {
            writer.json(value.raw());
        }
    }
}

/// Returns whether a JSON string is written as `JSON.stringify` writes it: without an escape that is not needed or has a shorter form.
fn is_stringified(raw: &str) -> bool {
    let Some(content) = raw.strip_prefix('"').and_then(|it| it.strip_suffix('"')) else {
        return false;
    };
    let bytes = content.as_bytes();
    if bytes
        .iter()
        .fold(false, |found, byte| found | (*byte < b' '))
    {
        return false;
    }
    let mut rest = bytes;
    while let Some(at) = memchr::memchr2(b'\\', b'"', rest) {
        match rest[at..] {
            [b'\\', b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => rest = &rest[at + 2..],
            _ => return false,
        }
    }
    true
}

/// Returns a member's key as UTF-16.
fn key(member: Node<'_>) -> Vec<u16> {
    let key = member
        .key_span()
        .map(|key| member.tree().source().slice(key));
    utf16(key.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format::json;
    use crate::text::Source;

    fn stringified(text: &str) -> String {
        let (tree, _) = json::parse(&Source::new(text));
        tree.root().map(stringify).unwrap_or_default()
    }

    proptest! {
        #![proptest_config(crate::text::cases(512))]

        #[test]
        fn a_string_that_is_copied_is_what_would_be_written(content in r#"([ -~é\u{2028}]|\\["\\/bfnrtu]|\\u[0-9a-f]{4}|\n){0,12}"#) {
            let raw = format!("\"{content}\"");
            if is_stringified(&raw) {
                prop_assert_eq!(quote_utf16(&utf16(&raw)), raw);
            }
        }
    }

    #[test]
    fn values_are_written_as_javascript_reads_them() {
        let text = r#" { "b": 1.0, "10": [ ], "2": {}, "a": "\u00e9\/\ud83d\u001f\b\"\\", "b": -0, "01": 1E5, "4294967295": 1e400, "__proto__": null } "#;
        insta::assert_snapshot!(stringified(text), @r#"{"2":{},"10":[],"b":0,"a":"é/\ud83d\u001f\b\"\\","01":100000,"4294967295":null,"__proto__":null}"#);
    }
}
