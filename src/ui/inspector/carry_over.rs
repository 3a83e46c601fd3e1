//! Matches the values of two parses of one file, so that a tree keeps its unfolded values when the file changes.

use std::collections::{HashMap, HashSet};

use document::{Node, NodeId, NodeKind, Tree};

/// The tree state carried over to a new parse.
#[derive(Debug, Default)]
pub(super) struct CarriedState {
    /// The containers that are unfolded.
    pub(super) open: HashSet<NodeId>,
    /// The value with the cursor, if it is still there.
    pub(super) cursor: Option<NodeId>,
}

/// Carries unfolded values and the cursor over from one parse to the next. Only unfolded values are visited.
pub(super) fn carry_over(
    old_tree: &Tree,
    new_tree: &Tree,
    open: &HashSet<NodeId>,
    cursor: Option<NodeId>,
) -> CarriedState {
    let mut state = CarriedState::default();
    let mut pairs: Vec<(Node<'_>, Node<'_>)> =
        old_tree.root().zip(new_tree.root()).into_iter().collect();
    while let Some((old, new)) = pairs.pop() {
        if cursor == Some(old.id()) {
            state.cursor = Some(new.id());
        }
        // An empty value could not be unfolded; what the user has put into it should be visible.
        let was_leaf = old.is_empty() && !new.is_empty();
        if was_leaf || open.contains(&old.id()) {
            state.open.insert(new.id());
            pair_children(old, new, &mut pairs, &mut state.open);
        }
    }
    state
}

/// Pairs the children of a value before and after. New values are unfolded, since they were just created.
fn pair_children<'a>(
    old: Node<'a>,
    new: Node<'a>,
    pairs: &mut Vec<(Node<'a>, Node<'a>)>,
    open: &mut HashSet<NodeId>,
) {
    let old_items: Vec<_> = old.items().collect();
    let new_items: Vec<_> = new.items().collect();
    let (old_rest, new_rest) = match (old.kind(), new.kind()) {
        (NodeKind::Object, NodeKind::Object) => pair_by_key(&old_items, &new_items, pairs),
        _ => pair_by_text(&old_items, &new_items, pairs),
    };
    // The number is the same as before: the nodes were renamed or changed in place, in the same order.
    if old_rest.len() == new_rest.len() {
        pairs.extend(old_rest.into_iter().zip(new_rest));
    } else {
        open.extend(new_rest.iter().filter(|n| !n.is_empty()).map(|n| n.id()));
    }
}

type UnpairedNodes<'a> = (Vec<Node<'a>>, Vec<Node<'a>>);

/// Pairs members with the same key. Members left over on both sides were renamed.
fn pair_by_key<'a>(
    old: &[Node<'a>],
    new: &[Node<'a>],
    pairs: &mut Vec<(Node<'a>, Node<'a>)>,
) -> UnpairedNodes<'a> {
    let mut old_by_key: HashMap<_, _> = old.iter().map(|item| (item.key(), *item)).collect();
    let mut new_rest = Vec::new();
    for item in new {
        match old_by_key.remove(&item.key()) {
            Some(old_item) => pairs.push((old_item, *item)),
            None => new_rest.push(*item),
        }
    }
    // Of duplicate keys the map has only the last; the earlier ones are not followed.
    let is_unpaired =
        |item: &&Node<'a>| old_by_key.get(&item.key()).is_some_and(|node| node.id() == item.id());
    (old.iter().filter(is_unpaired).copied().collect(), new_rest)
}

/// Pairs elements with the same text, from both ends and then at any position.
fn pair_by_text<'a>(
    old: &[Node<'a>],
    new: &[Node<'a>],
    pairs: &mut Vec<(Node<'a>, Node<'a>)>,
) -> UnpairedNodes<'a> {
    let is_same = |(old, new): &(&Node<'a>, &Node<'a>)| old.raw() == new.raw();
    let start = old.iter().zip(new).take_while(is_same).count();
    let (old_after, new_after) = (&old[start..], &new[start..]);
    // An edit usually changes one place, so pairing from both ends finds nearly all elements.
    let end = old_after.iter().rev().zip(new_after.iter().rev()).take_while(is_same).count();
    let (old_middle, old_end) = old_after.split_at(old_after.len() - end);
    let (new_middle, new_end) = new_after.split_at(new_after.len() - end);
    pairs.extend(old[..start].iter().copied().zip(new[..start].iter().copied()));
    pairs.extend(old_end.iter().copied().zip(new_end.iter().copied()));
    let mut old_by_text: HashMap<&str, Vec<Node<'a>>> = HashMap::new();
    // Reversed, so that `pop` returns the first of equal elements.
    for item in old_middle.iter().rev() {
        old_by_text.entry(item.raw()).or_default().push(*item);
    }
    let mut new_rest = Vec::new();
    for item in new_middle {
        match old_by_text.get_mut(item.raw()).and_then(Vec::pop) {
            Some(old_item) => pairs.push((old_item, *item)),
            None => new_rest.push(*item),
        }
    }
    let rest: HashSet<NodeId> = old_by_text.values().flatten().map(|item| item.id()).collect();
    let is_unpaired = |item: &&Node<'a>| rest.contains(&item.id());
    (old_middle.iter().filter(is_unpaired).copied().collect(), new_rest)
}
