//! Finds attributes whose values name nodes, which DyGram treats as edges.

use std::collections::HashMap;

use super::graph::{GraphNodeId, MAX_PARTS};
use super::token::Arrow;
use super::{Attribute, Edge, Graph, MachineNode, SpannedText};

/// Types of attributes whose values are never nodes, in lower case.
const PRIMITIVES: [&str; 8] =
    ["string", "number", "boolean", "float", "double", "integer", "int", "decimal"];

/// The names by which values refer to nodes: simple and qualified. Of several nodes with one name, the last one.
pub(super) struct NodeNames<'g> {
    ids: HashMap<&'g str, GraphNodeId>,
    /// Length of the longest name in bytes.
    longest: usize,
}

impl<'g> NodeNames<'g> {
    pub(super) fn new(graph: &'g Graph<'_>) -> Self {
        let count =
            if graph.machine.is_strict() { graph.machine.nodes.len() } else { graph.ids().len() };
        let mut ids = HashMap::new();
        for id in 0..count {
            ids.insert(graph.name(id), id);
            ids.insert(graph.qualified(id), id);
        }
        let longest = ids.keys().map(|name| name.len()).max().unwrap_or(0);
        Self { ids, longest }
    }

    /// Returns the node that an attribute names.
    pub(super) fn named_by(
        &self,
        node: &MachineNode,
        attribute: &Attribute,
    ) -> Option<GraphNodeId> {
        let kind = attribute.kind.as_ref().map(|kind| kind.text.to_lowercase());
        let is_primitive = kind.is_some_and(|kind| PRIMITIVES.contains(&&*kind));
        let may_name = !is_primitive && !node.is_a("style") && !node.is_a("note");
        self.named(attribute.value.as_ref().filter(|_| may_name)?.named()?)
    }

    /// Returns the node at the longest prefix of a text, up to a dot, that is a name.
    fn named(&self, text: &str) -> Option<GraphNodeId> {
        let line = text.trim();
        let text = line.strip_suffix(';').unwrap_or(line);
        let ends = text.match_indices('.').map(|(at, _)| at).chain([text.len()]).take(MAX_PARTS);
        let parts = ends.take_while(|end| *end <= self.longest);
        parts.filter_map(|end| self.ids.get(&text[..end]).copied()).last()
    }
}

impl Edge {
    /// Creates the edge that an attribute implies between two nodes, given by their qualified names.
    pub(super) fn implied(source: &str, target: &str, attribute: &Attribute) -> Self {
        let name = |name: &str| SpannedText { text: name.into(), span: attribute.span };
        Self {
            sources: vec![name(source)],
            targets: vec![name(target)],
            arrow: Arrow::Thin,
            label: Some(attribute.name.clone()),
            attributes: Vec::new(),
            annotations: Vec::new(),
            source_count: None,
            target_count: None,
            inside: None,
            span: attribute.span,
        }
    }
}
