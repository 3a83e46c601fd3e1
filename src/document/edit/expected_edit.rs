//! The expected values of a text after an edit, and their comparison with those that it has.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{EditRefusal, JsonValue};
use crate::text::quoted;
use crate::yaml::write;
use crate::{Node, NodeId, NodeKind, Syntax, Tree, json};

/// The expected effect of an edit on a tree.
pub(super) enum ExpectedEdit<'a> {
    /// This value becomes another one.
    Set(Node<'a>, JsonValue),
    /// These values, in the order of the text and none within another, become other ones.
    SetAll(Vec<(Node<'a>, JsonValue)>),
    /// A container gets a part before the one with this index, with this key if it is a mapping.
    Insert(Node<'a>, usize, Option<String>, JsonValue),
    Remove(Node<'a>),
    RemoveAll(RemovedValues<'a>),
    /// The member with this value gets another key.
    Rename(Node<'a>, String),
    /// This element gets another index.
    Move(Node<'a>, usize),
}

/// Several values to remove, in the order of the text and none within another.
pub(super) struct RemovedValues<'a> {
    nodes: Vec<Node<'a>>,
    /// Number of parts that each container loses.
    losses: BTreeMap<NodeId, usize>,
}

impl<'a> RemovedValues<'a> {
    pub(super) fn new(nodes: Vec<Node<'a>>) -> Self {
        let mut losses = BTreeMap::new();
        for container in nodes.iter().filter_map(|node| node.parent()) {
            *losses.entry(container.id()).or_default() += 1;
        }
        Self { nodes, losses }
    }
}

impl<'a> ExpectedEdit<'a> {
    pub(super) fn place(&self) -> Option<Node<'a>> {
        match self {
            Self::Set(node, _)
            | Self::Insert(node, ..)
            | Self::Remove(node)
            | Self::Rename(node, _)
            | Self::Move(node, _) => Some(*node),
            Self::SetAll(sets) => sets.first().map(|(node, _)| *node),
            Self::RemoveAll(removed) => removed.nodes.first().copied(),
        }
    }

    /// Returns the key that a value has afterwards.
    fn key_of<'k>(&'k self, node: Node<'k>) -> Option<&'k str> {
        match self {
            Self::Rename(renamed, key) if renamed.id() == node.id() => Some(key),
            _ => node.key(),
        }
    }

    /// Returns how many parts a container has afterwards.
    pub(super) fn len_of(&self, node: Node<'_>) -> usize {
        let is_around = |child: Node<'_>| child.parent().map(Node::id) == Some(node.id());
        match self {
            Self::Insert(container, ..) if container.id() == node.id() => node.len() + 1,
            Self::Remove(removed) if is_around(*removed) => node.len() - 1,
            Self::RemoveAll(removed) => {
                node.len() - removed.losses.get(&node.id()).copied().unwrap_or_default()
            }
            _ => node.len(),
        }
    }
}

/// The values that are expected afterwards, in the order of the text.
pub(super) struct ExpectedValues<'a> {
    pub(super) list: Vec<ExpectedValue<'a>>,
}

pub(super) enum ExpectedValue<'a> {
    /// The values at these positions of the tree before.
    Unchanged(Range<usize>),
    /// A new value.
    New {
        /// Its key if it is a member.
        key: Option<&'a str>,
        value: &'a JsonValue,
        /// The position of the value that it replaces: aliases of that one refer to it.
        replaces: Option<usize>,
    },
}

impl<'a> ExpectedValues<'a> {
    pub(super) fn new(tree: &Tree, outcome: &'a ExpectedEdit<'_>) -> Self {
        let all = 0..tree.len();
        let list = match outcome {
            ExpectedEdit::Set(node, value) => replaced_values(&[(*node, value)], all.end),
            ExpectedEdit::SetAll(sets) => {
                let sets: Vec<_> = sets.iter().map(|(node, value)| (*node, value)).collect();
                replaced_values(&sets, all.end)
            }
            ExpectedEdit::Insert(container, index, key, value) => {
                let next = container.items().nth(*index);
                // Positions count values in the order of the text, so an insertion divides them into two ranges.
                let at = next.map_or(container.positions().end, |next| next.positions().start);
                vec![
                    ExpectedValue::Unchanged(0..at),
                    ExpectedValue::New { key: key.as_deref(), value, replaces: None },
                    ExpectedValue::Unchanged(at..all.end),
                ]
            }
            ExpectedEdit::Remove(node) => {
                let positions = node.positions();
                vec![
                    ExpectedValue::Unchanged(0..positions.start),
                    ExpectedValue::Unchanged(positions.end..all.end),
                ]
            }
            ExpectedEdit::RemoveAll(removed) => {
                let mut list = Vec::with_capacity(removed.nodes.len() + 1);
                let mut from = 0;
                for positions in removed.nodes.iter().map(|node| node.positions()) {
                    list.push(ExpectedValue::Unchanged(from..positions.start));
                    from = positions.end;
                }
                list.push(ExpectedValue::Unchanged(from..all.end));
                list
            }
            ExpectedEdit::Rename(..) => vec![ExpectedValue::Unchanged(all)],
            ExpectedEdit::Move(node, to) => {
                let nodes = node.positions();
                let target = node.parent().and_then(|list| list.items().nth(*to));
                let target_positions = target.map_or(nodes.clone(), Node::positions);
                if target_positions.start < nodes.start {
                    vec![
                        ExpectedValue::Unchanged(0..target_positions.start),
                        ExpectedValue::Unchanged(nodes.clone()),
                        ExpectedValue::Unchanged(target_positions.start..nodes.start),
                        ExpectedValue::Unchanged(nodes.end..all.end),
                    ]
                } else {
                    vec![
                        ExpectedValue::Unchanged(0..nodes.start),
                        ExpectedValue::Unchanged(nodes.end..target_positions.end.max(nodes.end)),
                        ExpectedValue::Unchanged(nodes.clone()),
                        ExpectedValue::Unchanged(target_positions.end..all.end),
                    ]
                }
            }
        };
        Self { list }
    }

    /// Returns whether the value at a position is replaced.
    fn is_replaced(&self, position: usize) -> bool {
        let is_replacement = |piece: &ExpectedValue<'_>| matches!(piece, ExpectedValue::New { replaces, .. } if *replaces == Some(position));
        self.list.iter().any(is_replacement)
    }

    /// Returns the position afterwards of a value that was at `position`.
    fn position(&self, position: usize) -> Option<usize> {
        let mut new_position = 0;
        for piece in &self.list {
            match piece {
                ExpectedValue::Unchanged(range) if range.contains(&position) => {
                    return Some(new_position + position - range.start);
                }
                ExpectedValue::Unchanged(range) => new_position += range.len(),
                ExpectedValue::New { replaces, .. } if *replaces == Some(position) => {
                    return Some(new_position);
                }
                ExpectedValue::New { value, .. } => new_position += value.tree().len(),
            }
        }
        None
    }

    /// Checks that the target of an alias is not removed while the alias remains.
    pub(super) fn keep_aliases(&self, tree: &Tree) -> Result<(), EditRefusal> {
        if tree.syntax() == Syntax::Json {
            return Ok(());
        }
        for alias in tree.nodes() {
            let Some(target) = alias.alias_target() else { continue };
            let is_kept = |node: Node<'_>| self.position(node.positions().start).is_some();
            let is_replaced = self.is_replaced(alias.positions().start);
            if is_kept(alias) && !is_replaced && !is_kept(target) {
                let message = format!(
                    "The alias {} refers to a value that would be removed",
                    quoted(alias.raw())
                );
                return Err(EditRefusal::at(alias, message));
            }
        }
        Ok(())
    }

    /// Compares what was expected with what is there.
    pub(super) fn compare(
        &self,
        tree: &Tree,
        new: &Tree,
        outcome: &ExpectedEdit<'_>,
    ) -> Result<(), String> {
        let mut new_nodes = new.nodes();
        for piece in &self.list {
            match piece {
                ExpectedValue::Unchanged(range) => {
                    for old in tree.nodes_at(range.clone()) {
                        let is_same =
                            new_nodes.next().is_some_and(|node| self.is_same(outcome, old, node));
                        if !is_same {
                            return Err(would_change(old));
                        }
                    }
                }
                ExpectedValue::New { key, value, .. } => {
                    let root = value.root();
                    for part in value.tree().nodes() {
                        let key = if part.id() == root.id() { *key } else { part.key() };
                        let fits = |node: Node<'_>| node.key() == key && is_value(part, node);
                        if !new_nodes.next().is_some_and(fits) {
                            return Err("The value would be read as a different value".to_owned());
                        }
                    }
                }
            }
        }
        match new_nodes.next() {
            Some(extra) => Err(would_change(extra)),
            None => Ok(()),
        }
    }

    /// Returns true if a value that is to stay is the same.
    fn is_same(&self, outcome: &ExpectedEdit<'_>, old: Node<'_>, new: Node<'_>) -> bool {
        if new.key() != outcome.key_of(old) || new.is_merge() != old.is_merge() {
            return false;
        }
        match (old.alias_target(), new.alias_target()) {
            (Some(old_target), Some(target)) => {
                let expected = self.position(old_target.positions().start);
                old.raw() == new.raw() && expected == Some(target.positions().start)
            }
            (None, None) => {
                old.kind() == new.kind()
                    && outcome.len_of(old) == new.len()
                    && old.scalar_text() == new.scalar_text()
            }
            _ => false,
        }
    }
}

/// Returns what is expected where each of these values, in the order of the text, becomes another one.
fn replaced_values<'a>(sets: &[(Node<'a>, &'a JsonValue)], end: usize) -> Vec<ExpectedValue<'a>> {
    let mut list = Vec::with_capacity(2 * sets.len() + 1);
    let mut from = 0;
    for (node, value) in sets {
        let positions = node.positions();
        list.push(ExpectedValue::Unchanged(from..positions.start));
        list.push(ExpectedValue::New { key: node.key(), value, replaces: Some(positions.start) });
        from = positions.end;
    }
    list.push(ExpectedValue::Unchanged(from..end));
    list
}

fn would_change(node: Node<'_>) -> String {
    let pointer = node.pointer();
    let is_block = node.kind() == NodeKind::String && node.raw().starts_with(['|', '>']);
    let text_end = node.tree().source().text().len();
    match pointer.as_str() {
        "" => "The edit would also change other values".to_owned(),
        pointer if is_block && node.span().range().end == text_end => format!(
            "The text of {} ends at the end of the file without a line end, and would get one",
            quoted(pointer)
        ),
        pointer => format!("{} would change as well", quoted(pointer)),
    }
}

/// Returns whether a value in a document reads as this one.
pub fn has_value(node: Node<'_>, value: &JsonValue) -> bool {
    let nodes: Vec<Node<'_>> = node.tree().nodes_at(node.positions()).collect();
    let is_root = |part: Node<'_>| part.id() == value.root().id();
    nodes.len() == value.tree().len()
        && value
            .tree()
            .nodes()
            .zip(nodes)
            .all(|(part, node)| is_value(part, node) && (is_root(part) || part.key() == node.key()))
}

/// Returns true if `node` reads as the JSON value `goal`; what is inside a container is compared apart.
fn is_value(goal: Node<'_>, node: Node<'_>) -> bool {
    // JSON has no times.
    if node.kind() == NodeKind::Timestamp && node.tree().syntax() == Syntax::Toml {
        return goal.as_str() == Some(node.raw());
    }
    // A text such as `*name` must not be read as an alias, nor the key `<<` as a merge.
    if node.is_alias() || node.is_merge() || goal.kind() != node.kind() || goal.len() != node.len()
    {
        return false;
    }
    let syntax = node.tree().syntax();
    let is_json = syntax == Syntax::Json;
    match goal.kind() {
        NodeKind::Null
        | NodeKind::Array
        | NodeKind::Object
        | NodeKind::Timestamp
        | NodeKind::Expression => true,
        NodeKind::Bool => goal.as_bool() == node.as_bool(),
        NodeKind::Number if is_json || syntax == Syntax::Toml => goal.raw() == node.raw(),
        // In YAML, numbers are spelled so that PyYAML reads numbers.
        NodeKind::Number => write::number(goal.raw()) == node.raw(),
        // Half of a surrogate pair is decoded as the text of its escape, which another string may contain literally.
        NodeKind::String if is_json => json::utf16(goal) == json::utf16(node),
        NodeKind::String => goal.as_str() == node.as_str(),
    }
}
