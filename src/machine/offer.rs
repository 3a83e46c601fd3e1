//! Computes which tools a request made at a node offers.

use std::fmt;

use super::edge_role::{Condition, is_on};
use super::{Annotation, Graph, GraphNodeId, Link, MachineNode};
use document::signature::utf16_order;
use document::text::named_enum;

/// The name of a tool, as a request offers it.
pub type ToolName = Box<str>;

/// The tools that a request made at a node offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOffer {
    /// Names of its tools, sorted as signatures are (by UTF-16 code units). Two edges to one node offer it twice.
    pub tools: Vec<ToolName>,
    /// Whether a request is made.
    pub model_use: ModelUse,
    /// Reason that a run may behave differently.
    pub uncertain: Option<Uncertain>,
}

impl NodeOffer {
    /// Returns whether both offer the same tools and both or neither call the model.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let calls_model = |offer: &Self| offer.model_use == ModelUse::Model;
        self.tools == other.tools && calls_model(self) == calls_model(other)
    }

    /// Returns whether it is certain that no request is made.
    pub(super) fn is_silent(&self) -> bool {
        self.model_use != ModelUse::Model && self.uncertain.is_none()
    }
}

/// Whether a model is called at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModelUse {
    /// Yes: there is something to choose or to do.
    Model,
    /// No: the machine continues automatically.
    PassedThrough,
    /// No: the run ends there, or never reaches it.
    Never,
}

/// Reason that an offer may differ from what a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uncertain {
    /// A condition on an edge: if it is true, the machine takes the edge without calling the model. If it is false or
    /// undecidable, the edge is offered like any other.
    Condition,
    /// The node is imported: its type, its prompt and further edges may be in the other source.
    Imported,
}

named_enum! {
    /// Kind of a tool that a node offers for a link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum LinkToolKind {
        Transition = "transition_to_",
        Spawn = "spawn_async_to_",
        Map = "map_spawn_to_",
        Read = "read_",
        Write = "write_",
    }

    /// The beginning of the tool's name, which ends with the name of a node.
    fn prefix;
}

impl LinkToolKind {
    const ALL: [Self; 5] = [Self::Transition, Self::Spawn, Self::Map, Self::Read, Self::Write];
}

/// Returns the prefix of a tool's name that its icon represents; empty for other tools and for a name that is only a
/// prefix.
pub fn tool_prefix(name: &str) -> &'static str {
    let has_prefix = |prefix: &&str| name.len() > prefix.len() && name.starts_with(prefix);
    ["transition_to_", "read_", "write_"].into_iter().find(has_prefix).unwrap_or("")
}

/// Returns the name of a tool without the prefix that its icon represents.
pub fn short_tool(name: &str) -> &str {
    &name[tool_prefix(name).len()..]
}

/// A tool that a node offers for a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinkTool {
    pub(super) kind: LinkToolKind,
    /// The node in its name.
    pub(super) node: GraphNodeId,
    /// The index of the link.
    pub(super) link: usize,
}

/// Returns the names of all tools that may be offered for a node, without its parents in its name, before and after it was
/// renamed.
pub fn renamed_tools(then: &str, now: &str) -> impl Iterator<Item = [ToolName; 2]> {
    LinkToolKind::ALL
        .into_iter()
        .map(move |kind| [then, now].map(|name| format!("{}{name}", kind.prefix()).into()))
}

/// The tools that `@meta` adds.
const META_TOOLS: [&str; 7] = [
    "get_machine_definition",
    "update_definition",
    "construct_tool",
    "list_available_tools",
    "propose_tool_improvement",
    "get_tool_nodes",
    "build_tool_from_node",
];

/// The kind of work of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeWork {
    /// A task with a prompt: it always has something to do.
    Prompted,
    /// A task without a prompt, a state, or the start: a single outgoing edge is taken automatically.
    Passed,
    /// A state, which never calls the model.
    State,
    /// The start of the machine.
    Init,
    /// Any other node.
    Other,
}

