//! The values of a file as rows of a tree: visible rows and cursor movement.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use document::text::visible;
use document::{Document, Node, NodeId, NodeKind, Syntax, Tree, json};

/// Trees with at most this many values are initially unfolded.
const MAX_UNFOLDED_VALUES: usize = 400;
/// Maximum bytes of a value in a row.
const MAX_VALUE_BYTES: usize = 300;

/// A tree of values: the unfolded values, the visible rows, and the cursor.
#[derive(Clone, Debug)]
pub struct ValueTree {
    pub document: Arc<Document>,
    open: HashSet<NodeId>,
    pub rows: Vec<ValueTreeRow>,
    pub cursor: usize,
}

/// One visible value. Its text is read from the document when it is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueTreeRow {
    pub node: NodeId,
    /// The nesting depth.
    pub depth: u16,
    pub fold: FoldState,
}

/// The fold state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldState {
    /// It has no children.
    Leaf,
    /// Its children are hidden.
    Closed,
    /// Its children follow.
    Open,
}

/// A key that moves the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorMove {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// Folds, or moves to the parent.
    Left,
    /// Unfolds, or moves to the first child.
    Right,
    /// To the first row.
    Start,
    /// To the last row.
    End,
}

impl ValueTree {
    /// Creates a tree that is fully unfolded if it is small, else with only the outermost values.
    pub fn new(document: Arc<Document>) -> Self {
        let is_small = document.tree.len() <= MAX_UNFOLDED_VALUES;
        let mut tree = Self { document, open: HashSet::new(), rows: Vec::new(), cursor: 0 };
        tree.fold_all(!is_small);
        tree
    }

    /// Returns the tree for a new parse of the same file. Unfolded values stay unfolded, and the cursor stays on its
    /// value, or on its row if the value is gone.
    pub fn carry_over(self, document: Arc<Document>) -> Self {
        let cursor = self.selected().map(Node::id);
        let state = carry_over(&self.document.tree, &document.tree, &self.open, cursor);
        let mut tree = Self { document, open: state.open, rows: Vec::new(), cursor: 0 };
        tree.rebuild();
        tree.set_cursor(state.cursor.and_then(|node| tree.row_of(node)).unwrap_or(self.cursor));
        tree
    }

    /// Moves the cursor to the value at a pointer and unfolds its parents. Returns false if there is none.
    pub fn reveal(&mut self, pointer: &str) -> bool {
        let Some(node) = self.document.tree.at_pointer(pointer) else { return false };
        let ancestors: Vec<NodeId> =
            std::iter::successors(node.parent(), |node| node.parent()).map(Node::id).collect();
        let id = node.id();
        self.open.extend(ancestors);
        self.rebuild();
        let row = self.row_of(id);
        self.set_cursor(row.unwrap_or(self.cursor));
        row.is_some()
    }

    fn row_of(&self, node: NodeId) -> Option<usize> {
        self.rows.iter().position(|row| row.node == node)
    }

    /// Moves the cursor to a row.
    pub fn set_cursor(&mut self, row: usize) {
        self.cursor = row.min(self.rows.len().saturating_sub(1));
    }

    /// Returns the value at the cursor.
    pub fn selected(&self) -> Option<Node<'_>> {
        Some(self.document.node(self.rows.get(self.cursor)?.node))
    }

    /// Folds or unfolds a row.
    pub fn toggle(&mut self, row: usize) {
        let Some(&ValueTreeRow { node, fold, .. }) = self.rows.get(row) else { return };
        match fold {
            FoldState::Leaf => return,
            FoldState::Closed => self.open.insert(node),
            FoldState::Open => self.open.remove(&node),
        };
        self.rebuild();
    }

    /// Folds all values but the outermost, or unfolds every value.
    pub fn fold_all(&mut self, is_folded: bool) {
        let tree = &self.document.tree;
        self.open = if is_folded {
            tree.root().into_iter().map(Node::id).collect()
        } else {
            // Aliases stay folded: their values are already shown at the anchor, and nested aliases would multiply them.
            let containers = tree.nodes().filter(|node| !node.is_alias() && !node.is_empty());
            containers.map(Node::id).collect()
        };
        self.rebuild();
        // The cursor may have been on a row that is folded now.
        self.set_cursor(self.cursor);
    }

    /// Moves the cursor, folding and unfolding as usual in tree views.
    pub fn step(&mut self, step: CursorMove) {
        let Some(row) = self.rows.get(self.cursor).copied() else { return };
        match (step, row.fold) {
            (CursorMove::Up, _) => self.set_cursor(self.cursor.saturating_sub(1)),
            (CursorMove::Down, _) => self.set_cursor(self.cursor + 1),
            (CursorMove::Start, _) => self.set_cursor(0),
            (CursorMove::End, _) => self.set_cursor(usize::MAX),
            (CursorMove::Left, FoldState::Open) | (CursorMove::Right, FoldState::Closed) => {
                self.toggle(self.cursor);
            }
            (CursorMove::Right, FoldState::Open) => self.set_cursor(self.cursor + 1),
            (CursorMove::Right, FoldState::Leaf) => {}
            (CursorMove::Left, _) => {
                let rows_above = self.rows[..self.cursor].iter();
                let parent = rows_above.clone().rposition(|other| other.depth < row.depth);
                self.set_cursor(parent.unwrap_or(self.cursor));
            }
        }
    }

    fn rebuild(&mut self) {
        self.rows.clear();
        let mut stack: Vec<(Node<'_>, u16)> = Vec::new();
        stack.extend(self.document.tree.root().map(|root| (root, 0)));
        while let Some((node, depth)) = stack.pop() {
            let fold = match (node.is_empty(), self.open.contains(&node.id())) {
                (true, _) => FoldState::Leaf,
                (false, false) => FoldState::Closed,
                (false, true) => FoldState::Open,
            };
            self.rows.push(ValueTreeRow { node: node.id(), depth, fold });
            if fold == FoldState::Open {
                let first = stack.len();
                stack.extend(node.items().map(|item| (item, depth.saturating_add(1))));
                // `pop` takes the last one, and the first child must come first.
                stack[first..].reverse();
            }
        }
    }
}

