//! Draws a machine: the current version, with removed parts of the old one.

use std::collections::HashSet;

use super::rename::NodePairs;
use super::{
    Edge, Graph, GraphNodeId, Machine, MachineChangeKind, MachineDiff, MachineNode, MachineSubject,
    Spans,
};
use crate::ops::layout::{Chart, ChartBox, ChartLayout, ChartLine};

/// Maximum number of nodes in a drawing.
const MOST_NODES: usize = 300;
/// Maximum number of edges in a drawing.
const MOST_EDGES: usize = 900;
/// The height of a node: two lines.
const NODE_HEIGHT: f32 = 38.0;
/// Minimum and maximum width of a node.
const NODE_WIDTH: [f32; 2] = [96.0, 220.0];
/// Approximate width of a letter of a name, and of a label.
const LETTER: [f32; 2] = [7.2, 6.2];
/// The height of a label.
const LABEL_HEIGHT: f32 = 16.0;
/// Maximum number of characters shown of a label.
const LABEL: usize = 28;

/// A machine with positions of its nodes and edges.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineDrawing {
    /// The current nodes, then the removed ones. A parent is before its children.
    pub nodes: Vec<DrawnNode>,
    /// The current edges, then the removed ones.
    pub edges: Vec<DrawnEdge>,
    /// Their positions.
    pub layout: ChartLayout,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnNode {
    /// Its name without its parents.
    pub name: Box<str>,
    /// Its qualified name: the current one, or the old one if removed.
    pub qualified: Box<str>,
    /// Text before and after its name.
    pub details: Vec<String>,
    /// How it changed.
    pub status: DrawnStatus,
    /// Its places in the texts.
    pub spans: Spans,
    pub parent: Option<usize>,
    /// Whether it has children.
    pub is_frame: bool,
    /// Whether the machine starts at it.
    pub is_start: bool,
}

/// An edge between two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnEdge {
    /// Its source in [`MachineDrawing::nodes`].
    pub from: usize,
    /// Its target.
    pub to: usize,
    /// Its label; may be empty.
    pub label: String,
    /// How it changed.
    pub status: DrawnStatus,
}

/// Change status of a part of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DrawnStatus {
    /// It is unchanged.
    #[default]
    Same,
    /// It was added.
    Added,
    /// It was removed.
    Gone,
    /// It was renamed from this name.
    Renamed(Box<str>),
    /// It was changed.
    Changed,
}

impl MachineDrawing {
    /// Draws the current machine with removed parts of the old one; if one is unknown, only the other. `None` if both
    /// are unknown or the machine is too large.
    pub fn new(then: Option<&Machine>, now: Option<&Machine>) -> Option<Self> {
        let drawn = now.or(then)?;
        let (graph, before) = (Graph::new(drawn), then.map(Graph::new));
        let (mut nodes, edges) = match (&before, now) {
            (Some(before), Some(now)) => {
                draw_both(before, &graph, &MachineDiff::new(before.machine, now))
            }
            _ => draw_one(&graph),
        };
        if !nodes.iter().any(|node| node.is_start)
            && let Some(first) = first(&graph)
        {
            nodes[first].is_start = true;
        }
        let is_drawn = (1..=MOST_NODES).contains(&nodes.len()) && edges.len() <= MOST_EDGES;
        is_drawn.then(|| Self { layout: chart(&nodes, &edges).arrange(), nodes, edges })
    }

    /// Describes a node and its change for screen readers: `Node reply, was respond`.
    pub fn name_of(&self, node: usize) -> String {
        let Some(node) = self.nodes.get(node) else {
            return String::new();
        };
        let status = match &node.status {
            DrawnStatus::Same => String::new(),
            DrawnStatus::Added => ", added".to_owned(),
            DrawnStatus::Gone => ", gone".to_owned(),
            DrawnStatus::Renamed(was) => format!(", was {was}"),
            DrawnStatus::Changed => ", changed".to_owned(),
        };
        format!("Node {}{status}", node.qualified)
    }
}

