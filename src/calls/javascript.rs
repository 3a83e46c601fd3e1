//! Writes values of any document as JSON, as JavaScript reads and writes them.

use document::json::{self, JsonLayout, JsonWriter, javascript_number};
use document::{Node, NodeKind};

/// Formats a value like `JSON.stringify(JSON.parse(…))`: first keys that are array indices, in numeric order, then the
/// others in their first order; the last value of a duplicate key; normalized numbers.
pub fn stringify(value: Node<'_>) -> String {
    let mut writer = JsonWriter::new(JsonLayout::Compact);
    write(&mut writer, value);
    writer.into_text()
}

/// Formats a value like `JSON.stringify(JSON.parse(…), null, 2)`.
pub(crate) fn indented(value: Node<'_>) -> String {
    let mut writer = JsonWriter::new(JsonLayout::PRETTY);
    write(&mut writer, value);
    writer.into_text()
}

/// Returns the members of an object in JavaScript's order.
pub(crate) fn members<'a>(object: Node<'a>) -> Vec<(&'a str, Node<'a>)> {
    let mut members = object.members();
    // Stable: other keys stay in their order, behind all indices.
    members.sort_by_key(|(key, _)| array_index(key).map_or(u64::MAX, u64::from));
    members
}

/// Returns a text that is the same for equal values, whatever the order of their keys.
pub fn canonical(value: Node<'_>) -> String {
    match value.kind() {
        NodeKind::Array => {
            let items: Vec<String> = value.items().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        NodeKind::Object => {
            let members = members(value).into_iter();
            let mut members: Vec<String> =
                members.map(|(key, value)| format!("{key:?}:{}", canonical(value))).collect();
            members.sort_unstable();
            format!("{{{}}}", members.join(","))
        }
        _ => stringify(value),
    }
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
            writer.object(members.map(|(_, member)| (json::quoted_key(member), member)), write);
        }
        NodeKind::String => writer.json(&json::quoted_text(value)),
        NodeKind::Number => {
            // `JSON.stringify` writes `null` for a number that is none.
            writer.json(&javascript_number(value.as_f64().unwrap_or(f64::NAN)));
        }
        NodeKind::Null | NodeKind::Bool | NodeKind::Timestamp | NodeKind::Expression => {
            writer.node(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::json;
    use document::text::Source;

    fn stringified(text: &str) -> String {
        let (tree, _) = json::parse(&Source::new(text));
        tree.root().map(stringify).unwrap_or_default()
    }

    #[test]
    fn values_of_every_syntax_are_written_as_they_read() {
        let yaml = r#"a: |-
  one

  two
b: >
  folded
  text
c: 'it''s
  so'
d: "caf\xe9\
  \  \t"
e: plain
  on

  lines
f: [~, Yes, 0x1F, .inf, 1_000, -0, 12:30, 2026-06-11, "2026-06-11", '', 'no', !!str 5]
g: &g {'say "hi"': &x 'y', "\x41": ''}
h: {<<: [*g, &k {A: 1, z: 2}], y: *x}
i: {<<: *k, <<: *g, z: 4}
"#;
        let (tree, _) = document::yaml::parse(&Source::new(yaml));
        let yaml = tree.root().map(stringify).unwrap_or_default();
        insta::assert_snapshot!(yaml, @r#"{"a":"one\n\ntwo","b":"folded text\n","c":"it's so","d":"café  \t","e":"plain on\nlines","f":[null,true,31,null,1000,0,750,"2026-06-11","2026-06-11","","no","5"],"g":{"say \"hi\"":"y","A":""},"h":{"A":"","z":2,"say \"hi\"":"y","y":"y"},"i":{"A":"","z":4,"say \"hi\"":"y"}}"#);
        let toml =
            "a = 'x'\nb = \"\"\"\none\n\"two\" \\u00e9\"\"\"\nc = 0x1F\n'd e' = 2026-06-11\n";
        let (tree, _) = document::toml::parse(&Source::new(toml));
        let toml = tree.root().map(stringify).unwrap_or_default();
        insta::assert_snapshot!(toml, @r#"{"a":"x","b":"one\n\"two\" é","c":31,"d e":"2026-06-11"}"#);
    }

    #[test]
    fn values_are_written_as_javascript_reads_them() {
        let text = r#" { "b": 1.0, "10": [ ], "2": {}, "a": "\u00e9\/\ud83d\u001f\b\"\\", "b": -0, "01": 1E5, "4294967295": 1e400, "__proto__": null } "#;
        insta::assert_snapshot!(stringified(text), @r#"{"2":{},"10":[],"b":0,"a":"é/\ud83d\u001f\b\"\\","01":100000,"4294967295":null,"__proto__":null}"#);
    }
}
