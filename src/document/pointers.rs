//! Finds many values of one tree by their pointers.

use std::collections::HashMap;

use super::pointer_steps::escape_step;
use super::{Node, NodeId, NodeKind, Tree};

/// Finds values as [`Tree::at_pointer`] does, but looks through each list and object only once, however many values are found.
#[derive(Debug)]
pub struct PointerIndex<'t> {
    tree: &'t Tree,
    /// Parts of each list or object on the way, by their tokens in a pointer; `None` for a mapping that merges others.
    inner: HashMap<NodeId, Option<HashMap<String, Node<'t>>>>,
}

impl<'t> PointerIndex<'t> {
    pub fn new(tree: &'t Tree) -> Self {
        Self { tree, inner: HashMap::new() }
    }

    /// Returns the value at a JSON Pointer (RFC 6901) without superfluous zeros.
    pub fn find(&mut self, pointer: &str) -> Option<Node<'t>> {
        let mut node = self.tree.root()?;
        if pointer.is_empty() {
            return Some(node);
        }
        for token in pointer.strip_prefix('/')?.split('/') {
            let parts = self.inner.entry(node.id());
            let Some(parts) = parts.or_insert_with(|| by_token(node)) else {
                // `at_pointer` knows which of the merged members counts.
                return self.tree.at_pointer(pointer);
            };
            node = *parts.get(token)?;
        }
        Some(node)
    }
}

fn by_token(node: Node<'_>) -> Option<HashMap<String, Node<'_>>> {
    if node.items().any(Node::is_merge) {
        return None;
    }
    let token = |(index, item): (usize, Node<'_>)| match item.key() {
        Some(key) if node.kind() == NodeKind::Object => escape_step(key),
        _ => index.to_string(),
    };
    // The last of several members with the same key stays.
    Some(node.items().enumerate().map(|item| (token(item), item.1)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;
    use crate::{json, yaml};

    #[test]
    fn an_index_finds_what_a_tree_finds() {
        let json = r#"{"a": [1, {"b/~": null}, []], "a": [2, {"b/~": 3}], "": {"": 0}}"#;
        let yaml = "a: &a\n  x: 1\nb:\n  <<: *a\n  y: 2\n";
        let trees = [json::parse(&Source::new(json)).0, yaml::parse(&Source::new(yaml)).0];
        for tree in trees {
            let mut index = PointerIndex::new(&tree);
            let pointers = tree.nodes().map(Node::pointer);
            for pointer in pointers.chain(["/b/x", "/a/9", "/a/x", "x", "/"].map(str::to_owned)) {
                let id = index.find(&pointer).map(Node::id);
                assert_eq!(id, tree.at_pointer(&pointer).map(Node::id), "{pointer}");
            }
        }
    }
}
