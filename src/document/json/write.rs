//! Writes JSON: quotes texts, and writes the values of documents in one of three layouts.
//!
//! Not by serde: its serializers decode and quote each key again, so half a surrogate pair in a key would become another text.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::string::{key_utf16, utf16};
use crate::{Node, NodeKind, Syntax};

/// Returns a text as a JSON string, with the same escapes as `JSON.stringify`: only those that JSON requires.
pub fn quote(text: &str) -> String {
    // Serialising a text never fails.
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns UTF-16 text as a JSON string. Half a surrogate pair, which a Rust string cannot contain, becomes its escape.
pub fn quote_utf16(units: &[u16]) -> String {
    if let Ok(text) = String::from_utf16(units) {
        return quote(&text);
    }
    let mut json = String::with_capacity(units.len() + 2);
    json.push('"');
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(c) if c < ' ' || c == '"' || c == '\\' => {
                let char_json = quote(c.encode_utf8(&mut [0; 4]));
                json.push_str(&char_json[1..char_json.len() - 1]);
            }
            Ok(c) => json.push(c),
            Err(half) => push_escape(&mut json, half.unpaired_surrogate()),
        }
    }
    json.push('"');
    json
}

/// Returns the text of a string of any document as a JSON string. Half a surrogate pair becomes its escape.
pub fn quoted_text(string: Node<'_>) -> String {
    match string.as_str() {
        // Only a text with `\u` may contain half a surrogate pair, which is decoded as its escape.
        Some(text) if !text.contains("\\u") => quote(text),
        _ => quote_utf16(&utf16(string)),
    }
}

/// Returns the key of a member of any document as a JSON string, as [`quoted_text`] a text.
pub fn quoted_key(member: Node<'_>) -> String {
    match member.key() {
        Some(key) if !key.contains("\\u") => quote(key),
        _ => quote_utf16(&key_utf16(member)),
    }
}

/// Escapes all non-ASCII characters in JSON.
pub fn to_ascii(json: &str) -> Cow<'_, str> {
    if json.is_ascii() {
        return Cow::Borrowed(json);
    }
    let mut ascii = String::with_capacity(json.len() + 8);
    for c in json.chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                push_escape(&mut ascii, *unit);
            }
        }
    }
    Cow::Owned(ascii)
}

fn push_escape(json: &mut String, unit: u16) {
    json.push_str(&format!("\\u{unit:04x}"));
}

/// Formats a number like `JSON.stringify`: the shortest digits that parse to the same number, with an exponent only below
/// 1e-6 and from 1e21 on; `null` if not finite.
pub fn javascript_number(number: f64) -> String {
    let magnitude = number.abs();
    // JavaScript writes -0 without its sign, too.
    if magnitude == 0.0 {
        return "0".to_owned();
    }
    if !number.is_finite() {
        return "null".to_owned();
    }
    if (1e-6..1e21).contains(&magnitude) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// Layout of lists and objects: separators and indentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonLayout<'a> {
    /// `{"a":1,"b":[]}`
    Compact,
    /// `{"a": 1, "b": []}`
    Spaced,
    /// Each part on its own line, with this indentation per level.
    Indented(&'a str),
}

impl JsonLayout<'_> {
    /// Two spaces per level, as `JSON.stringify(value, null, 2)` and most formatters write it.
    pub const PRETTY: Self = Self::Indented("  ");
}

/// Returns a value of any document as JSON.
///
/// JSON keeps its spelling: numbers such as `1.0` and `1e400`, escapes, repeated keys. A number of another syntax keeps it if
/// it is valid in JSON. What JSON cannot represent is converted: a date or code to a string, an infinite number to null.
pub fn write(node: Node<'_>, layout: JsonLayout<'_>) -> String {
    let mut writer = JsonWriter::new(layout);
    writer.node(node);
    writer.into_text()
}

