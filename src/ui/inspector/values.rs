//! A value in the inspector, as lines of keys and values.

use super::prose::preview;
use document::{Node, NodeId, NodeKind, json};

/// Maximum lines of a value here; the tree shows all.
const MAX_VALUES: usize = 120;

/// A value as lines of keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// The node, if the value is in the file.
    pub node: Option<NodeId>,
    /// In order.
    pub lines: Vec<ValueLine>,
    /// Number of values not included in the lines.
    pub more: usize,
}

/// One line of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueLine {
    /// The nesting depth.
    pub depth: u16,
    /// Its key, or a dash for an element of a list.
    pub key: String,
    /// Its text; empty if its children follow on more lines.
    pub value: String,
    /// The kind of value, which decides the colour.
    pub kind: NodeKind,
}

impl Values {
    /// Splits a value into lines: each member of an object and each element of a list on its own line.
    pub(super) fn from_node(node: Node<'_>) -> Self {
        let mut values = Self { node: Some(node.id()), ..Self::default() };
        if !matches!(node.kind(), NodeKind::Object | NodeKind::Array) || node.is_empty() {
            values.lines.push(line(node, 0, String::new()));
            return values;
        }
        let mut stack: Vec<(Node<'_>, u16)> = Vec::new();
        push_items(&mut stack, node, 0);
        while let Some((node, depth)) = stack.pop() {
            if values.lines.len() == MAX_VALUES {
                values.more = stack.len() + 1;
                break;
            }
            let key = node.key().map_or_else(|| "-".to_owned(), preview);
            values.lines.push(line(node, depth, key));
            push_items(&mut stack, node, depth + 1);
        }
        values
    }
}

fn push_items<'a>(stack: &mut Vec<(Node<'a>, u16)>, node: Node<'a>, depth: u16) {
    let first = stack.len();
    stack.extend(node.items().map(|item| (item, depth)));
    // `pop` takes the last one, and the first child must come first.
    stack[first..].reverse();
}

fn line(node: Node<'_>, depth: u16, key: String) -> ValueLine {
    let value = match node.kind() {
        NodeKind::Object if node.is_empty() => "{}".to_owned(),
        NodeKind::Array if node.is_empty() => "[]".to_owned(),
        NodeKind::Object | NodeKind::Array => String::new(),
        _ => preview(&json::text(node)),
    };
    ValueLine { depth, key, value, kind: node.kind() }
}
