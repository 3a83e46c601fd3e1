//! What "Copy as" puts on the clipboard.

use crate::format::{Document, Node, NodeKind, Syntax};

/// A form in which a value can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyAs {
    /// The value as JSON.
    Json,
    /// Its JSON Pointer (RFC 6901).
    Pointer,
    /// The file's path with the line it stands on, as editors open it.
    PathLine,
    /// A fenced block, for an issue or a review.
    Markdown,
}

/// Values nested deeper than this are cut when YAML is written as JSON.
const DEEPEST: usize = 256;

impl CopyAs {
    /// Every form, in the order of the menu.
    pub const ALL: &[Self] = &[Self::Json, Self::Pointer, Self::PathLine, Self::Markdown];

    /// The words in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Pointer => "JSON Pointer",
            Self::PathLine => "path:line",
            Self::Markdown => "Markdown",
        }
    }

    /// The text to copy for a value of the document that lies at `path`.
    pub fn text(self, document: &Document, node: Node<'_>, path: &str) -> String {
        match self {
            Self::Json => json(document, node),
            Self::Pointer => node.pointer(),
            Self::PathLine => format!("{path}:{}", node.place().line),
            Self::Markdown => {
                let value = node
                    .as_str()
                    .map_or_else(|| json(document, node), str::to_owned);
                let language = if node.as_str().is_some() { "" } else { "json" };
                let fence = fence(&value);
                let place = format!("`{path}:{}`", node.place().line);
                format!(
                    "{place}\n\n{fence}{language}\n{}\n{fence}\n",
                    value.trim_end()
                )
            }
        }
    }
}

/// A row of backticks longer than any in the text.
fn fence(text: &str) -> String {
    let mut longest = 2;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat(longest + 1)
}

fn json(document: &Document, node: Node<'_>) -> String {
    match document.syntax {
        Syntax::Json => node.raw().to_owned(),
        Syntax::Yaml => {
            let value = value(node, 0);
            serde_json::to_string_pretty(&value).unwrap_or_default()
        }
    }
}

fn value(node: Node<'_>, depth: usize) -> serde_json::Value {
    use serde_json::Value;
    if depth == DEEPEST {
        return Value::Null;
    }
    match node.kind() {
        NodeKind::Null => Value::Null,
        NodeKind::Bool => node.as_bool().map_or(Value::Null, Value::Bool),
        NodeKind::Number => match node.raw().parse::<i64>() {
            Ok(whole) => Value::from(whole),
            Err(_) => node.as_f64().map_or(Value::Null, Value::from),
        },
        NodeKind::String => Value::from(node.as_str().unwrap_or_default()),
        NodeKind::Timestamp => Value::from(node.raw()),
        NodeKind::Array => node.items().map(|item| value(item, depth + 1)).collect(),
        NodeKind::Object => {
            let member = |item: Node<'_>| {
                let key = item.key().unwrap_or_default().to_owned();
                (key, value(item, depth + 1))
            };
            Value::Object(node.items().map(member).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;

    #[test]
    fn every_form_names_the_value_and_its_place() {
        let text = "{\n \"a\": [ {\"b\": \"x ``` y\"} ]\n}";
        let document = crate::format::read(Source::new(text), "a.json");
        let node = document.tree.at_pointer("/a/0/b").unwrap();
        let texts = CopyAs::ALL
            .iter()
            .map(|form| form.text(&document, node, "set/a.json"));
        let texts: Vec<String> = texts.collect();
        assert_eq!(texts[0], "\"x ``` y\"");
        assert_eq!(texts[1], "/a/0/b");
        assert_eq!(texts[2], "set/a.json:2");
        assert_eq!(texts[3], "`set/a.json:2`\n\n````\nx ``` y\n````\n");
    }

    #[test]
    fn yaml_is_copied_as_json() {
        let text = "tool: refund\nstatus: 504\nresponse: null\n";
        let document = crate::format::read(Source::new(text), "a.yaml");
        let root = document.tree.root().unwrap();
        let copied = CopyAs::Json.text(&document, root, "a.yaml");
        let value: serde_json::Value = serde_json::from_str(&copied).unwrap();
        assert_eq!(value["status"], 504);
        assert!(value["response"].is_null());
    }
}
