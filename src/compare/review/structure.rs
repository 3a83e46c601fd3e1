//! Differences between two trees of values: structure, not lines.

use std::cell::OnceCell;

use foldhash::{HashMap, HashSet};

use super::align::{HashedList, align};
use super::similarity::Hashes;
use document::diff::Side;
use document::text::named_enum;
use document::{Node, NodeId, NodeKind, Syntax, Tree, json};

named_enum! {
    /// Kind of change of a value.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ChangeKind {
        /// Only the new take has it.
        Added = "added",
        /// Only the old take has it.
        Removed = "removed",
        /// Both have it, and it says something else.
        Changed = "changed",
        /// It is elsewhere in its list. Changes within it are reported separately.
        Moved = "moved",
    }

    /// Returns its name in JSON.
    pub fn as_str;
}

impl ChangeKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Added, Self::Removed, Self::Changed, Self::Moved];
}

/// A value that differs, with its places in both trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueDifference<'a> {
    pub(super) kind: ChangeKind,
    /// The value in the old and in the new tree.
    pub(super) nodes: [Option<Node<'a>>; 2],
    /// The list or object it is a part of in each; none for the root.
    pub(super) within: Option<[Node<'a>; 2]>,
}

impl<'a> ValueDifference<'a> {
    /// Returns the value: the new one, or the old one that is gone.
    pub(super) fn node(&self) -> Option<Node<'a>> {
        let [old, new] = self.nodes;
        new.or(old)
    }

    /// Returns its value on a side, and the one on the other side.
    pub(super) fn seen_from(&self, side: Side) -> [Option<Node<'a>>; 2] {
        [self.nodes[side as usize], self.nodes[side.other() as usize]]
    }
}

/// Returns all differences, in the order of the new tree; what is gone comes behind what its list or object still has.
///
/// The order of members, white space and the spelling of values are no differences.
pub(super) fn differences<'a>(old: &'a Tree, new: &'a Tree) -> Vec<ValueDifference<'a>> {
    let mut walk = DifferenceWalk::new([old, new], Default::default());
    walk.pair([old.root(), new.root()], None);
    walk.found
}

/// Returns the differences between two values, except for those in values of theirs that are `skipped`.
pub(super) fn differences_besides<'a>(
    nodes: [Node<'a>; 2],
    skipped: [HashSet<NodeId>; 2],
) -> Vec<ValueDifference<'a>> {
    let mut walk = DifferenceWalk::new(nodes.map(Node::tree), skipped);
    walk.pair(nodes.map(Some), None);
    walk.found
}

struct DifferenceWalk<'a> {
    trees: [&'a Tree; 2],
    /// The values of each that are not compared.
    skipped: [HashSet<NodeId>; 2],
    /// Made when the first two lists differ.
    hashes: [OnceCell<Hashes>; 2],
    found: Vec<ValueDifference<'a>>,
}

