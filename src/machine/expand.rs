//! Moves nodes with a path as name into the nodes of the path.

use std::collections::HashMap;

use super::graph::parts;
use super::read::MAX_DEPTH;
use super::{Machine, MachineNode, SpannedText};
use document::text::Span;

/// Moves each node with a path as name to its place. Undeclared nodes of the path are created, with the type of the
/// node; duplicate declarations are merged, and the later one wins. Afterwards nodes are in the order of the text,
/// parents before children.
pub(super) fn expand(mut machine: Machine) -> Machine {
    let is_path = |node: &MachineNode| parts(&node.name.text).nth(1).is_some();
    if !machine.nodes.iter().any(is_path) {
        return machine;
    }
    let is_strict = machine.is_strict();
    let nodes = std::mem::take(&mut machine.nodes);
    let mut tree = NodeTree::new(nodes, is_strict);
    let declared_count = tree.slots.len();
    for at in 0..declared_count {
        tree.place(at);
    }
    let merged_into = tree.merged_into.clone();
    let (nodes, order) = tree.in_order();
    machine.nodes = nodes;
    for edge in &mut machine.edges {
        // The numbers of nodes changed twice: by merging, and by the new order.
        edge.inside = edge.inside.and_then(|inside| order[merged_into[inside]]);
    }
    machine
}

/// A node that is being moved to its place.
struct NodeSlot {
    node: Option<MachineNode>,
    parent: Option<usize>,
    depth: usize,
    /// Whether it was created for a path and is not declared.
    is_made: bool,
    /// Index of its declared node, or of the one it was created for.
    text_order: usize,
}

struct NodeTree {
    slots: Vec<NodeSlot>,
    /// For each declared node, its slot.
    merged_into: Vec<usize>,
    children: HashMap<(Option<usize>, Box<str>), usize>,
    is_strict: bool,
}

impl NodeTree {
    fn new(nodes: Vec<MachineNode>, is_strict: bool) -> Self {
        let mut tree = Self {
            merged_into: (0..nodes.len()).collect(),
            slots: Vec::with_capacity(nodes.len()),
            children: HashMap::new(),
            is_strict,
        };
        for (at, node) in nodes.into_iter().enumerate() {
            // The first of equal names stays, and later ones are merged into it.
            tree.children.entry((node.parent, node.name.text.clone())).or_insert(at);
            tree.slots.push(NodeSlot {
                parent: node.parent,
                depth: 0,
                is_made: false,
                text_order: at,
                node: Some(node),
            });
        }
        tree
    }

    /// Finds the place of a declared node whose parents are already placed.
    fn place(&mut self, at: usize) {
        let declared_parent = self.slots[at].parent;
        let mut parent = declared_parent.map(|parent| self.merged_into[parent]);
        let mut depth = parent.map_or(0, |parent| self.slots[parent].depth + 1);
        let Some(node) = &self.slots[at].node else { return };
        let (kind, span) = (node.kind.clone(), node.span);
        let mut path = path(&node.name);
        if depth + path.len() > MAX_DEPTH {
            // Too deep for nodes: the name stays one with dots.
            path = vec![node.name.clone()];
        }
        let is_moved = parent != declared_parent || path.len() > 1;
        let Some(leaf) = path.pop() else { return };
        for part in path {
            let way = self.walk_path(at, parent, part, span, depth);
            let slot = &mut self.slots[way];
            if let (Some(kind), Some(node)) = (&kind, &mut slot.node)
                && (slot.is_made || node.kind.is_none())
            {
                node.kind = Some(kind.clone());
            }
            (parent, depth) = (Some(way), depth + 1);
        }
        let slot = &mut self.slots[at];
        (slot.parent, slot.depth) = (parent, depth);
        if !is_moved {
            return;
        }
        let key = (parent, leaf.text.clone());
        match self.children.get(&key).copied() {
            Some(twin) if twin != at => self.merge(at, twin),
            _ => {
                self.children.insert(key, at);
                if let Some(node) = &mut self.slots[at].node {
                    node.name = leaf;
                }
            }
        }
    }

    /// Returns the node of a path, created if necessary.
    fn walk_path(
        &mut self,
        at: usize,
        parent: Option<usize>,
        name: SpannedText,
        span: Span,
        depth: usize,
    ) -> usize {
        let next = self.slots.len();
        let way = *self.children.entry((parent, name.text.clone())).or_insert(next);
        if way == next {
            self.slots.push(NodeSlot {
                node: Some(MachineNode {
                    kind: None,
                    qualified: name.text.clone(),
                    name,
                    title: None,
                    parent: None,
                    attributes: Vec::new(),
                    annotations: Vec::new(),
                    span,
                }),
                parent,
                depth,
                is_made: true,
                text_order: at,
            });
        }
        way
    }

    /// Merges a node into another one of the same name at the same place.
    fn merge(&mut self, at: usize, target: usize) {
        let (Some(new), Some(node)) = (self.slots[at].node.take(), &mut self.slots[target].node)
        else {
            return;
        };
        node.title = new.title.or(node.title.take());
        if !self.is_strict || node.kind.is_none() {
            node.kind = new.kind.or(node.kind.take());
        }
        for annotation in new.annotations {
            let mut annotations = node.annotations.iter();
            if annotations.all(|a| a.name.text != annotation.name.text) {
                node.annotations.push(annotation);
            }
        }
        for attribute in new.attributes {
            let mut attributes = node.attributes.iter_mut();
            match attributes.find(|a| a.name.text == attribute.name.text) {
                Some(old) => *old = attribute,
                None => node.attributes.push(attribute),
            }
        }
        self.merged_into[at] = target;
    }

    /// Returns the nodes, parents before children, and the index of the node of each slot.
    fn in_order(mut self) -> (Vec<MachineNode>, Vec<Option<usize>>) {
        let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        let indices = (0..self.slots.len()).filter(|at| self.slots[*at].node.is_some());
        let mut indices: Vec<usize> = indices.collect();
        indices.sort_by_key(|at| self.slots[*at].text_order);
        for at in indices {
            children.entry(self.slots[at].parent).or_default().push(at);
        }
        let mut nodes: Vec<MachineNode> = Vec::new();
        let mut order = vec![None; self.slots.len()];
        let mut stack: Vec<usize> = children.remove(&None).unwrap_or_default();
        // The stack returns the last one first.
        stack.reverse();
        while let Some(at) = stack.pop() {
            let Some(mut node) = self.slots[at].node.take() else { continue };
            node.parent = self.slots[at].parent.and_then(|parent| order[parent]);
            node.qualified = match node.parent {
                Some(parent) => format!("{}.{}", nodes[parent].qualified, node.name.text).into(),
                None => node.name.text.clone(),
            };
            order[at] = Some(nodes.len());
            nodes.push(node);
            stack.extend(children.remove(&Some(at)).unwrap_or_default().into_iter().rev());
        }
        (nodes, order)
    }
}

/// Splits a path into names with their places.
fn path(name: &SpannedText) -> Vec<SpannedText> {
    // From the end, because the span may begin with a `#` that the text lacks.
    let mut start = name.span.end as usize - name.text.len();
    let texts = parts(&name.text).map(|part| {
        let span = Span::new(start, start + part.len());
        start = span.end as usize + 1;
        SpannedText { text: part.into(), span }
    });
    texts.collect()
}
