//! A value on its way into a document.

use std::sync::Arc;

use crate::format::{Node, NodeId, NodeKind, Tree, json};
use crate::text::Source;

/// A JSON value, kept as it was written: `1.50`, `1e400` and half a surrogate pair stay what they are.
#[derive(Clone, Debug)]
pub struct Value {
    /// Has a root.
    tree: Arc<Tree>,
}

impl Value {
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

    /// A string.
    pub fn text(text: &str) -> Self {
        Self::known(&json_string(text))
    }

    /// The object that has this value as its only member.
    pub(super) fn in_object(&self, key: &str) -> Self {
        Self::known(&format!("{{{}:{}}}", json_string(key), self.json()))
    }

    /// The list that has this value as its only element.
    pub(super) fn in_list(&self) -> Self {
        Self::known(&format!("[{}]", self.json()))
    }

    /// An empty list for a list, else an empty object.
    pub(super) fn empty_like(container: Node<'_>) -> Self {
        Self::known(match container.kind() {
            NodeKind::Array => "[]",
            _ => "{}",
        })
    }

    /// Takes JSON that is good, because it was made here.
    fn known(json: &str) -> Self {
        let (tree, _) = json::parse(&Source::new(json));
        Self {
            tree: Arc::new(tree),
        }
    }

    /// The value as JSON, as it was written.
    pub fn json(&self) -> &str {
        self.root().raw()
    }

    /// Everything in the value.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The value, taken apart.
    pub(super) fn root(&self) -> Node<'_> {
        self.tree.node(NodeId::ROOT)
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

/// A text as JSON writes it.
pub(in crate::ops) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_json_is_told() {
        let fault = |json: &str| Value::parse(json).unwrap_err();
        insta::assert_snapshot!(fault("timeout"), @"`timeout` is no value of JSON; text stands in double quotes");
        insta::assert_snapshot!(fault(""), @"No value");
        insta::assert_snapshot!(fault("{\"a\": 1, \"a\": 2}"), @r#"The key `"a"` stands again at line 1, column 10; only the last one counts"#);
        assert_eq!(
            Value::parse(" 1.50 ").map(|value| value.json().to_owned()),
            Ok("1.50".to_owned())
        );
        assert_eq!(Value::text("a\"\n").json(), r#""a\"\n""#);
    }
}
