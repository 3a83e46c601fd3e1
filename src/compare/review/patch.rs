//! Copies single places from one take to the other; every other byte stays unchanged.

use super::old_ids::OldIds;
use super::structure::{ChangeKind, ValueDifference, differences, partners};
use document::diff::Side;
use document::edit::{Edit, EditRefusal, JsonValue, plan_all, read_again};
use document::text::TextEdit;
use document::{Node, NodeKind, Syntax, Tree, member_pointer};

/// Returns the text of the tree on the `base` side, with these differences as they are on the other side, but with the old ids.
///
/// # Errors
///
/// The first place that cannot be changed without changing others.
pub(super) fn patch(
    base_tree: &Tree,
    differences: &[&ValueDifference<'_>],
    base: Side,
    ids: &OldIds,
) -> Result<String, EditRefusal> {
    let value = |node: Node<'_>| ids.in_value(&JsonValue::from_node(node));
    let mut text = base_tree.source().text().to_owned();
    let mut later = Vec::new();
    let mut scalars = Vec::new();
    for difference in differences {
        let [Some(here), Some(there)] = difference.seen_from(base) else { continue };
        match difference.kind {
            ChangeKind::Changed if is_copied(here) && is_copied(there) => {
                let new = value(there).json().to_owned();
                scalars.push(TextEdit { range: here.span().range(), new });
            }
            ChangeKind::Changed => {
                later.push(Edit::Set { pointer: here.pointer(), value: value(there) });
            }
            ChangeKind::Added | ChangeKind::Removed | ChangeKind::Moved => {}
        }
    }
    // From the end, so that the ranges in front stay valid.
    scalars.sort_by_key(|edit| std::cmp::Reverse(edit.range.start));
    for edit in scalars {
        edit.apply(&mut text);
    }
    let places = EditPlaces { base, pointer: &|node| node.pointer(), value: &value };
    later.extend(structural_edits(differences, &places));
    // The spans of `base_tree` are no longer those of `text`, but its pointers are.
    if let Some(edit) = plan_all(&read_again(base_tree, &text), &later)? {
        edit.apply(&mut text);
    }
    Ok(text)
}

/// Pointers of the values of a tree, and the values that are written from another one: those of a body that is in a text have
/// longer pointers than in their own tree.
pub(super) struct EditPlaces<'f> {
    /// The side that is changed.
    pub(super) base: Side,
    pub(super) pointer: &'f dyn Fn(Node<'_>) -> String,
    pub(super) value: &'f dyn Fn(Node<'_>) -> JsonValue,
}

/// Returns the edits that change these differences of the base to what the other side has.
pub(super) fn edits(differences: &[&ValueDifference<'_>], places: &EditPlaces<'_>) -> Vec<Edit> {
    let set = |difference: &&ValueDifference<'_>| {
        let [Some(here), Some(there)] = difference.seen_from(places.base) else { return None };
        (difference.kind == ChangeKind::Changed)
            .then(|| Edit::Set { pointer: (places.pointer)(here), value: (places.value)(there) })
    };
    let mut edits: Vec<Edit> = differences.iter().filter_map(set).collect();
    edits.extend(structural_edits(differences, places));
    edits
}

/// Returns the edits that make JSON equal to another one in the parts in which they differ. `pointer` is the place of the old JSON in its file.
pub fn value_edits(old: &Tree, new: &Tree, pointer: &str) -> Vec<Edit> {
    let differences = differences(old, new);
    let places = EditPlaces {
        base: Side::Left,
        pointer: &|node| format!("{pointer}{}", node.pointer()),
        value: &JsonValue::from_node,
    };
    edits(&differences.iter().collect::<Vec<_>>(), &places)
}

/// Returns true if a value's bytes can replace those of another.
fn is_copied(node: Node<'_>) -> bool {
    let is_container = matches!(node.kind(), NodeKind::Array | NodeKind::Object);
    node.tree().syntax() == Syntax::Json && !is_container
}

