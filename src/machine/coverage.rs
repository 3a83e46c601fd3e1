//! Coverage of a machine by recordings: its nodes, and its links by the tools that answers called.

use super::offer::LinkTool;
use super::{Affected, BreakLocation, GraphNodeId, ModelUse, RecordingFacts, SourceVersions};
use document::recording::{RecordedAnswer, Recording};

/// Facts about a recording that place it in a machine, without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallAtNode {
    /// The node that it names.
    pub node: Option<Box<str>>,
    /// The tools that its request offers, in any order.
    pub tools: Box<[Box<str>]>,
    /// The tools that its answer calls, in order.
    pub called: Box<[Box<str>]>,
}

impl CallAtNode {
    /// Collects what is needed of a recording.
    pub fn new(recording: &Recording) -> Self {
        let facts = RecordingFacts::from_recording(recording);
        let tool_calls = recording.answer.iter().flat_map(RecordedAnswer::tools);
        Self {
            node: facts.node().map(Box::from),
            tools: facts.tools.iter().copied().map(Box::from).collect(),
            called: tool_calls.map(Box::from).collect(),
        }
    }

    fn facts(&self) -> RecordingFacts<'_> {
        RecordingFacts {
            tools: self.tools.iter().map(|tool| &**tool).collect(),
            current_node: self.node.as_deref(),
            // The texts are no longer needed: the node that they name was read from them.
            texts: Vec::new(),
        }
    }
}

/// A recording in a version of its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedCall {
    /// Its node, by its id in the graph of that version; `None` if that version does not have it.
    pub node: Option<GraphNodeId>,
    /// The links that the called tools use, by their indices in [`Graph::links`](super::Graph::links), in the order of the calls. If
    /// a tool is offered for several links, all of them.
    pub links: Vec<usize>,
    /// Whether a request of that version would match it.
    pub affected: Affected,
}

impl SourceVersions<'_> {
    /// Finds the node and the links of a recording in the current version, also if nodes were renamed since it was made, or seem to be.
    pub fn place(&self, call: &CallAtNode) -> PlacedCall {
        let facts = call.facts();
        let affected = self.affected(&facts);
        let node = match &affected {
            Affected::No { node }
            | Affected::Yes {
                at: BreakLocation::Node(node) | BreakLocation::SilentNode(node),
                ..
            } => self.now.find(node),
            // The node was removed, or is not known.
            Affected::Yes { .. } => None,
            Affected::Unknown { .. } => facts
                .node()
                .and_then(|node| self.find_now(node).or_else(|| self.likely_successor(&facts))),
        };
        let links = node.map_or_else(Vec::new, |node| self.links_used(node, &call.called));
        PlacedCall { node, links, affected }
    }

    /// Finds the present node of one that a recording names.
    fn find_now(&self, name: &str) -> Option<GraphNodeId> {
        let then = self.then.as_ref();
        then.and_then(|then| Some((then, then.graph.find(name)?)))
            .map_or_else(|| self.now.find(name), |(then, id)| then.pairs.now[id])
    }

    /// Returns the links of a node for which these tools were called.
    fn links_used(&self, node: GraphNodeId, tool_names: &[Box<str>]) -> Vec<usize> {
        let current_tools = self.now.link_tools(node);
        let mut links = Vec::new();
        let old_tools = self.then.as_ref().and_then(|then| {
            let id = then.pairs.then[node]?;
            Some((then, then.graph.link_tools(id)))
        });
        for name in tool_names {
            // The tool of a renamed target has another name today, but its link is the same.
            let target = old_tools.as_ref().and_then(|(then, tools)| {
                let tool = tools.iter().find(|tool| then.graph.tool_name(**tool) == *name)?;
                Some((tool.kind, then.pairs.now[tool.node]?))
            });
            let is_called = |tool: &&LinkTool| match target {
                Some(target) => (tool.kind, tool.node) == target,
                None => self.now.tool_name(**tool) == *name,
            };
            links.extend(current_tools.iter().filter(is_called).map(|tool| tool.link));
        }
        links
    }
}

/// Coverage of a machine by recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MachineCoverage {
    /// By the ids of the graph's nodes.
    pub nodes: Vec<NodeCoverage>,
    /// By the indices of the graph's links.
    pub links: Vec<LinkCoverage>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeCoverage {
    /// Whether a model is called there, so that it can have recordings.
    pub is_task: bool,
    /// Its recordings, by their positions.
    pub recordings: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCoverage {
    /// Whether a model may call a tool for it, so that recordings can use it.
    pub is_offered: bool,
    /// Number of times that recordings use it.
    pub uses: usize,
}

/// Number of parts that are covered, and of those that can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoveredShare {
    pub covered: usize,
    pub total: usize,
}

impl MachineCoverage {
    /// Counts what recordings use of the current version.
    pub fn new(versions: &SourceVersions<'_>, placed_calls: &[PlacedCall]) -> Self {
        let graph = &versions.now;
        let mut coverage = Self {
            nodes: vec![NodeCoverage::default(); graph.ids().len()],
            links: vec![LinkCoverage::default(); graph.links.len()],
        };
        for id in graph.ids() {
            if versions.offers[id].model_use == ModelUse::Model {
                coverage.nodes[id].is_task = true;
                for tool in graph.link_tools(id) {
                    coverage.links[tool.link].is_offered = true;
                }
            }
        }
        for (position, call) in placed_calls.iter().enumerate() {
            let Some(node) = call.node else { continue };
            coverage.nodes[node].recordings.push(position);
            for link in &call.links {
                coverage.links[*link].uses += 1;
            }
        }
        coverage
    }

    /// Returns how many of the tasks have a recording.
    pub fn tasks(&self) -> CoveredShare {
        let tasks = self.nodes.iter().filter(|node| node.is_task);
        CoveredShare::new(tasks.map(|node| !node.recordings.is_empty()))
    }

    /// Returns how many of the links that a model may choose are used.
    pub fn edges(&self) -> CoveredShare {
        let links = self.links.iter().filter(|link| link.is_offered);
        CoveredShare::new(links.map(|link| link.uses > 0))
    }
}

impl CoveredShare {
    fn new(parts: impl Iterator<Item = bool>) -> Self {
        let mut share = Self::default();
        for is_covered in parts {
            share.covered += usize::from(is_covered);
            share.total += 1;
        }
        share
    }
}