/// Guesses the start of a machine: the first task with outgoing edges, preferably one without incoming edges, and not a
/// data node.
pub(super) fn first(graph: &Graph<'_>) -> Option<GraphNodeId> {
    let is_task = |id: &GraphNodeId| !graph.is_context(*id) && graph.leaving(*id).next().is_some();
    let from_tasks = |id: GraphNodeId| {
        let before = graph.entering(id).filter(|link| link.source != id);
        before.filter(|link| !graph.is_context(link.source)).count()
    };
    let tasks = || graph.ids().filter(is_task);
    tasks().find(|id| from_tasks(*id) == 0).or_else(|| tasks().next())
}

fn draw_one(graph: &Graph<'_>) -> (Vec<DrawnNode>, Vec<DrawnEdge>) {
    let nodes = graph.ids().map(|id| {
        let spans = Spans { then: None, now: graph.node(id).map(|node| node.span) };
        node(graph, id, DrawnStatus::Same, spans)
    });
    let edges = graph.links.iter().map(|link| DrawnEdge {
        from: link.source,
        to: link.target,
        label: label(graph.edge(*link)),
        status: DrawnStatus::Same,
    });
    (nodes.collect(), edges.collect())
}

fn draw_both(
    then: &Graph<'_>,
    now: &Graph<'_>,
    diff: &MachineDiff,
) -> (Vec<DrawnNode>, Vec<DrawnEdge>) {
    let pairs = NodePairs::new(then, now);
    let changed: HashSet<&str> = diff
        .changes
        .iter()
        .filter_map(|change| match (&change.subject, &change.kind) {
            (MachineSubject::Node(name), MachineChangeKind::Part { .. }) => Some(&**name),
            _ => None,
        })
        .collect();
    let mut nodes: Vec<DrawnNode> = Vec::new();
    for id in now.ids() {
        let was = pairs.then[id];
        let status = match was.map(|was| then.qualified(was)) {
            None => DrawnStatus::Added,
            Some(was) if was != now.qualified(id) => DrawnStatus::Renamed(was.into()),
            Some(was) if changed.contains(was) => DrawnStatus::Changed,
            Some(_) => DrawnStatus::Same,
        };
        let spans = Spans {
            then: was.and_then(|was| Some(then.node(was)?.span)),
            now: now.node(id).map(|node| node.span),
        };
        nodes.push(node(now, id, status, spans));
    }
    // For each node of then, where it is drawn.
    let mut drawn = pairs.now;
    for id in then.ids().filter(|id| drawn[*id].is_none()).collect::<Vec<_>>() {
        let spans = Spans { then: then.node(id).map(|node| node.span), now: None };
        let mut gone = node(then, id, DrawnStatus::Gone, spans);
        gone.parent = gone.parent.and_then(|frame| drawn[frame]);
        if let Some(frame) = gone.parent {
            nodes[frame].is_frame = true;
        }
        drawn[id] = Some(nodes.len());
        nodes.push(gone);
    }
    (nodes, edges(then, now, &drawn))
}

fn edges(then: &Graph<'_>, now: &Graph<'_>, drawn: &[Option<usize>]) -> Vec<DrawnEdge> {
    let edge = |graph: &Graph<'_>, link: &super::Link, ends: [GraphNodeId; 2], status| DrawnEdge {
        from: ends[0],
        to: ends[1],
        label: label(graph.edge(*link)),
        status,
    };
    let was = then.links.iter().filter_map(|link| {
        let ends = [drawn[link.source]?, drawn[link.target]?];
        Some(edge(then, link, ends, DrawnStatus::Gone))
    });
    let mut was: Vec<DrawnEdge> = was.collect();
    let mut edges: Vec<DrawnEdge> = now
        .links
        .iter()
        .map(|link| edge(now, link, [link.source, link.target], DrawnStatus::Added))
        .collect();
    // What says the same first, then what is between the same nodes.
    for (status, labels) in [(DrawnStatus::Same, true), (DrawnStatus::Changed, false)] {
        for edge in edges.iter_mut().filter(|edge| edge.status == DrawnStatus::Added) {
            let is_it = |old: &DrawnEdge| {
                (old.from, old.to) == (edge.from, edge.to) && (!labels || old.label == edge.label)
            };
            if let Some(at) = was.iter().position(is_it) {
                was.remove(at);
                edge.status = status.clone();
            }
        }
    }
    edges.extend(was);
    edges
}