/// Returns a value as JSON: as it is written in a JSON document, else on one line like [`write()`].
pub fn text(node: Node<'_>) -> Cow<'_, str> {
    match node.tree().syntax() {
        Syntax::Json if !has_other_number(node) => node.raw().into(),
        _ => write(node, JsonLayout::Spaced).into(),
    }
}

/// Returns whether a value of JSON as Python writes it is or contains `NaN` or `Infinity`.
fn has_other_number(node: Node<'_>) -> bool {
    let raw = node.raw();
    match node.kind() {
        // The only numbers of Python that end with these letters are `NaN`, `Infinity` and `-Infinity`.
        NodeKind::Number => raw.ends_with(['N', 'y']),
        NodeKind::Array | NodeKind::Object => {
            // The search in the text spares most documents a walk through their values.
            (raw.contains("NaN") || raw.contains("Infinity")) && node.items().any(has_other_number)
        }
        _ => false,
    }
}

/// Writes values one after the other, with brackets, separators and indentation between them.
#[derive(Debug)]
pub struct JsonWriter<'a> {
    text: String,
    layout: JsonLayout<'a>,
    depth: usize,
    most_bytes: usize,
}

impl<'a> JsonWriter<'a> {
    pub fn new(layout: JsonLayout<'a>) -> Self {
        Self { text: String::new(), layout, depth: 0, most_bytes: usize::MAX }
    }

    /// Stops soon after this many bytes: the text is then longer, but not whole.
    #[must_use]
    pub fn up_to(self, most_bytes: usize) -> Self {
        Self { most_bytes, ..self }
    }

    pub fn into_text(self) -> String {
        self.text
    }

    /// Writes a value that is already JSON.
    pub fn json(&mut self, json: &str) {
        self.text.push_str(json);
    }

    /// Writes a value of a document, like [`write()`].
    pub fn node(&mut self, node: Node<'_>) {
        match node.kind() {
            NodeKind::Array => self.list(node.items(), Self::node),
            NodeKind::Object if node.has_merges() => {
                let members = node.members().into_iter().map(|(key, member)| (quote(key), member));
                self.object(members, Self::node);
            }
            NodeKind::Object => {
                self.object(node.items().map(|member| (key(member), member)), Self::node);
            }
            _ => self.json(&scalar(node)),
        }
    }

    pub fn list<T>(
        &mut self,
        elements: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut Self, T),
    ) {
        self.parts(['[', ']'], elements, write);
    }

    /// Writes an object; the keys are JSON strings.
    pub fn object<K: AsRef<str>, T>(
        &mut self,
        members: impl IntoIterator<Item = (K, T)>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.parts(['{', '}'], members, |writer, (key, value)| {
            writer.json(key.as_ref());
            writer.json(match writer.layout {
                JsonLayout::Compact => ":",
                JsonLayout::Spaced | JsonLayout::Indented(_) => ": ",
            });
            write(writer, value);
        });
    }

    fn parts<T>(
        &mut self,
        [open, close]: [char; 2],
        parts: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.text.push(open);
        self.depth += 1;
        let mut is_empty = true;
        for part in parts {
            if self.text.len() > self.most_bytes {
                break;
            }
            if !is_empty {
                self.text.push(',');
            }
            match self.layout {
                JsonLayout::Spaced if !is_empty => self.text.push(' '),
                _ => self.line(),
            }
            is_empty = false;
            write(self, part);
        }
        self.depth -= 1;
        if !is_empty {
            self.line();
        }
        self.text.push(close);
    }

    fn line(&mut self) {
        if let JsonLayout::Indented(indent) = self.layout {
            self.text.push('\n');
            self.text.extend(std::iter::repeat_n(indent, self.depth));
        }
    }
}

