//! The map of a machine over its versions: each node and edge of any version at one place, with the recordings of each version.

use std::collections::HashMap;
use std::sync::Arc;

use super::coverage::{CallAtNode, CoveredShare, MachineCoverage, PlacedCall};
use super::rename::NodePairs;
use super::{Affected, Edge, Graph, GraphNodeId, Machine, SourceVersions};
use crate::layout::{Chart, ChartBox, ChartLayout, ChartLine};
use document::commit::CommitSummary;

/// The sizes of nodes: of tasks, of data, of end states.
const NODE_SIZES: [[f32; 2]; 3] = [[208.0, 96.0], [112.0, 36.0], [112.0, 36.0]];
/// The approximate width of a letter in a label, and the room for the number behind it.
const LETTER_WIDTH: f32 = 6.4;
const NUMBER_WIDTH: f32 = 26.0;
/// The height of a label, and the most characters of it that are shown.
const LABEL_HEIGHT: f32 = 18.0;
const MAX_LABEL_CHARS: usize = 28;
/// The most nodes and edges of all versions that are drawn.
const MAX_NODES: usize = 2_000;
const MAX_EDGES: usize = 6_000;

/// A machine over its versions, with its recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineMap {
    /// The nodes of all versions. A parent is before its children.
    pub nodes: Vec<MapNode>,
    /// The edges of all versions.
    pub edges: Vec<MapEdge>,
    /// Their positions, which are the same for all versions.
    pub layout: ChartLayout,
    /// The oldest first. The last is the one on disk.
    pub versions: Vec<MapVersion>,
    /// For each recording the tools that its answer calls.
    pub called: Vec<Box<[Box<str>]>>,
}

/// A version of a machine.
#[derive(Clone, Debug)]
pub struct MachineVersion {
    /// The commit that changed it; `None` for what is on disk.
    pub commit: Option<Arc<CommitSummary>>,
    pub machine: Arc<Machine>,
    /// The positions of the versions on which it is based, which are before it; for a merge several.
    pub older: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapNode {
    pub kind: MapNodeKind,
    pub parent: Option<usize>,
    /// Whether it has children.
    pub is_frame: bool,
}

/// Kind of shape of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapNodeKind {
    /// A box with its recordings.
    Task,
    /// A pill.
    Data,
    /// A pill without an edge that leaves it.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MapEdge {
    pub from: usize,
    pub to: usize,
    /// Counts the edges between the same nodes.
    parallel: usize,
}

/// Nodes and edges of a map that a version has, and the recordings that match it.
#[derive(Clone, Debug, PartialEq)]
pub struct MapVersion {
    /// The commit that changed it; `None` for what is on disk.
    pub commit: Option<Arc<CommitSummary>>,
    /// The positions of the versions on which it is based.
    pub older: Vec<usize>,
    /// For each node of the map; `None` for one that this version does not have.
    pub nodes: Vec<Option<NodeState>>,
    /// For each edge of the map; `None` for one that this version does not have.
    pub edges: Vec<Option<EdgeState>>,
    /// For each recording.
    pub calls: Vec<VersionFit>,
    /// Number of them that match.
    pub matches: usize,
    /// Number of them that do not.
    pub breaks: usize,
    /// The recordings that stopped matching with it: they matched a version on which it is based.
    pub broke: Vec<usize>,
    pub tasks: CoveredShare,
    pub edge_share: CoveredShare,
}

/// Whether a recording matches a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionFit {
    /// `None` if that is not known.
    pub matches: Option<bool>,
    /// The reason, as a sentence.
    pub why: Arc<str>,
    /// Its node on the map.
    pub node: Option<usize>,
    /// The edges of the map that its answer uses.
    pub edges: Vec<usize>,
}

/// A node in a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeState {
    /// Without its parents.
    pub name: Box<str>,
    pub qualified: Box<str>,
    /// Its prompt.
    pub objective: Option<Box<str>>,
    /// Whether a model is called there, so that it can have recordings.
    pub is_task: bool,
    /// The tools that a request made there offers, without repetitions.
    pub tools: Vec<Box<str>>,
    /// Difference from the version before.
    pub change: NodeChange,
    /// The recordings made there, by their positions.
    pub recordings: Vec<usize>,
    /// Number of them that do not match.
    pub breaks: usize,
}

