//! Patterns of JSON Pointers, in which `*` is every element or member of one level.

use document::text::quoted;
use document::{Node, NodeKind, Tree, unescape_step};

/// A JSON Pointer in which the step `*` matches every element of a list and every member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacePattern {
    steps: Box<[Box<str>]>,
}

impl PlacePattern {
    /// Parses a pattern such as `/tool_responses/*/status`.
    ///
    /// # Errors
    ///
    /// The reason that it is no pointer, as a sentence without a full stop.
    pub fn parse(source: &str) -> Result<Self, String> {
        if source.is_empty() {
            return Ok(Self { steps: Box::default() });
        }
        let Some(rest) = source.strip_prefix('/') else {
            return Err(format!(
                "{} is not a JSON Pointer, which starts with `/`, as in `/stream/*/text`",
                quoted(source)
            ));
        };
        let step = |step: &str| Box::from(unescape_step(step));
        Ok(Self { steps: rest.split('/').map(step).collect() })
    }

    /// Returns whether a step is `*`.
    pub fn has_wildcard(&self) -> bool {
        self.steps.iter().any(|step| &**step == "*")
    }

    /// Returns the values that it matches, in the order of the text. What an alias or a merge contributes is found where it is
    /// written.
    pub(super) fn find<'t>(&self, tree: &'t Tree) -> Vec<Node<'t>> {
        let mut nodes: Vec<Node<'t>> = tree.root().into_iter().collect();
        for step in &self.steps {
            let inside = nodes.iter().filter(|node| !node.is_alias());
            nodes = inside.flat_map(|node| parts(*node, step)).collect();
        }
        nodes
    }
}

/// Returns the parts of a value that a step matches. Of a repeated key the last member counts, as for every reader.
fn parts<'t>(node: Node<'t>, step: &str) -> Vec<Node<'t>> {
    let members = node.items().filter(|member| !member.is_merge());
    match (step, node.kind()) {
        ("*", _) => members.collect(),
        (key, NodeKind::Object) => {
            members.filter(|member| member.key() == Some(key)).last().into_iter().collect()
        }
        (index, NodeKind::Array) => {
            // As RFC 6901 writes it: no sign, no leading zero.
            let is_index = index == "0" || !index.starts_with(['0', '+']);
            let at: Option<usize> = index.parse().ok().filter(|_| is_index);
            at.and_then(|at| node.items().nth(at)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
