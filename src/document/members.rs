//! Members of an object, by their names and kinds.

use super::tree::{Node, NodeKind};

pub(super) fn has(node: Node<'_>, key: &str) -> bool {
    node.get(key).is_some()
}

/// Returns whether an object has one of these members.
pub(super) fn has_any(node: Node<'_>, keys: &[&str]) -> bool {
    keys.iter().any(|key| has(node, key))
}

pub(super) fn has_all(node: Node<'_>, keys: &[&str]) -> bool {
    keys.iter().all(|key| has(node, key))
}

/// Returns a member that is an object.
pub(super) fn object<'t>(node: Node<'t>, key: &str) -> Option<Node<'t>> {
    node.get(key).filter(|value| value.kind() == NodeKind::Object)
}

/// Returns a member that is a list.
pub(super) fn list<'t>(node: Node<'t>, key: &str) -> Option<Node<'t>> {
    node.get(key).filter(|value| value.kind() == NodeKind::Array)
}