/// Difference of a node from the version before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NodeChange {
    #[default]
    Same,
    Added,
    /// With its name in the version before.
    Renamed(Box<str>),
}

/// An edge in a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeState {
    /// Its label; may be empty.
    pub label: String,
    /// Whether a model may choose it, so that recordings can use it.
    pub is_offered: bool,
    /// Number of times that recordings use it.
    pub uses: usize,
}

impl MachineMap {
    /// Draws a machine over its versions, the oldest first; the last is on disk. Each recording has the version that it was made from,
    /// if that is known. `None` without a node, or if there are too many to draw.
    pub fn new(
        versions: &[MachineVersion],
        calls: &[(CallAtNode, Option<Arc<Machine>>)],
    ) -> Option<Self> {
        let graphs: Vec<Graph<'_>> = versions.iter().map(|v| Graph::new(&v.machine)).collect();
        let all = DrawnUnion::new(&graphs);
        // A larger map cannot be read on a screen.
        let is_drawn = (1..=MAX_NODES).contains(&all.nodes.len()) && all.edges.len() <= MAX_EDGES;
        if !is_drawn {
            return None;
        }
        let mut map = Self {
            layout: ChartLayout::default(),
            versions: Vec::new(),
            called: calls.iter().map(|(call, _)| call.called.clone()).collect(),
            nodes: all.nodes.clone(),
            edges: all.edges.clone(),
        };
        for (at, v) in versions.iter().enumerate() {
            map.versions.push(map.version(&all, &graphs, at, v, calls));
        }
        // A version may be based on one whose commit has a later time.
        for at in 0..map.versions.len() {
            map.versions[at].broke = map.broken_by(&map.versions[at]);
        }
        map.layout = map.arrange(graphs.last()?);
        Some(map)
    }