/// Returns the text before a row's value: its key, or its number in a list.
pub(super) fn row_key(node: Node<'_>) -> String {
    match node.key() {
        Some(key) => visible(truncate(key, MAX_VALUE_BYTES)).into_owned(),
        None => match node.pointer().rsplit_once('/') {
            Some((_, index)) => index.to_owned(),
            None => String::new(),
        },
    }
}

/// Returns the text of a row's value: that of a scalar, shortened, in quotes unless the file has it without; or the number of its
/// children.
pub(super) fn row_value(node: Node<'_>) -> String {
    match node.kind() {
        NodeKind::Object | NodeKind::Array if node.is_alias() => visible(node.raw()).into_owned(),
        NodeKind::Object => match node.len() {
            0 => "{}".to_owned(),
            1 => "{ 1 member }".to_owned(),
            count => format!("{{ {count} members }}"),
        },
        NodeKind::Array => match node.len() {
            0 => "[]".to_owned(),
            1 => "[ 1 element ]".to_owned(),
            count => format!("[ {count} elements ]"),
        },
        NodeKind::String
            // The source of such a text may be a block of several lines with the indentation of its place.
            if node.tree().syntax() != Syntax::Json && node.as_str() != Some(node.raw()) =>
        {
            let text = node.as_str().unwrap_or_default();
            // Cut before it is quoted, since a text may have megabytes.
            shortened(&json::quote(truncate(text, MAX_VALUE_BYTES)), text.len() > MAX_VALUE_BYTES)
        }
        NodeKind::String => shortened(node.raw(), false),
        _ => shortened(node.scalar_text().unwrap_or_default(), false),
    }
}

fn shortened(text: &str, is_cut: bool) -> String {
    let beginning = truncate(text, MAX_VALUE_BYTES);
    let dots = if is_cut || beginning.len() < text.len() { " …" } else { "" };
    format!("{}{dots}", visible(beginning))
}

fn truncate(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;

    fn picture(tree: &ValueTree) -> String {
        let line = |(index, row): (usize, &ValueTreeRow)| {
            let node = tree.document.node(row.node);
            let cursor = if index == tree.cursor { ">" } else { " " };
            let indent = "  ".repeat(row.depth.into());
            format!("{cursor}{indent}{} {}\n", row_key(node), row_value(node))
        };
        tree.rows.iter().enumerate().map(line).collect()
    }

    #[test]
    fn texts_of_yaml_are_shown_as_they_read() {
        let text =
            "a: |-\n  one\n  two\nb: 'it''s'\nc: >-\n  three\n  four\nd: plain\ne: 0x1F\nf: ~\n";
        let document = document::read(Source::new(text), "a.yaml");
        let rows: Vec<String> = document.tree.nodes().map(row_value).collect();
        insta::assert_snapshot!(rows.join("\n"), @r#"
        { 6 members }
        "one\ntwo"
        "it's"
        "three four"
        plain
        0x1F
        ~
        "#);
    }

    #[test]
    fn unfolded_values_and_the_cursor_are_kept_across_edits() {
        let source = |text: &str| Arc::new(document::read(Source::new(text), "a.json"));
        let mut tree =
            ValueTree::new(source(r#"{"a": [{"n": 1}, {"n": 2}, {"n": 3}], "b": null}"#));
        // Moves the cursor to the second element and folds the third.
        tree.reveal("/a/2");
        tree.toggle(tree.cursor);
        tree.reveal("/a/1");
        let new_text = r#"{"a": [{"n": 0}, {"n": 2}, {"n": 1}, {"n": 3}], "c": [4]}"#;
        let tree = tree.carry_over(source(new_text));
        insta::assert_snapshot!(picture(&tree), @"
          { 2 members }
           a [ 4 elements ]
             0 { 1 member }
               n 0
        >    1 { 1 member }
               n 2
             2 { 1 member }
               n 1
             3 { 1 member }
           c [ 1 element ]
             0 4
        ");
        let tree = tree.carry_over(source(r#"{"a": [{"n": 0}], "c": [4]}"#));
        insta::assert_snapshot!(picture(&tree), @"
          { 2 members }
           a [ 1 element ]
             0 { 1 member }
               n 0
        >  c [ 1 element ]
             0 4
        ");
    }

    fn tree(text: &str) -> ValueTree {
        let source = Source::new(text);
        ValueTree::new(Arc::new(document::read(source, "a.json")))
    }

    #[test]
    fn arrows_fold_unfold_and_walk_as_in_any_tree() {
        let mut tree = tree(r#"{"a": {"b": [1, "\u202e"]}, "c": null}"#);
        insta::assert_snapshot!(picture(&tree), @r#"
        > { 2 members }
           a { 1 member }
             b [ 2 elements ]
               0 1
               1 "\u202e"
           c null
        "#);
        for step in [CursorMove::Down, CursorMove::Down, CursorMove::Left, CursorMove::Left] {
            tree.step(step);
        }
        insta::assert_snapshot!(picture(&tree), @r#"
          { 2 members }
        >  a { 1 member }
             b [ 2 elements ]
           c null
        "#);
        tree.step(CursorMove::Left);
        tree.step(CursorMove::End);
        insta::assert_snapshot!(picture(&tree), @r#"
          { 2 members }
           a { 1 member }
        >  c null
        "#);
    }
}