fn node(graph: &Graph<'_>, id: GraphNodeId, status: DrawnStatus, spans: Spans) -> DrawnNode {
    let declared = graph.node(id);
    DrawnNode {
        name: graph.name(id).into(),
        qualified: graph.qualified(id).into(),
        details: declared.map(node_details).unwrap_or_default(),
        status,
        spans,
        parent: graph.parent(id),
        is_frame: !graph.inside(id).is_empty(),
        is_start: declared.is_some_and(|node| node.is_a("init")),
    }
}

/// Returns the details of a node as lines.
fn node_details(node: &MachineNode) -> Vec<String> {
    let kind = node.kind.iter().map(|kind| kind.text.to_string());
    let title = node.title.iter().map(|title| format!("\"{}\"", title.text));
    let annotations =
        node.annotations.iter().map(|annotation| format!("@{}", annotation.name.text));
    let attributes = node.attributes.iter().map(ToString::to_string);
    kind.chain(title).chain(annotations).chain(attributes).collect()
}

/// Returns the label of an edge, truncated to fit.
pub(super) fn label(edge: &Edge) -> String {
    let label = edge.label().unwrap_or_default();
    match label.char_indices().nth(LABEL) {
        Some((end, _)) => format!("{}…", &label[..end]),
        None => label,
    }
}

fn chart(nodes: &[DrawnNode], edges: &[DrawnEdge]) -> Chart {
    let own = |node: &DrawnNode| {
        let letters = node.name.chars().count() as f32;
        let [least, most] = NODE_WIDTH;
        ChartBox {
            size: [(letters * LETTER[0] + 28.0).clamp(least, most), NODE_HEIGHT],
            inside: node.parent,
            begins: node.is_start,
        }
    };
    let line = |edge: &DrawnEdge| ChartLine {
        from: edge.from,
        to: edge.to,
        label: match edge.label.chars().count() {
            0 => [0.0; 2],
            letters => [letters as f32 * LETTER[1] + 10.0, LABEL_HEIGHT],
        },
    };
    Chart { boxes: nodes.iter().map(own).collect(), lines: edges.iter().map(line).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;

    fn picture(then: Option<&str>, now: Option<&str>) -> String {
        let read = |text: &str| Machine::read(&Source::new(text));
        let (then, now) = (then.map(read), now.map(read));
        let Some(drawing) = MachineDrawing::new(then.as_ref(), now.as_ref()) else {
            return "nothing".to_owned();
        };
        let nodes = (0..drawing.nodes.len()).map(|at| drawing.name_of(at));
        let edges = drawing.edges.iter().map(|edge| {
            let ends = [edge.from, edge.to].map(|end| &*drawing.nodes[end].qualified);
            let DrawnEdge { label, status, .. } = edge;
            format!("{} -{label}-> {} {status:?}", ends[0], ends[1])
        });
        nodes.chain(edges).collect::<Vec<_>>().join("\n")
    }

    const THEN: &str = "task classify { prompt: \"a\"; }\ntask respond { prompt: \"b\"; }\ntask old {}\n\
        classify -\"known\"-> respond;\nrespond -> close;\nclassify -> old;\n";
    const NOW: &str = "task classify { prompt: \"c\"; }\ntask reply { prompt: \"b\"; }\ntask refund {}\n\
        classify -\"known issue\"-> reply;\nreply -> close;\nclassify -> refund;\n";

    #[test]
    fn what_is_there_is_drawn_with_what_was() {
        insta::assert_snapshot!(picture(Some(THEN), Some(NOW)), @"
        Node classify, changed
        Node reply, was respond
        Node refund, was old
        Node close
        classify -known issue-> reply Changed
        reply --> close Same
        classify --> refund Same
        ");
    }

    #[test]
    fn one_side_alone_is_drawn_without_signs() {
        let alone = picture(None, Some(NOW));
        assert_eq!(alone, picture(Some(NOW), None));
        assert_eq!(alone, picture(Some(NOW), Some(NOW)));
        assert_eq!(picture(None, Some("")), "nothing");
        assert_eq!(picture(None, None), "nothing");
    }
}