    fn version(
        &self,
        union: &DrawnUnion,
        graphs: &[Graph<'_>],
        at: usize,
        version: &MachineVersion,
        calls: &[(CallAtNode, Option<Arc<Machine>>)],
    ) -> MapVersion {
        let graph = &graphs[at];
        let placed_calls = place_calls(version, calls);
        let sources = SourceVersions::new(None, &version.machine);
        let coverage = MachineCoverage::new(&sources, &placed_calls);
        let (tasks, edge_share) = (coverage.tasks(), coverage.edges());
        let mut nodes = vec![None; self.nodes.len()];
        let older = |position: &usize| self.versions.get(*position);
        let previous = version.older.first().and_then(older);
        for (id, covered) in coverage.nodes.into_iter().enumerate() {
            let map_index = union.node_of[at][id];
            let name = graph.name(id);
            let change = match previous.map(|v| v.nodes[map_index].as_ref()) {
                None => NodeChange::Same,
                Some(None) => NodeChange::Added,
                Some(Some(old)) if *old.name != *name => NodeChange::Renamed(old.name.clone()),
                Some(Some(_)) => NodeChange::Same,
            };
            let prompt = graph.node(id).and_then(|node| node.attribute("prompt"));
            let mut tools = sources.offers[id].tools.clone();
            // They are sorted, so equal names are next to each other.
            tools.dedup();
            nodes[map_index] = Some(NodeState {
                name: name.into(),
                qualified: graph.qualified(id).into(),
                objective: prompt.and_then(|p| p.value.as_ref()).map(|value| value.text.clone()),
                is_task: covered.is_task,
                tools,
                change,
                breaks: 0,
                recordings: covered.recordings,
            });
        }
        let mut edges = vec![None; self.edges.len()];
        for (link, covered) in graph.links.iter().zip(&coverage.links) {
            edges[union.edge_of[at][link.index]] = Some(EdgeState {
                label: label(graph.edge(*link)),
                is_offered: covered.is_offered,
                uses: covered.uses,
            });
        }
        let fit = |call: PlacedCall| VersionFit {
            matches: match call.affected {
                Affected::No { .. } => Some(true),
                Affected::Yes { .. } => Some(false),
                Affected::Unknown { .. } => None,
            },
            why: if at + 1 == graphs.len() {
                call.affected.to_string().into()
            } else {
                // The text says what a request of the newest version does.
                call.affected.to_string().replace(" today", " in this version").into()
            },
            node: call.node.map(|id| union.node_of[at][id]),
            edges: call.links.iter().map(|link| union.edge_of[at][*link]).collect(),
        };
        let calls: Vec<VersionFit> = placed_calls.into_iter().map(fit).collect();
        for node in nodes.iter_mut().flatten() {
            let breaks = node.recordings.iter().filter(|at| calls[**at].matches == Some(false));
            node.breaks = breaks.count();
        }
        let count = |matches| calls.iter().filter(|call| call.matches == Some(matches)).count();
        MapVersion {
            commit: version.commit.clone(),
            older: version.older.clone(),
            nodes,
            edges,
            matches: count(true),
            breaks: count(false),
            calls,
            broke: Vec::new(),
            tasks,
            edge_share,
        }
    }

    /// Returns the recordings that stopped matching with a version.
    fn broken_by(&self, version: &MapVersion) -> Vec<usize> {
        let older = version.older.iter();
        let older: Vec<&MapVersion> = older.filter_map(|at| self.versions.get(*at)).collect();
        let has_match = |call: usize, hits| older.iter().any(|v| v.calls[call].matches == hits);
        let broken_calls = version.calls.iter().enumerate().filter(|(call, fit)| {
            // In a merge, the other side may have broken it before.
            fit.matches == Some(false)
                && has_match(*call, Some(true))
                && !has_match(*call, Some(false))
        });
        broken_calls.map(|(call, _)| call).collect()
    }

    fn arrange(&self, newest: &Graph<'_>) -> ChartLayout {
        let start = first(newest);
        let boxes = self.nodes.iter().enumerate().map(|(at, node)| ChartBox {
            size: NODE_SIZES[node.kind as usize],
            inside: node.parent,
            // The nodes of the newest version are the first of the map, so they have the same numbers there.
            begins: Some(at) == start,
        });
        let lines = self.edges.iter().enumerate().map(|(at, edge)| {
            let states = self.versions.iter().filter_map(|version| version.edges[at].as_ref());
            // All versions share the layout, so the widest label counts.
            let letters = states.map(|state| state.label.chars().count()).max().unwrap_or(0) as f32;
            let label = [letters * LETTER_WIDTH + NUMBER_WIDTH, LABEL_HEIGHT];
            ChartLine { from: edge.from, to: edge.to, label }
        });
        let chart = Chart { boxes: boxes.collect(), lines: lines.collect() };
        chart.arrange()
    }
}

/// Finds each recording in a version.
fn place_calls(
    version: &MachineVersion,
    calls: &[(CallAtNode, Option<Arc<Machine>>)],
) -> Vec<PlacedCall> {
    // Two versions are compared once for all recordings of the older one.
    let mut indices_by_source: HashMap<Option<*const Machine>, Vec<usize>> = HashMap::new();
    for (at, (_, source)) in calls.iter().enumerate() {
        indices_by_source.entry(source.as_ref().map(Arc::as_ptr)).or_default().push(at);
    }
    let mut placed_calls = vec![None; calls.len()];
    for indices in indices_by_source.into_values() {
        let versions = SourceVersions::new(calls[indices[0]].1.as_deref(), &version.machine);
        for at in indices {
            placed_calls[at] = Some(versions.place(&calls[at].0));
        }
    }
    placed_calls.into_iter().flatten().collect()
}

/// The nodes and edges of all versions, those of the newest first.
#[derive(Default)]
struct DrawnUnion {
    nodes: Vec<MapNode>,
    edges: Vec<MapEdge>,
    /// For each version, where its nodes are in `nodes`.
    node_of: Vec<Vec<usize>>,
    /// For each version, where its links are in `edges`.
    edge_of: Vec<Vec<usize>>,
}

impl DrawnUnion {
    fn new(graphs: &[Graph<'_>]) -> Self {
        let mut union = Self::default();
        let mut names: HashMap<String, usize> = HashMap::new();
        let mut newer: Option<(&Graph<'_>, Vec<usize>)> = None;
        // From the newest, whose nodes come first on the map: older ones are recognised as these.
        for graph in graphs.iter().rev() {
            let mut places: Vec<Option<usize>> = vec![None; graph.ids().len()];
            if let Some((newer, node_of)) = &newer {
                let pairs = NodePairs::new(graph, newer);
                places = pairs.now.iter().map(|now| Some(node_of[(*now)?])).collect();
            }
            let mut is_used = vec![false; union.nodes.len()];
            places.iter().flatten().for_each(|at| is_used[*at] = true);
            let mut node_of: Vec<usize> = Vec::new();
            for id in graph.ids() {
                // One that was removed for a while is drawn where it was.
                let place = names.get(graph.qualified(id)).copied();
                // Two nodes of one version never share a place.
                let place = place.filter(|at| !std::mem::replace(&mut is_used[*at], true));
                let parent = graph.parent(id).map(|parent| node_of[parent]);
                let at = places[id].or(place).unwrap_or_else(|| {
                    let kind = node_kind(graph, id);
                    union.nodes.push(MapNode { kind, parent, is_frame: false });
                    is_used.push(true);
                    union.nodes.len() - 1
                });
                if let Some(parent) = union.nodes[at].parent {
                    union.nodes[parent].is_frame = true;
                }
                names.insert(graph.qualified(id).to_owned(), at);
                node_of.push(at);
            }
            union.add_edges(graph, &node_of);
            union.node_of.push(node_of.clone());
            newer = Some((graph, node_of));
        }
        union.node_of.reverse();
        union.edge_of.reverse();
        union
    }

    fn add_edges(&mut self, graph: &Graph<'_>, node_of: &[usize]) {
        let mut indices: HashMap<MapEdge, usize> = HashMap::new();
        indices.extend(self.edges.iter().enumerate().map(|(at, edge)| (*edge, at)));
        let mut counts: HashMap<(usize, usize), usize> = HashMap::new();
        let links = graph.links.iter().map(|link| {
            let (from, to) = (node_of[link.source], node_of[link.target]);
            let parallel = counts.entry((from, to)).or_default();
            let edge = MapEdge { from, to, parallel: *parallel };
            *parallel += 1;
            *indices.entry(edge).or_insert_with(|| {
                self.edges.push(edge);
                self.edges.len() - 1
            })
        });
        self.edge_of.push(links.collect());
    }
}

fn node_kind(graph: &Graph<'_>, id: GraphNodeId) -> MapNodeKind {
    let has_prompt = graph.node(id).is_some_and(|node| node.attribute("prompt").is_some());
    if graph.holds_data(id) {
        MapNodeKind::Data
    } else if !has_prompt && graph.leaving(id).next().is_none() {
        MapNodeKind::End
    } else {
        MapNodeKind::Task
    }
}

/// Guesses the start of a machine: the first task with outgoing edges, preferably one without incoming edges, and not a
/// data node.
fn first(graph: &Graph<'_>) -> Option<GraphNodeId> {
    let is_task = |id: &GraphNodeId| !graph.is_context(*id) && graph.leaving(*id).next().is_some();
    let from_tasks = |id: GraphNodeId| {
        let links = graph.entering(id).filter(|link| link.source != id);
        links.filter(|link| !graph.is_context(link.source)).count()
    };
    let tasks = || graph.ids().filter(is_task);
    tasks().find(|id| from_tasks(*id) == 0).or_else(|| tasks().next())
}

/// Returns the label of an edge, truncated to fit.
fn label(edge: &Edge) -> String {
    let label = edge.label().unwrap_or_default();
    match label.char_indices().nth(MAX_LABEL_CHARS) {
        Some((end, _)) => format!("{}…", &label[..end]),
        None => label,
    }
}
