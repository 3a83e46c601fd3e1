//! A machine as a drawing: as it is, with what it was put into it.

use std::collections::HashSet;

use super::rename::Pairs;
use super::{Edge, Graph, Machine, MachineDiff, Node, NodeId, Spans, Subject, What};
use crate::ops::layout::{Chart, ChartBox, ChartLine, Layout};

/// More nodes than this are no drawing any more.
const MOST_NODES: usize = 300;
/// More edges than this neither.
const MOST_EDGES: usize = 900;
/// The height of a node: two lines.
const NODE_HEIGHT: f32 = 38.0;
/// The least and the greatest width of a node.
const NODE_WIDTH: [f32; 2] = [96.0, 220.0];
/// How wide a letter of a name is about, and one of a label.
const LETTER: [f32; 2] = [7.2, 6.2];
/// The height of a label.
const LABEL_HEIGHT: f32 = 16.0;
/// How many letters of a label are shown.
const LABEL: usize = 28;

/// A machine with its nodes and edges placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The nodes that there are, then those that are gone. One that others are inside of stands before these.
    pub nodes: Vec<DrawnNode>,
    /// The edges that there are, then those that are gone.
    pub edges: Vec<DrawnEdge>,
    /// Where they stand.
    pub layout: Layout,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnNode {
    /// Its name without those around it.
    pub name: Box<str>,
    /// Its name with those around it: now, or of one that is gone, then.
    pub qualified: Box<str>,
    /// What stands before its name, and behind it.
    pub told: Vec<String>,
    /// What happened to it.
    pub fate: Fate,
    /// Where it stands in the texts.
    pub spans: Spans,
    /// The node around it.
    pub inside: Option<usize>,
    /// Whether others are inside of it.
    pub is_frame: bool,
    /// Whether the machine's way begins at it.
    pub begins: bool,
}

/// An edge between two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnEdge {
    /// Where it starts, in [`Drawing::nodes`].
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What is written on it; empty for nothing.
    pub label: String,
    /// What happened to it.
    pub fate: Fate,
}

/// What became of a part of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is as it was.
    #[default]
    Same,
    /// It is new.
    Added,
    /// It is no longer there.
    Gone,
    /// It had this name.
    Renamed(Box<str>),
    /// Something of it is another.
    Changed,
}

impl Drawing {
    /// Draws a machine as it is, with what it was; where one of them is not known, the other alone. `None` without any, or
    /// where there is too much to be seen.
    pub fn new(then: Option<&Machine>, now: Option<&Machine>) -> Option<Self> {
        let drawn = now.or(then)?;
        let (graph, before) = (Graph::new(drawn), then.map(Graph::new));
        let (mut nodes, edges) = match (&before, now) {
            (Some(before), Some(now)) => {
                both(before, &graph, &MachineDiff::new(before.machine, now))
            }
            _ => alone(&graph),
        };
        if !nodes.iter().any(|node| node.begins)
            && let Some(first) = first(&graph)
        {
            nodes[first].begins = true;
        }
        let is_drawn = (1..=MOST_NODES).contains(&nodes.len()) && edges.len() <= MOST_EDGES;
        is_drawn.then(|| Self {
            layout: chart(&nodes, &edges).lay_out(),
            nodes,
            edges,
        })
    }

    /// The name of a node and what became of it, for those who cannot see it: `Node reply, was respond`.
    pub fn name_of(&self, node: usize) -> String {
        let Some(node) = self.nodes.get(node) else {
            return String::new();
        };
        let fate = match &node.fate {
            Fate::Same => String::new(),
            Fate::Added => ", added".to_owned(),
            Fate::Gone => ", gone".to_owned(),
            Fate::Renamed(was) => format!(", was {was}"),
            Fate::Changed => ", changed".to_owned(),
        };
        format!("Node {}{fate}", node.qualified)
    }
}

/// Where a machine begins that does not say so: at the first task that something follows, better one that nothing else
/// leads to than what keeps data.
fn first(graph: &Graph<'_>) -> Option<NodeId> {
    let is_task = |id: &NodeId| !graph.is_context(*id) && graph.leaving(*id).next().is_some();
    let from_tasks = |id: NodeId| {
        let before = graph.entering(id).filter(|link| link.source != id);
        before.filter(|link| !graph.is_context(link.source)).count()
    };
    let tasks = || graph.ids().filter(is_task);
    tasks()
        .find(|id| from_tasks(*id) == 0)
        .or_else(|| tasks().next())
}

fn alone(graph: &Graph<'_>) -> (Vec<DrawnNode>, Vec<DrawnEdge>) {
    let nodes = graph.ids().map(|id| {
        let spans = Spans {
            then: None,
            now: graph.node(id).map(|node| node.span),
        };
        node(graph, id, Fate::Same, spans)
    });
    let edges = graph.links.iter().map(|link| DrawnEdge {
        from: link.source,
        to: link.target,
        label: label(graph.edge(*link)),
        fate: Fate::Same,
    });
    (nodes.collect(), edges.collect())
}