/// Returns the key of a member as a JSON string.
fn key(member: Node<'_>) -> Cow<'_, str> {
    let raw = member.key_span().map(|span| member.tree().source().slice(span));
    as_written(member, raw.unwrap_or_default())
        .unwrap_or_else(|| quote(member.key().unwrap_or_default()).into())
}

fn scalar(node: Node<'_>) -> Cow<'_, str> {
    let text = node.scalar_text().unwrap_or_default();
    match node.kind() {
        NodeKind::Null => "null".into(),
        NodeKind::Bool => node.as_bool().unwrap_or_default().to_string().into(),
        NodeKind::Number if super::token::is_number(text) => text.into(),
        NodeKind::Number => javascript_number(node.as_f64().unwrap_or(f64::NAN)).into(),
        _ => as_written(node, node.raw()).unwrap_or_else(|| quote(text).into()),
    }
}

/// Returns a string of JSON as written; `None` for one of another syntax, and for one that is cut off or otherwise invalid.
fn as_written<'a>(node: Node<'a>, raw: &'a str) -> Option<Cow<'a, str>> {
    let is_json = node.tree().syntax() == Syntax::Json && raw.starts_with('"');
    // A faulty string was only reported when it was read; in new JSON it must not appear.
    (is_json && serde_json::from_str::<IgnoredAny>(raw).is_ok()).then_some(raw.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json;
    use crate::text::Source;
    use crate::{Tree, read};

    fn tree(json: &str) -> Tree {
        json::parse(&Source::new(json)).0
    }

    fn written(json: &str, layout: JsonLayout<'_>) -> String {
        write(tree(json).root().unwrap(), layout)
    }

    #[test]
    fn json_keeps_its_spelling() {
        let text = r#"{"\ud83d":[1.0,-0,1e400,"\u00e9\/\ud83d"],"a":{},"a":[],"b":[true,null]}"#;
        assert_eq!(written(text, JsonLayout::Compact), text);
        insta::assert_snapshot!(written(text, JsonLayout::Spaced), @r#"{"\ud83d": [1.0, -0, 1e400, "\u00e9\/\ud83d"], "a": {}, "a": [], "b": [true, null]}"#);
        insta::assert_snapshot!(written(r#"{"a":[1,{"b":[]}],"c":{}}"#, JsonLayout::PRETTY), @r#"
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
    fn what_is_not_json_becomes_json() {
        let yaml =
            "a: &a [1.50, 0x10, .inf, 2026-06-11, yes, ~]\nb: *a\n\"c\\x41\": \"d\\x41\\u00e9\"\n";
        let document = read(Source::new(yaml), "a.yaml");
        let json = write(document.tree.root().unwrap(), JsonLayout::Spaced);
        insta::assert_snapshot!(json, @r#"{"a": [1.50, 16, null, "2026-06-11", true, null], "b": [1.50, 16, null, "2026-06-11", true, null], "cA": "dAé"}"#);
        assert_eq!(
            written("{a: ['b', \"c\\q\", +1, nil, \"d", JsonLayout::Compact),
            r#"{"a":["b","c\\q",1,null,"d"]}"#
        );
    }

    #[test]
    fn writing_stops_at_its_limit() {
        let tree = tree(&format!("[{}0]", "[[[1],2],".repeat(9)));
        let mut writer = JsonWriter::new(JsonLayout::PRETTY).up_to(20);
        writer.node(tree.root().unwrap());
        assert!((20..60).contains(&writer.into_text().len()));
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
        let texts = numbers.map(javascript_number).join(" ");
        insta::assert_snapshot!(texts, @"0 0 1 -1.5 150000000 8000000 100000000000000000000 1e+21 1.5e+21 123456789012345680000 0.1 0.000001 1.5e-7 1e-7 1.7976931348623157e+308 5e-324 null 0.6666666666666666");
    }

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn quoted_text_reads_back(text in "[\\x00-\\x7f]{0,5}\\PC{0,10}[\u{2028}\u{d7ff}\u{e000}😀]?", half in 0xd800u16..0xe000) {
            let text_json = quote(&text);
            prop_assert_eq!(serde_json::from_str::<String>(&text_json).unwrap(), text.clone());
            let mut units: Vec<u16> = text.encode_utf16().collect();
            prop_assert_eq!(&quote_utf16(&units), &text_json);
            prop_assert_eq!(serde_json::from_str::<String>(&to_ascii(&text_json)).unwrap(), text);
            units.insert(0, half);
            let half_json = quote_utf16(&units);
            prop_assert_eq!(utf16(tree(&half_json).root().unwrap()), units.clone());
            prop_assert_eq!(written(&half_json, JsonLayout::Compact), half_json);
        }

        #[test]
        fn numbers_read_back(number in any::<f64>()) {
            let text = javascript_number(number);
            prop_assert!(!number.is_finite() || text.parse() == Ok(number), "{}", text);
        }

        /// However broken a document is, what is written of it is JSON.
        #[test]
        fn every_document_becomes_json(text in "([\\[\\]{},:\"'\\\\]|[a-z]|\\\\ud8|true|1e9|-|\\n| ){0,40}") {
            for name in ["a.json", "a.yaml", "a.ts"] {
                let document = read(Source::new(text.as_str()), name);
                let Some(root) = document.tree.root() else { continue };
                for layout in [JsonLayout::Compact, JsonLayout::Spaced, JsonLayout::PRETTY] {
                    let json = write(root, layout);
                    prop_assert!(serde_json::from_str::<IgnoredAny>(&json).is_ok(), "{json}");
                }
            }
        }
    }
}