/// The edits of what came, went and moved: the deepest first, so that the pointers of what is around them stay true.
fn structural_edits(diffs: &[&ValueDifference<'_>], places: &EditPlaces<'_>) -> Vec<Edit> {
    let base = places.base as usize;
    let mut within: Vec<[Node<'_>; 2]> = Vec::new();
    for difference in diffs {
        let is_known = |pair: &[Node<'_>; 2]| within.iter().any(|n| n[0].id() == pair[0].id());
        if difference.kind == ChangeKind::Changed {
            continue;
        }
        if let Some(nodes) = difference.within.filter(|nodes| !is_known(nodes)) {
            within.push(nodes);
        }
    }
    let depth = |node: Node<'_>| node.ancestors().count();
    within.sort_by_key(|nodes| std::cmp::Reverse(depth(nodes[base])));
    let edits = within.into_iter().flat_map(|container| {
        let inside = |difference: &&&ValueDifference<'_>| {
            difference.within.is_some_and(|nodes| nodes[0].id() == container[0].id())
        };
        let inside: Vec<&ValueDifference<'_>> = diffs.iter().filter(inside).copied().collect();
        match container[base].kind() {
            NodeKind::Array => ListReorder::new(container, places).edits(&inside),
            _ => member_edits(container[base], &inside, places),
        }
    });
    edits.collect()
}

/// Returns the edits of an object's members.
fn member_edits(
    object: Node<'_>,
    differences: &[&ValueDifference<'_>],
    places: &EditPlaces<'_>,
) -> Vec<Edit> {
    let edit = |difference: &&ValueDifference<'_>| match difference.seen_from(places.base) {
        [Some(here), None] => Some(Edit::Remove { pointer: (places.pointer)(here) }),
        [None, Some(node)] => {
            let key = node.key().unwrap_or_default();
            let pointer = member_pointer(&inner_pointer(object, places), key);
            let value = (places.value)(node);
            // The member is inserted where it is among the others.
            let siblings = node.parent().into_iter().flat_map(Node::items);
            let mut later_keys = siblings.skip(node.index() + 1).filter_map(Node::key);
            Some(match later_keys.find(|key| object.get(key).is_some()) {
                Some(anchor) => Edit::InsertBefore { pointer, before: anchor.to_owned(), value },
                None => Edit::Insert { pointer, value },
            })
        }
        _ => None,
    };
    differences.iter().filter_map(edit).collect()
}

/// Returns the pointer that those of the parts of a list or an object begin with. Of what is in a text that ends with `#`.
fn inner_pointer(container: Node<'_>, places: &EditPlaces<'_>) -> String {
    match container.items().next() {
        Some(first) => {
            let mut pointer = (places.pointer)(first);
            pointer.truncate(pointer.rfind('/').unwrap_or_default());
            pointer
        }
        None => (places.pointer)(container),
    }
}

/// An element of the merged list: one of the base, or one that only the other list has, by its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Base(usize),
    Other(usize),
}

/// A list that is brought into another order.
struct ListReorder<'a, 'f> {
    places: &'f EditPlaces<'f>,
    pointer: String,
    /// The elements of the list now.
    row: Vec<Element>,
    /// The elements of the other list as elements of this one.
    others: Vec<Element>,
    within: [Node<'a>; 2],
}

impl<'a, 'f> ListReorder<'a, 'f> {
    fn new(within: [Node<'a>; 2], places: &'f EditPlaces<'f>) -> Self {
        let list = within[places.base as usize];
        Self {
            places,
            pointer: inner_pointer(list, places),
            row: (0..list.len()).map(Element::Base).collect(),
            others: Vec::new(),
            within,
        }
    }

    fn edits(mut self, differences: &[&ValueDifference<'_>]) -> Vec<Edit> {
        self.others = self.partners();
        let mut edits = Vec::new();
        let mut nodes = Vec::new();
        for difference in differences {
            match difference.seen_from(self.places.base) {
                [Some(here), None] => edits.push(self.remove(here.index())),
                [here, Some(node)] if here.is_none() || difference.kind == ChangeKind::Moved => {
                    nodes.push(node);
                }
                _ => {}
            }
        }
        nodes.sort_by_key(|node| node.index());
        // An element that moves is nowhere until its turn comes, so nothing is placed behind it.
        let mut waiting: Vec<Element> = nodes.iter().map(|p| self.others[p.index()]).collect();
        for node in nodes {
            edits.extend(self.place(waiting.remove(0), node, &waiting));
        }
        edits
    }

    /// Returns what the elements of the other list are in this one.
    fn partners(&self) -> Vec<Element> {
        let (base, other) = (self.places.base as usize, self.places.base.other() as usize);
        let mut others: Vec<_> = (0..self.within[other].len()).map(Element::Other).collect();
        for pair in partners(self.within) {
            others[pair[other]] = Element::Base(pair[base]);
        }
        others
    }

    fn remove(&mut self, index: usize) -> Edit {
        let at = self.place_of(Element::Base(index)).unwrap_or(index);
        self.row.remove(at);
        Edit::Remove { pointer: format!("{}/{at}", self.pointer) }
    }

    fn place_of(&self, element: Element) -> Option<usize> {
        self.row.iter().position(|member| *member == element)
    }

    /// Moves an element after the nearest preceding element of the other list that is already in place.
    fn place(&mut self, element: Element, node: Node<'_>, waiting: &[Element]) -> Option<Edit> {
        let from = self.place_of(element);
        if let Some(from) = from {
            self.row.remove(from);
        }
        let others = self.others[..node.index()].iter().rev();
        let mut places = others.filter(|place| !waiting.contains(place));
        let to = places.find_map(|place| Some(self.place_of(*place)? + 1)).unwrap_or(0);
        self.row.insert(to, element);
        match from {
            Some(from) if from == to => None,
            Some(from) => Some(Edit::Move { pointer: format!("{}/{from}", self.pointer), to }),
            None => Some(Edit::Insert {
                pointer: format!("{}/{to}", self.pointer),
                value: (self.places.value)(node),
            }),
        }
    }
}
