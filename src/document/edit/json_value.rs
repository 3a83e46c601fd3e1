//! A value to be written into a document.

use std::sync::Arc;

use crate::text::Source;
use crate::{Node, NodeId, NodeKind, Tree, json};

/// A JSON value, kept as it was written: `1.50`, `1e400` and half a surrogate pair stay what they are.
#[derive(Clone, Debug)]
pub struct JsonValue {
    /// Has a root.
    // Shared, since each plan of an edit has a copy of its value.
    tree: Arc<Tree>,
}

impl JsonValue {
    /// Reads a value from JSON.
    ///
    /// # Errors
    ///
    /// The reason that it is no JSON, as a sentence without a full stop.
    pub fn parse(json: &str) -> Result<Self, String> {
        if json.trim().is_empty() {
            return Err("No value".to_owned());
        }
        let (tree, problems) = json::parse(&Source::new(json));
        match problems.first() {
            Some(problem) => Err(problem.message.to_string()),
            None => Ok(Self { tree: Arc::new(tree) }),
        }
    }

    /// Returns a string.
    pub fn text(text: &str) -> Self {
        Self::from_valid_json(&json::quote(text))
    }

    /// Converts a value of any document to JSON. What JSON cannot represent is converted: a YAML date or code to a string, an infinite number
    /// as null.
    pub fn from_node(node: Node<'_>) -> Self {
        Self::from_valid_json(&json::text(node))
    }

    /// Returns the value with an edit made in it; `None` when that is refused.
    pub fn edited(&self, edit: &super::Edit) -> Option<Self> {
        let planned_edit = super::plan(&self.tree, edit).ok()?;
        let mut json = self.tree.source().text().to_owned();
        planned_edit.apply(&mut json);
        Self::parse(&json).ok()
    }

    pub fn null() -> Self {
        Self::from_valid_json("null")
    }

    /// Returns an object with these members, in order.
    pub fn object(members: &[(&str, Self)]) -> Self {
        let member = |(key, value): &(&str, Self)| format!("{}:{}", json::quote(key), value.json());
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
            let number = || node.scalar_text().filter(|_| node.kind() == NodeKind::Number);
            let text = node.as_str().or_else(number).map(|text| (text, node.span()));
            for (text, span) in key.into_iter().chain(text) {
                let new_text = change(text);
                if new_text != text {
                    let range = span.range();
                    edits.push((range.start - start..range.end - start, json::quote(&new_text)));
                }
            }
        }
        // From the end, so that the ranges in front stay valid.
        for (range, new) in edits.into_iter().rev() {
            json.replace_range(range, &new);
        }
        Self::from_valid_json(&json)
    }

    /// Returns the object that has this value as its only member.
    pub fn in_object(&self, key: &str) -> Self {
        Self::from_valid_json(&format!("{{{}:{}}}", json::quote(key), self.json()))
    }

    /// Returns the list that has this value as its only element.
    pub fn in_list(&self) -> Self {
        Self::from_valid_json(&format!("[{}]", self.json()))
    }

    /// Parses JSON that is known to be valid.
    fn from_valid_json(json: &str) -> Self {
        let (tree, _) = json::parse(&Source::new(json));
        Self { tree: Arc::new(tree) }
    }

    /// Returns the value as JSON, as it was written.
    pub fn json(&self) -> &str {
        self.root().raw()
    }

    /// Everything in the value.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the root node of the parsed value.
    pub fn root(&self) -> Node<'_> {
        self.tree.node(NodeId::ROOT)
    }
}

impl PartialEq for JsonValue {
    fn eq(&self, other: &Self) -> bool {
        // Compared as written, because an edit from `1.0` to `1` is an edit.
        self.json() == other.json()
    }
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