fn both(then: &Graph<'_>, now: &Graph<'_>, diff: &MachineDiff) -> (Vec<DrawnNode>, Vec<DrawnEdge>) {
    let pairs = Pairs::new(then, now);
    let changed: HashSet<&str> = diff
        .changes
        .iter()
        .filter_map(|change| match (&change.subject, &change.what) {
            (Subject::Node(name), What::Part { .. }) => Some(&**name),
            _ => None,
        })
        .collect();
    let mut nodes: Vec<DrawnNode> = Vec::new();
    for id in now.ids() {
        let was = pairs.then[id];
        let fate = match was.map(|was| then.qualified(was)) {
            None => Fate::Added,
            Some(was) if was != now.qualified(id) => Fate::Renamed(was.into()),
            Some(was) if changed.contains(was) => Fate::Changed,
            Some(_) => Fate::Same,
        };
        let spans = Spans {
            then: was.and_then(|was| Some(then.node(was)?.span)),
            now: now.node(id).map(|node| node.span),
        };
        nodes.push(node(now, id, fate, spans));
    }
    // For each node of then, where it is drawn.
    let mut drawn = pairs.now;
    for id in then
        .ids()
        .filter(|id| drawn[*id].is_none())
        .collect::<Vec<_>>()
    {
        let spans = Spans {
            then: then.node(id).map(|node| node.span),
            now: None,
        };
        let mut gone = node(then, id, Fate::Gone, spans);
        gone.inside = gone.inside.and_then(|frame| drawn[frame]);
        if let Some(frame) = gone.inside {
            nodes[frame].is_frame = true;
        }
        drawn[id] = Some(nodes.len());
        nodes.push(gone);
    }
    (nodes, edges(then, now, &drawn))
}

fn edges(then: &Graph<'_>, now: &Graph<'_>, drawn: &[Option<usize>]) -> Vec<DrawnEdge> {
    let edge = |graph: &Graph<'_>, link: &super::Link, ends: [NodeId; 2], fate| DrawnEdge {
        from: ends[0],
        to: ends[1],
        label: label(graph.edge(*link)),
        fate,
    };
    let was = then.links.iter().filter_map(|link| {
        let ends = [drawn[link.source]?, drawn[link.target]?];
        Some(edge(then, link, ends, Fate::Gone))
    });
    let mut was: Vec<DrawnEdge> = was.collect();
    let is = now.links.iter();
    let is = is.map(|link| edge(now, link, [link.source, link.target], Fate::Added));
    let mut edges: Vec<DrawnEdge> = is.collect();
    // What says the same first, then what is between the same nodes.
    for (fate, labels) in [(Fate::Same, true), (Fate::Changed, false)] {
        for edge in edges.iter_mut().filter(|edge| edge.fate == Fate::Added) {
            let is_it = |old: &DrawnEdge| {
                (old.from, old.to) == (edge.from, edge.to) && (!labels || old.label == edge.label)
            };
            if let Some(at) = was.iter().position(is_it) {
                was.remove(at);
                edge.fate = fate.clone();
            }
        }
    }
    edges.extend(was);
    edges
}

fn node(graph: &Graph<'_>, id: NodeId, fate: Fate, spans: Spans) -> DrawnNode {
    let declared = graph.node(id);
    DrawnNode {
        name: graph.name(id).into(),
        qualified: graph.qualified(id).into(),
        told: declared.map(told).unwrap_or_default(),
        fate,
        spans,
        inside: graph.parent(id),
        is_frame: !graph.inside(id).is_empty(),
        begins: declared.is_some_and(|node| node.is_a("init")),
    }
}

/// What a node says of itself, line by line.
fn told(node: &Node) -> Vec<String> {
    let kind = node.kind.iter().map(|kind| kind.text.to_string());
    let title = node.title.iter().map(|title| format!("\"{}\"", title.text));
    let annotations = node
        .annotations
        .iter()
        .map(|annotation| format!("@{}", annotation.name.text));
    let attributes = node.attributes.iter().map(ToString::to_string);
    kind.chain(title)
        .chain(annotations)
        .chain(attributes)
        .collect()
}

/// What is written on an edge, as far as it fits.
fn label(edge: &Edge) -> String {
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
            inside: node.inside,
            begins: node.begins,
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
    Chart {
        boxes: nodes.iter().map(own).collect(),
        lines: edges.iter().map(line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;

    fn picture(then: Option<&str>, now: Option<&str>) -> String {
        let read = |text: &str| Machine::read(&Source::new(text));
        let (then, now) = (then.map(read), now.map(read));
        let Some(drawing) = Drawing::new(then.as_ref(), now.as_ref()) else {
            return "nothing".to_owned();
        };
        let nodes = (0..drawing.nodes.len()).map(|at| drawing.name_of(at));
        let edges = drawing.edges.iter().map(|edge| {
            let ends = [edge.from, edge.to].map(|end| &*drawing.nodes[end].qualified);
            let DrawnEdge { label, fate, .. } = edge;
            format!("{} -{label}-> {} {fate:?}", ends[0], ends[1])
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
