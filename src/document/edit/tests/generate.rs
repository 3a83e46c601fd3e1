//! Documents in every style, and edits of them.

use proptest::prelude::*;
use serde_json::Value;

use crate::edit::Edit;
use crate::{Node, NodeKind, Tree};

/// Decides how a value is written, one byte for each choice. After the last byte it starts again.
pub(super) struct Choices<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Choices<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        self.at += 1;
        let byte = self.bytes.get((self.at - 1) % self.bytes.len().max(1));
        usize::from(byte.copied().unwrap_or_default()) % count
    }

    pub(super) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Returns true with a probability of one in this number.
    pub(super) fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }
}

pub(super) fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 1..120)
}

/// Texts that are read otherwise by one reader or another, or that look like something else.
pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,8}( [a-z]{1,8}){0,3}",
        2 => prop::sample::select(super::yaml::TRICKY_TEXTS).prop_map(str::to_owned),
        1 => "[a-z]{1,6}\n(  ?[a-z]{1,6}\n){0,3}\n?",
        1 => "[ -~\\n\\té😀]{0,16}",
        1 => any::<String>(),
    ]
}

pub(super) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        2 => any::<i32>().prop_map(Value::from),
        1 => any::<i16>().prop_map(|quarters| Value::from(f64::from(quarters) / 4.0)),
        4 => text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |value| {
        prop_oneof![
            prop::collection::vec(value.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-zé][a-z0-9 ]{0,5}x", value, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A random edit of some value of a document.
#[derive(Clone, Debug)]
pub(super) struct EditRequest {
    operation: u8,
    node: prop::sample::Index,
    to: prop::sample::Index,
    pub(super) value: Value,
}

pub(super) fn edit_request() -> impl Strategy<Value = EditRequest> {
    let parts = (any::<u8>(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), value());
    parts.prop_map(|(operation, node, to, value)| EditRequest { operation, node, to, value })
}

impl EditRequest {
    /// Returns the request as an edit of this document, if it is possible for the selected value.
    pub(super) fn edit(&self, tree: &Tree) -> Option<Edit> {
        let node = tree.nodes().nth(self.node.index(tree.len()))?;
        let pointer = node.pointer();
        let json = self.value.to_string();
        let value = || crate::edit::JsonValue::parse(&json).unwrap();
        let list = node.parent().filter(|parent| parent.kind() == NodeKind::Array);
        Some(match (self.operation % 6, node.kind(), node.parent()) {
            (1, NodeKind::Array, _) => Edit::Insert {
                pointer: format!("{pointer}/{}", self.to.index(node.len() + 1)),
                value: value(),
            },
            (1, NodeKind::Object, _) => {
                let (pointer, value) = (format!("{pointer}/new key"), value());
                let next_member = node.items().nth(self.to.index(node.len() + 1));
                match next_member.and_then(Node::key) {
                    Some(next_member) => {
                        Edit::InsertBefore { pointer, before: next_member.to_owned(), value }
                    }
                    None => Edit::Insert { pointer, value },
                }
            }
            (2, _, Some(_)) => Edit::Remove { pointer },
            (3, _, Some(parent)) if parent.kind() == NodeKind::Object => Edit::Rename {
                pointer,
                key: self.value.as_str().unwrap_or("other: key").to_owned(),
            },
            (4, ..) if list.is_some() => Edit::Move { pointer, to: self.to.index(list?.len()) },
            (0 | 5, ..) => Edit::Set { pointer, value: value() },
            _ => return None,
        })
    }
}

/// Returns an edit in a few words, for a test that fails.
pub(super) fn describe(edit: &Edit) -> String {
    let pointer = edit.pointer();
    match edit {
        Edit::Set { value, .. } => format!("set {pointer:?} to {}", value.json()),
        Edit::Insert { value, .. } => format!("insert {pointer:?} as {}", value.json()),
        Edit::InsertBefore { before, value, .. } => {
            format!("insert {pointer:?} before {before:?} as {}", value.json())
        }
        Edit::Remove { .. } => format!("remove {pointer:?}"),
        Edit::Rename { key, .. } => format!("rename {pointer:?} to {key:?}"),
        Edit::Move { to, .. } => format!("move {pointer:?} to {to}"),
    }
}

/// Makes the same edit on a value of another reader, to compare.
pub(super) fn apply(value: &mut Value, edit: &Edit) -> Option<()> {
    let (parent, last) = match edit.pointer().rsplit_once('/') {
        Some((parent, last)) => (parent, last.replace("~1", "/").replace("~0", "~")),
        None => ("", String::new()),
    };
    let json = |value: &crate::edit::JsonValue| serde_json::from_str::<Value>(value.json()).ok();
    if let Edit::Set { pointer, value: new } = edit {
        *value.pointer_mut(pointer)? = json(new)?;
        return Some(());
    }
    match (value.pointer_mut(parent)?, edit) {
        (Value::Array(list), Edit::Insert { value, .. }) => {
            list.insert(last.parse().ok()?, json(value)?);
        }
        (Value::Array(list), Edit::Remove { .. }) => drop(list.remove(last.parse().ok()?)),
        (Value::Array(list), Edit::Move { to, .. }) => {
            let element = list.remove(last.parse().ok()?);
            list.insert(*to, element);
        }
        (Value::Object(map), Edit::Insert { value, .. } | Edit::InsertBefore { value, .. }) => {
            drop(map.insert(last, json(value)?));
        }
        (Value::Object(map), Edit::Remove { .. }) => drop(map.remove(&last)?),
        (Value::Object(map), Edit::Rename { key, .. }) => {
            let member = map.remove(&last)?;
            map.insert(key.clone(), member);
        }
        _ => return None,
    }
    Some(())
}
