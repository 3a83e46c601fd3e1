//! A value to be written into a document.

use std::sync::Arc;

use crate::format::{Node, NodeId, NodeKind, Syntax, Tree, json};
use crate::text::Source;

/// A JSON value, kept as it was written: `1.50`, `1e400` and half a surrogate pair stay what they are.
#[derive(Clone, Debug)]
pub struct JsonValue {
    /// Has a root.
    tree: Arc<Tree>,
}

impl JsonValue {
    /// Reads a value from JSON.
    ///
    /// # Errors
    ///
    /// Why it is no JSON, in a sentence without a full stop.
    pub fn parse(json: &str) -> Result<Self, String> {
        if json.trim().is_empty() {
            return Err("No value".to_owned());
        }
        let (tree, problems) = json::parse(&Source::new(json));
        match problems.first() {
            Some(problem) => Err(problem.message.to_string()),
            None => Ok(Self {
                tree: Arc::new(tree),
            }),
        }
    }

    /// Returns a string.
    pub fn text(text: &str) -> Self {
        Self::from_valid_json(&json_string(text))
    }

    /// Converts a value of any document to JSON. What JSON cannot represent is converted: a YAML date or code to a string, an infinite number
    /// as null.
    pub fn from_node(node: Node<'_>) -> Self {
        let mut json = String::new();
        push_json(&mut json, node);
        Self::from_valid_json(&json)
    }

    /// Returns the value with an edit made in it; `None` when that is refused.
    pub fn edited(&self, edit: &super::Edit) -> Option<Self> {
        let planned = super::plan(&self.tree, edit).ok()?;
        let mut json = self.tree.source().text().to_owned();
        planned.apply(&mut json);
        Self::parse(&json).ok()
    }

    pub fn null() -> Self {
        Self::from_valid_json("null")
    }

    /// Returns an object with these members, in order.
    pub fn object(members: &[(&str, Self)]) -> Self {
        let member = |(key, value): &(&str, Self)| format!("{}:{}", json_string(key), value.json());
        let members: Vec<String> = members.iter().map(member).collect();
        Self::from_valid_json(&format!("{{{}}}", members.join(",")))
    }

    /// Returns a list.
    pub fn list(elements: &[Self]) -> Self {
        let elements: Vec<&str> = elements.iter().map(Self::json).collect();
        Self::from_valid_json(&format!("[{}]", elements.join(",")))
    }

    /// Returns the value with every text in it changed, keys included.
    pub fn with_texts(&self, change: &dyn Fn(&str) -> String) -> Self {
        let mut json = self.json().to_owned();
        let start = self.root().span().start as usize;
        let mut edits: Vec<(std::ops::Range<usize>, String)> = Vec::new();
        for node in self.tree.nodes() {
            let key = node.key().zip(node.key_span());
            let text = node.as_str().map(|text| (text, node.span()));
            for (text, span) in key.into_iter().chain(text) {
                let changed = change(text);
                if changed != text {
                    let range = span.range();
                    edits.push((
                        range.start - start..range.end - start,
                        json_string(&changed),
                    ));
                }
            }
        }
        for (range, new) in edits.into_iter().rev() {
            json.replace_range(range, &new);
        }
        Self::from_valid_json(&json)
    }

    /// Returns the object that has this value as its only member.
    pub(in crate::ops) fn in_object(&self, key: &str) -> Self {
        Self::from_valid_json(&format!("{{{}:{}}}", json_string(key), self.json()))
    }

    /// Returns the list that has this value as its only element.
    pub(in crate::ops) fn in_list(&self) -> Self {
        Self::from_valid_json(&format!("[{}]", self.json()))
    }

    /// Returns an empty list for a list, else an empty object.
    pub(super) fn empty_like(container: Node<'_>) -> Self {
        Self::from_valid_json(match container.kind() {
            NodeKind::Array => "[]",
            _ => "{}",
        })
    }

    /// Parses JSON that is known to be valid.
    fn from_valid_json(json: &str) -> Self {
        let (tree, _) = json::parse(&Source::new(json));
        Self {
            tree: Arc::new(tree),
        }
    }

    /// Returns the value as JSON, as it was written.
    pub fn json(&self) -> &str {
        self.root().raw()
    }

    /// Everything in the value.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the root node of the parsed value.
    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.node(NodeId::ROOT)
    }
}

impl PartialEq for JsonValue {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

fn push_json(json: &mut String, node: Node<'_>) {
    if node.tree().syntax() == Syntax::Json {
        return json.push_str(node.raw());
    }
    let (open, close) = match node.kind() {
        NodeKind::Object => ('{', '}'),
        NodeKind::Array => ('[', ']'),
        NodeKind::Null => return json.push_str("null"),
        NodeKind::Bool => {
            return json.push_str(if node.as_bool() == Some(true) {
                "true"
            } else {
                "false"
            });
        }
        NodeKind::Number => return json.push_str(&json_number(node)),
        NodeKind::String | NodeKind::Timestamp | NodeKind::Expression => {
            return json.push_str(&json_string(node.scalar_text().unwrap_or_default()));
        }
    };
    json.push(open);
    for (index, part) in node.items().enumerate() {
        if index > 0 {
            json.push_str(", ");
        }
        if let Some(key) = part.key() {
            json.push_str(&json_string(key));
            json.push_str(": ");
        }
        push_json(json, part);
    }
    json.push(close);
}

/// Returns a number as JSON writes it: as it is written, where that is JSON.
fn json_number(node: Node<'_>) -> String {
    let raw = node.scalar_text().unwrap_or_default();
    if serde_json::from_str::<serde_json::Number>(raw).is_ok() {
        return raw.to_owned();
    }
    serde_json::Value::from(node.as_f64()).to_string()
}

/// Returns a text as JSON writes it.
pub(in crate::ops) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_reported() {
        let fault = |json: &str| JsonValue::parse(json).unwrap_err();
        insta::assert_snapshot!(fault("timeout"), @"`timeout` is not a JSON value; text needs double quotes");
        insta::assert_snapshot!(fault(""), @"No value");
        insta::assert_snapshot!(fault("{\"a\": 1, \"a\": 2}"), @r#"The key `"a"` is repeated at line 1, column 10; only the last one counts"#);
        assert_eq!(
            JsonValue::parse(" 1.50 ").map(|value| value.json().to_owned()),
            Ok("1.50".to_owned())
        );
        assert_eq!(JsonValue::text("a\"\n").json(), r#""a\"\n""#);
    }
}