impl<'a> DifferenceWalk<'a> {
    fn new(trees: [&'a Tree; 2], skipped: [HashSet<NodeId>; 2]) -> Self {
        Self { trees, skipped, hashes: Default::default(), found: Vec::new() }
    }

    fn is_skipped(&self, nodes: [Option<Node<'a>>; 2]) -> bool {
        let mut sides = nodes.into_iter().zip(&self.skipped);
        sides.any(|(node, skipped)| node.is_some_and(|node| skipped.contains(&node.id())))
    }

    fn pair(&mut self, nodes: [Option<Node<'a>>; 2], within: Option<[Node<'a>; 2]>) {
        if self.is_skipped(nodes) {
            return;
        }
        let kind = match nodes {
            [Some(old), Some(new)] => match (old.kind(), new.kind()) {
                _ if is_written_alike(old, new) => return,
                (NodeKind::Object, NodeKind::Object) => {
                    return self.members([old, new], [old.members(), new.members()]);
                }
                (NodeKind::Array, NodeKind::Array) => return self.lists(old, new),
                _ if is_same_scalar(old, new) => return,
                _ => ChangeKind::Changed,
            },
            [None, Some(_)] => ChangeKind::Added,
            [Some(_), None] => ChangeKind::Removed,
            [None, None] => return,
        };
        self.found.push(ValueDifference { kind, nodes, within });
    }

    /// Compares the members of two objects.
    fn members(&mut self, within: [Node<'a>; 2], [old, new]: [Vec<(&'a str, Node<'a>)>; 2]) {
        let within = Some(within);
        let places: HashMap<&str, Node<'a>> = old.iter().copied().collect();
        let mut matched_count = 0;
        for &(key, node) in &new {
            let old_node = places.get(key).copied();
            matched_count += usize::from(old_node.is_some());
            self.pair([old_node, Some(node)], within);
        }
        // Most objects keep all of their members; only others need a second table.
        if matched_count == old.len() {
            return;
        }
        let new_nodes: HashMap<&str, Node<'a>> = new.iter().copied().collect();
        for (key, node) in old {
            if !new_nodes.contains_key(key) {
                self.pair([Some(node), None], within);
            }
        }
    }

    fn lists(&mut self, old: Node<'a>, new: Node<'a>) {
        let within = Some([old, new]);
        let list = |side: Side, list: Node<'a>| {
            let at = side as usize;
            let hashes = self.hashes[at].get_or_init(|| Hashes::new(self.trees[at]));
            HashedList { list, hashes }
        };
        let (first, second) = (list(Side::Left, old), list(Side::Right, new));
        let alignment = align(&first, &second);
        let (old, new): (Vec<_>, Vec<_>) = (old.items().collect(), new.items().collect());
        for (node, source) in new.into_iter().zip(alignment.sources) {
            let nodes = [source.map(|at| old[at]), Some(node)];
            if source.is_some_and(|at| alignment.moved[at]) && !self.is_skipped(nodes) {
                let kind = ChangeKind::Moved;
                self.found.push(ValueDifference { kind, nodes, within });
            }
            self.pair(nodes, within);
        }
        for (node, partner) in old.into_iter().zip(alignment.partners) {
            if partner.is_none() {
                self.pair([Some(node), None], within);
            }
        }
    }
}

/// Returns the pairs of elements of an old and a new list that are versions of each other, by their indices.
pub(super) fn partners(lists: [Node<'_>; 2]) -> Vec<[usize; 2]> {
    let hashes = lists.map(|list| Hashes::new(list.tree()));
    let [first, second] = [0, 1].map(|s| HashedList { list: lists[s], hashes: &hashes[s] });
    let partners = align(&first, &second).partners.into_iter().enumerate();
    partners.filter_map(|(at, partner)| Some([at, partner?])).collect()
}

fn is_written_alike(old: Node<'_>, new: Node<'_>) -> bool {
    let is_json = |node: Node<'_>| node.tree().syntax() == Syntax::Json;
    // In YAML the same text may be an alias whose target differs.
    is_json(old) && is_json(new) && old.raw() == new.raw()
}

/// Returns whether two scalar values are equal.
fn is_same_scalar(old: Node<'_>, new: Node<'_>) -> bool {
    if old.kind() != new.kind() {
        return false;
    }
    match old.kind() {
        NodeKind::Object | NodeKind::Array => false,
        NodeKind::Null => true,
        NodeKind::Bool => old.as_bool() == new.as_bool(),
        NodeKind::Number => is_same_number(old, new),
        NodeKind::String | NodeKind::Timestamp | NodeKind::Expression => {
            let text = old.scalar_text();
            // An unpaired surrogate is decoded as its escape, which is not the same as the text of that escape.
            let is_unclear = text.is_some_and(|text| text.contains("\\u"));
            text == new.scalar_text() && (!is_unclear || json::utf16(old) == json::utf16(new))
        }
    }
}

/// `1.0` is `1`; whole numbers are compared digit by digit, since no float holds them all.
fn is_same_number(old: Node<'_>, new: Node<'_>) -> bool {
    let [a, b] = [old, new].map(|node| node.scalar_text().unwrap_or_default());
    let is_whole = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let is_exact = is_whole(a) && is_whole(b);
    let is_same = old.as_f64().is_some_and(f64::is_finite) && old.as_f64() == new.as_f64();
    a == b || is_same && !is_exact
}