impl Graph<'_> {
    /// Returns the tools that a request made at a node would offer today, and whether one is made.
    pub fn offer(&self, id: GraphNodeId) -> NodeOffer {
        let outbound = self.outbound(id);
        let by_model = self.requires_model(id, &outbound);
        let is_data =
            |tool: &LinkTool| matches!(tool.kind, LinkToolKind::Read | LinkToolKind::Write);
        let (data, tools): (Vec<_>, Vec<_>) = self.link_tools(id).into_iter().partition(is_data);
        let is_way = |tool: &&LinkTool| tool.kind == LinkToolKind::Transition;
        let ways = tools.iter().filter(is_way).count();
        let [mut tools, mut data] = [tools, data].map(|tools| {
            tools.into_iter().map(|tool| self.tool_name(tool)).collect::<Vec<ToolName>>()
        });
        // Each is offered once, however many edges there are.
        data.sort_unstable();
        data.dedup();
        tools.append(&mut data);
        if by_model && self.is_meta(id) {
            tools.extend(META_TOOLS.map(Box::from));
        }
        let condition = match self.goes_on(id, &outbound) {
            // DyGram passes a node whose only tool is one transition, without calling a model.
            Condition::Never if by_model && ways == 1 && tools.len() == 1 => Condition::Always,
            // A node that calls no model takes its only outgoing edge.
            Condition::Never | Condition::Sometimes if !by_model && ways == 1 => Condition::Always,
            // DyGram has been seen to request there although a condition is true.
            Condition::Always if self.starts_by_conditions(id, &outbound) => Condition::Sometimes,
            condition => condition,
        };
        let model_use = match condition {
            _ if self.is_unreached(id) => ModelUse::Never,
            Condition::Always => ModelUse::PassedThrough,
            _ if by_model => ModelUse::Model,
            _ => ModelUse::Never,
        };
        tools.sort_by(|a, b| utf16_order(a, b));
        NodeOffer {
            uncertain: match model_use {
                _ if self.is_imported(id) => Some(Uncertain::Imported),
                ModelUse::Model if condition == Condition::Sometimes => Some(Uncertain::Condition),
                _ => None,
            },
            tools,
            model_use,
        }
    }

    fn work(&self, id: GraphNodeId) -> NodeWork {
        let Some(node) = self.node(id) else { return NodeWork::Other };
        // An untyped node with a prompt is a task for DyGram.
        let is_task = node.kind.is_none() || node.is_a("task");
        match node.attribute("prompt") {
            Some(_) if is_task => NodeWork::Prompted,
            _ if node.is_a("task") => NodeWork::Passed,
            _ if node.is_a("state") => NodeWork::State,
            _ if node.is_a("init") => NodeWork::Init,
            _ => NodeWork::Other,
        }
    }

    /// Returns the links that a run may follow: the node's own, or without any, those of its parent.
    fn outbound(&self, id: GraphNodeId) -> Vec<Link> {
        let links: Vec<Link> = self.leaving(id).collect();
        match self.parent(id) {
            Some(parent) if links.is_empty() => self.leaving(parent).collect(),
            _ => links,
        }
    }

    /// Returns whether a node has work or a choice for a model, unless the machine continues automatically.
    fn requires_model(&self, id: GraphNodeId, outbound: &[Link]) -> bool {
        let offered_links = outbound.iter().filter(|link| !self.role(**link).is_auto);
        match self.work(id) {
            // A task with a prompt calls the model even if it has no tool.
            NodeWork::Prompted => true,
            // Even at a state with several outgoing edges DyGram calls no model.
            NodeWork::State => false,
            // A single edge is no choice.
            _ => offered_links.count() > 1,
        }
    }

    /// Returns whether a node is an untyped start with a prompt, all of whose edges have a condition.
    fn starts_by_conditions(&self, id: GraphNodeId, outbound: &[Link]) -> bool {
        let is_start = self.name(id) == "start" && self.node(id).is_some_and(|n| n.kind.is_none());
        let mut roles = outbound.iter().map(|link| self.role(*link));
        is_start
            && self.work(id) == NodeWork::Prompted
            && roles.all(|role| role.condition != Condition::Never && !role.is_auto)
    }

    /// Returns whether the machine takes the only outgoing edge, whatever its label.
    fn takes_only_way(&self, id: GraphNodeId, outbound: &[Link]) -> bool {
        match (self.work(id), outbound) {
            (NodeWork::Passed | NodeWork::State | NodeWork::Init, [_]) => true,
            // DyGram does not call a model at `init` with several edges to one target.
            (NodeWork::Init, [first, links @ ..]) => links.iter().all(|l| l.target == first.target),
            _ => false,
        }
    }

    /// Returns whether the machine continues automatically, before it checks whether the model has work.
    fn goes_on(&self, id: GraphNodeId, outbound: &[Link]) -> Condition {
        let roles = || outbound.iter().map(|link| self.role(*link));
        let has_condition = |condition| roles().any(|role| role.condition == condition);
        if self.takes_only_way(id, outbound)
            || has_condition(Condition::Always)
            || roles().any(|role| role.forks)
        {
            return Condition::Always;
        }
        if has_condition(Condition::Sometimes) { Condition::Sometimes } else { Condition::Never }
    }

    /// Returns whether no run reaches a node: a data node without an edge that the machine takes automatically, or an
    /// undeclared node.
    fn is_unreached(&self, id: GraphNodeId) -> bool {
        if self.node(id).is_none() && self.machine.is_strict() {
            return true;
        }
        if !self.holds_data(id) {
            return false;
        }
        let is_start = |node: &MachineNode| {
            let mut annotations = node.annotations.iter();
            node.name.text.eq_ignore_ascii_case("start")
                || annotations.any(|annotation| &*annotation.name.text == "start")
        };
        let leads_here = |link: Link| {
            let role = self.role(link);
            let is_first = || self.leaving(link.source).next() == Some(link);
            role.forks
                || role.spawns
                || role.maps
                || role.condition != Condition::Never
                || is_first() && self.is_passed(link.source)
        };
        !self.node(id).is_some_and(is_start) && !self.entering(id).any(leads_here)
    }

    /// Returns whether the machine takes the only outgoing edge of a node, or of its parent if the node has no edges.
    fn is_passed(&self, id: GraphNodeId) -> bool {
        let links: Vec<Link> = self.leaving(id).collect();
        let mut children = self.inside(id).iter();
        let inherits = |child: &GraphNodeId| {
            self.leaving(*child).next().is_none() && self.takes_only_way(*child, &links)
        };
        self.takes_only_way(id, &links) || links.len() == 1 && children.any(inherits)
    }

    /// Returns whether a node is imported from another source.
    fn is_imported(&self, id: GraphNodeId) -> bool {
        let names = self.machine.imports.iter().flat_map(|import| &import.names);
        let mut local_names = names.map(|(_, n)| &*n.text);
        self.node(id).is_none() && local_names.any(|name| name == self.name(id))
    }

    /// Returns whether a node is a context: by its type, and for reading and writing also by its name.
    pub(super) fn is_context(&self, id: GraphNodeId) -> bool {
        self.holds_data(id) || self.name(id).to_lowercase().contains("context")
    }

    /// Returns whether a node has the type `context`, which is never offered as a transition.
    pub(super) fn holds_data(&self, id: GraphNodeId) -> bool {
        self.node(id).is_some_and(|node| node.is_a("context"))
    }

    /// Returns whether the machine or the node may edit the machine.
    pub(super) fn is_meta(&self, id: GraphNodeId) -> bool {
        let annotations = self.node(id).map(|node| node.annotations.as_slice());
        is_meta(&self.machine.annotations) || is_meta(annotations.unwrap_or_default())
    }

    /// Returns the name of a tool, as a request offers it.
    pub(super) fn tool_name(&self, tool: LinkTool) -> ToolName {
        format!("{}{}", tool.kind.prefix(), self.name(tool.node)).into()
    }

    /// Returns the tools that a request made at a node offers for links: for the transitions, for other paths that a model may
    /// start, and for the contexts that it may read or write. Several links may have tools of the same name.
    pub(super) fn link_tools(&self, id: GraphNodeId) -> Vec<LinkTool> {
        use LinkToolKind::{Map, Read, Spawn, Transition, Write};
        let mut tools = Vec::new();
        let mut add = |is_offered: bool, kind, node, link: Link| {
            let link = link.index;
            tools.extend(is_offered.then_some(LinkTool { kind, node, link }));
        };
        for link in self.outbound(id) {
            let is_way = self.role(link).is_way && !self.holds_data(link.target);
            add(is_way, Transition, link.target, link);
        }
        for link in self.leaving(id) {
            let role = self.role(link);
            add(role.spawns, Spawn, link.target, link);
            add(role.maps, Map, link.target, link);
        }
        for link in self.entering(id) {
            // An edge from a context to a node is read, whatever its label.
            add(self.is_context(link.source), Read, link.source, link);
        }
        for link in self.leaving(id).filter(|link| self.is_context(link.target)) {
            let role = self.role(link);
            add(role.reads, Read, link.target, link);
            add(role.writes, Write, link.target, link);
        }
        tools
    }
}

pub(super) fn is_meta(annotations: &[Annotation]) -> bool {
    is_on(annotations, &["meta"])
}

impl fmt::Display for Uncertain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Condition => {
                "where a condition on one of its edges is true, the machine goes on without a request"
            }
            Self::Imported => "it is imported, and only the file that it is in says what it offers",
        })
    }
}
