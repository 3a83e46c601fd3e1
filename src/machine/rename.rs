//! Pairs the nodes of two machines, also if they were renamed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Edge, Graph, GraphNodeId, MachineNode};

/// The paired nodes of two machines.
pub(super) struct NodePairs {
    /// For each old node, the current one.
    pub(super) now: Vec<Option<GraphNodeId>>,
    /// For each current node, the old one.
    pub(super) then: Vec<Option<GraphNodeId>>,
}

impl NodePairs {
    /// Pairs nodes by qualified name in order; then the rest by simple name, and by edges and content: equal in both,
    /// then in one of them. For edges and content, only unique matches are paired.
    pub(super) fn new(then: &Graph<'_>, now: &Graph<'_>) -> Self {
        let mut pairs =
            Self { now: vec![None; then.ids().len()], then: vec![None; now.ids().len()] };
        let graphs = [then, now];
        // From more evidence to less: each step sees only what is still free.
        pairs.pair_by(PairingKey::Name, graphs, |_, graph, id| Some(hash_of(graph.qualified(id))));
        pairs.pair_by(PairingKey::Content, graphs, |_, graph, id| Some(hash_of(graph.name(id))));
        // Only the names of pairs that are known: other neighbours may have been renamed, too.
        let names = [NameIndex::new(then, &pairs.now), NameIndex::new(now, &pairs.then)];
        pairs.pair_by(PairingKey::Content, graphs, |side, graph, id| {
            let node = graph.node(id)?;
            let (edges, node_content) = (names[side].edges(graph, id), content(node));
            (edges.is_some() || node_content.is_some())
                .then(|| hash_of(&(edges, node_content, kind(node))))
        });
        pairs.pair_by(PairingKey::Content, graphs, |side, graph, id| {
            Some(hash_of(&(names[side].edges(graph, id)?, kind(graph.node(id)?))))
        });
        pairs.pair_by(PairingKey::Content, graphs, |_, graph, id| {
            let node = graph.node(id)?;
            content(node).map(|c| hash_of(&(c, kind(node))))
        });
        pairs
    }

    /// Pairs unpaired nodes with the same key.
    fn pair_by(
        &mut self,
        rule: PairingKey,
        graphs: [&Graph<'_>; 2],
        key: impl Fn(usize, &Graph<'_>, GraphNodeId) -> Option<u64>,
    ) {
        let mut groups: HashMap<u64, [Vec<GraphNodeId>; 2]> = HashMap::new();
        for (side, graph) in graphs.into_iter().enumerate() {
            let partners = [&self.now, &self.then][side];
            for id in graph.ids().filter(|id| partners[*id].is_none()) {
                if let Some(key) = key(side, graph, id) {
                    groups.entry(key).or_default()[side].push(id);
                }
            }
        }
        for [then, now] in groups.into_values() {
            if rule == PairingKey::Name || then.len() == 1 && now.len() == 1 {
                for (then, now) in std::iter::zip(then, now) {
                    self.now[then] = Some(now);
                    self.then[now] = Some(then);
                }
            }
        }
    }
}

/// Rule by which nodes with equal keys are paired.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PairingKey {
    /// By name: several with one name are paired in order.
    Name,
    /// By content: ambiguous matches are not paired.
    Content,
}

/// Names of neighbors when nodes are compared by their edges: by name if both machines have them.
struct NameIndex<'a> {
    names: Vec<Option<&'a str>>,
}

impl<'a> NameIndex<'a> {
    fn new(graph: &'a Graph<'_>, partners: &[Option<GraphNodeId>]) -> Self {
        let name = |id: GraphNodeId| partners[id].map(|_| graph.qualified(id));
        Self { names: graph.ids().map(name).collect() }
    }

    /// Hashes the edges of a node in any order; `None` without any.
    fn edges(&self, graph: &Graph<'_>, id: GraphNodeId) -> Option<u64> {
        let hash_edge = |neighbor: GraphNodeId, edge: &Edge, leads_here: bool| {
            hash_of(&(self.names[neighbor], edge.label(), edge.arrow, leads_here))
        };
        let exits = graph.leaving(id).map(|link| hash_edge(link.target, graph.edge(link), false));
        let entries = graph.entering(id).map(|link| hash_edge(link.source, graph.edge(link), true));
        exits.chain(entries).reduce(u64::wrapping_add)
    }
}

/// Hashes the content of a node; `None` without any.
fn content(node: &MachineNode) -> Option<u64> {
    let has_content = node.title.is_some() || !node.attributes.is_empty();
    let attributes: Vec<String> = node.attributes.iter().map(ToString::to_string).collect();
    let title = node.title.as_ref().map(|title| &title.text);
    has_content.then(|| hash_of(&(title, attributes)))
}

fn kind(node: &MachineNode) -> Option<String> {
    node.kind.as_ref().map(|kind| kind.text.to_lowercase())
}

fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
