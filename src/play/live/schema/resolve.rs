//! References and alternatives within a schema.

use document::{Node, NodeKind, unescape_step};

/// The greatest number of references that are followed one after the other.
const MAX_REFERENCES: usize = 16;

/// A schema with the definitions that its parts refer to.
#[derive(Clone, Copy)]
pub(super) struct Schemas<'s> {
    pub(super) root: Node<'s>,
}

impl<'s> Schemas<'s> {
    /// Returns the schema that `$ref` names, if it is within this one, such as `#/$defs/Point` or `#/definitions/Point`.
    pub(super) fn target(self, schema: Node<'s>) -> Option<Node<'s>> {
        let reference = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
        let mut at = self.root;
        for step in reference.split('/').skip(1) {
            // In a fragment, `$` may be percent-encoded.
            let step = unescape_step(step).replace("%24", "$");
            at = match at.kind() {
                NodeKind::Array => at.items().nth(step.parse().ok()?)?,
                _ => at.get(&step)?,
            };
        }
        Some(at)
    }

    /// Returns the schema that counts: behind references, behind an `allOf` of one, and the only alternative to null.
    pub(super) fn resolved(self, schema: Node<'s>) -> Node<'s> {
        let mut at = schema;
        // A reference may lead back to itself.
        for _ in 0..MAX_REFERENCES {
            let mut all = at.get("allOf").into_iter().flat_map(Node::items);
            let only = all.next().filter(|_| all.next().is_none());
            let others = alternatives(at);
            let other = others.first().copied().filter(|_| others.len() == 1);
            // A schema with members of its own says more than the one behind it.
            let is_shell = at.get("properties").is_none() && at.get("enum").is_none();
            match self.target(at).or(only).or(other).filter(|_| is_shell) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        at
    }

    /// Returns whether null is a value.
    pub(super) fn is_nullable(self, schema: Node<'s>) -> bool {
        let resolved = self.resolved(schema);
        let is_null_type = |schema: Node<'s>| {
            let kind = schema.get("type");
            let mut kinds = kind.into_iter().flat_map(Node::items);
            schema.get("nullable").and_then(Node::as_bool) == Some(true)
                || kind.and_then(Node::as_str) == Some("null")
                || kinds.any(|kind| kind.as_str() == Some("null"))
        };
        let mut all = of_keys(schema);
        is_null_type(schema) || is_null_type(resolved) || all.any(is_null_type)
    }
}

/// Returns the schemas of `anyOf` or `oneOf` without that for null.
pub(super) fn alternatives(schema: Node<'_>) -> Vec<Node<'_>> {
    let is_null = |one: &Node<'_>| one.get("type").and_then(Node::as_str) == Some("null");
    of_keys(schema).filter(|one| !is_null(one)).collect()
}

fn of_keys<'s>(schema: Node<'s>) -> impl Iterator<Item = Node<'s>> {
    schema.get("anyOf").or(schema.get("oneOf")).into_iter().flat_map(Node::items)
}

pub(super) fn is_null(value: Node<'_>) -> bool {
    value.kind() == NodeKind::Null
}
