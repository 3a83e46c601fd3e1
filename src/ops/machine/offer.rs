//! Which tools a request made at a node offers.

use std::fmt;

use super::{Annotation, Edge, Graph, Machine, NodeId};
use crate::ops::signature::utf16_order;

/// The name of a tool, as a request offers it.
pub type ToolName = Box<str>;

/// What a request made at a node offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Names of its tools, sorted as signatures are (by UTF-16 code units). Two arrows to one node offer it twice.
    pub tools: Vec<ToolName>,
    /// Whether there is a request at all.
    pub asks: Asks,
    /// Why the above may not be all there is to it.
    pub uncertain: Option<Uncertain>,
}

impl Offer {
    /// True when both offer the same tools, as far as these are certain.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let is_meta = |offer: &Self| offer.uncertain == Some(Uncertain::Meta);
        self.tools == other.tools && is_meta(self) == is_meta(other)
    }
}

/// Whether a model is asked at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asks {
    /// Yes: there is something to choose or to do.
    Model,
    /// No: there is one way on, and nothing else to do.
    PassedThrough,
    /// No: nothing leads on, or it holds data.
    Never,
}

/// Why an offer may differ from what is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uncertain {
    /// `@meta` adds a set of tools for editing the machine; which, depends on the version of DyGram.
    Meta,
    /// A task with a prompt and at most one way on: only some versions ask a model there.
    PromptedTask,
    /// A state with several ways on: some versions ask no model there.
    State,
}

/// What an edge is to the node it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Role {
    /// A model may choose it.
    pub(super) is_way: bool,
    /// A model may start another path along it.
    pub(super) spawns: bool,
    /// The same for each element of a list.
    pub(super) maps: bool,
    /// It is labelled `reads`.
    pub(super) reads: bool,
    /// It is labelled `writes` or `stores`.
    pub(super) writes: bool,
}

impl Role {
    pub(super) fn of(edge: &Edge) -> Self {
        let label = edge.label.as_ref().map(|label| label.text.trim());
        let label = label.unwrap_or_default().to_lowercase();
        let is = |names: &[&str]| is_on(&edge.annotations, names);
        let reads = label == "reads";
        let writes = label == "writes" || label == "stores";
        let spawns = is(&["async", "spawn", "fork"]);
        let maps = is(&["map", "foreach", "each"]);
        let is_decided = is(&["auto"]) || has_condition(edge, &label);
        Self {
            is_way: !(is_decided || spawns || maps || reads || writes),
            spawns,
            maps,
            reads,
            writes,
        }
    }
}

/// Words before a colon that make the machine decide by itself.
const CONDITIONS: [&str; 3] = ["when", "if", "unless"];

fn has_condition(edge: &Edge, label: &str) -> bool {
    let is_condition = |name: &str| {
        CONDITIONS
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word))
    };
    let mut names = edge
        .attributes
        .iter()
        .map(|attribute| &*attribute.name.text);
    names.any(is_condition)
        || label
            .split_once(':')
            .is_some_and(|(name, _)| is_condition(name.trim()))
}

/// True when one of these annotations is there and not switched off.
fn is_on(annotations: &[Annotation], names: &[&str]) -> bool {
    annotations.iter().any(|annotation| {
        let is_named = names
            .iter()
            .any(|name| annotation.name.text.eq_ignore_ascii_case(name));
        is_named && annotation.value.as_deref() != Some("false")
    })
}

impl Graph<'_> {
    /// The tools that a request made at a node would offer today.
    pub fn offer(&self, id: NodeId) -> Offer {
        let node = self.node(id);
        let mut tools = Vec::new();
        if !self.holds_data(id) {
            self.ways(id, &mut tools);
        }
        let ways = tools.len();
        self.other_paths(id, &mut tools);
        self.data_tools(id, &mut tools);
        tools.sort_by(|a, b| utf16_order(a, b));
        let has_meta = self.is_meta(id);
        let asks = match (ways, tools.len()) {
            _ if self.holds_data(id) => Asks::Never,
            (_, 0) => Asks::Never,
            _ if has_meta => Asks::Model,
            (1, 1) => Asks::PassedThrough,
            _ => Asks::Model,
        };
        let is_a = |kind| node.is_some_and(|node| node.is_a(kind));
        let has_prompt = node.is_some_and(|node| node.attribute("prompt").is_some());
        let uncertain = match asks {
            Asks::Model if has_meta => Some(Uncertain::Meta),
            Asks::PassedThrough | Asks::Never if is_a("task") && has_prompt => {
                Some(Uncertain::PromptedTask)
            }
            Asks::Model if is_a("state") => Some(Uncertain::State),
            _ => None,
        };
        Offer {
            tools,
            asks,
            uncertain,
        }
    }

    /// A context: what has the type, and for reading and writing also what has the word in its name.
    pub(super) fn is_context(&self, id: NodeId) -> bool {
        self.holds_data(id) || self.name(id).to_lowercase().contains("context")
    }

    /// What has the type `context`: no way leads there.
    pub(super) fn holds_data(&self, id: NodeId) -> bool {
        self.node(id).is_some_and(|node| node.is_a("context"))
    }

    /// True when the machine or the node may edit the machine.
    pub(super) fn is_meta(&self, id: NodeId) -> bool {
        let own = self.node(id).map(|node| node.annotations.as_slice());
        is_meta(&self.machine.annotations) || is_meta(own.unwrap_or_default())
    }

    /// The ways on that a model may choose: its own, or where it has no edge at all, those of the node around.
    fn ways(&self, id: NodeId, tools: &mut Vec<ToolName>) {
        let has_edges = self.leaving(id).next().is_some();
        let parent = self.node(id).and_then(|node| node.parent);
        let from = match parent {
            Some(parent) if !has_edges => parent,
            _ => id,
        };
        for link in self.leaving(from) {
            if self.role(link).is_way && !self.holds_data(link.target) {
                tools.push(format!("transition_to_{}", self.name(link.target)).into());
            }
        }
    }

    /// The paths that a model may start beside its own.
    fn other_paths(&self, id: NodeId, tools: &mut Vec<ToolName>) {
        for link in self.leaving(id) {
            let (role, target) = (self.role(link), self.name(link.target));
            if role.spawns {
                tools.push(format!("spawn_async_to_{target}").into());
            }
            if role.maps {
                tools.push(format!("map_spawn_to_{target}").into());
            }
        }
    }

    /// The contexts that a model may read or write; each once.
    fn data_tools(&self, id: NodeId, tools: &mut Vec<ToolName>) {
        let from = tools.len();
        for link in self
            .entering(id)
            .filter(|link| self.is_context(link.source))
        {
            tools.push(format!("read_{}", self.name(link.source)).into());
        }
        for link in self.leaving(id).filter(|link| self.is_context(link.target)) {
            let (role, target) = (self.role(link), self.name(link.target));
            if role.reads {
                tools.push(format!("read_{target}").into());
            }
            if role.writes {
                tools.push(format!("write_{target}").into());
            }
        }
        let mut data = tools.split_off(from);
        data.sort_unstable();
        data.dedup();
        tools.append(&mut data);
    }
}

pub(super) fn is_meta(annotations: &[Annotation]) -> bool {
    is_on(annotations, &["meta"])
}

impl Machine {
    /// The tools that a request made at the node with this name would offer; `None` where there is none.
    pub fn tools_at(&self, node: &str) -> Option<Offer> {
        let graph = Graph::new(self);
        Some(graph.offer(graph.find(node)?))
    }
}

impl fmt::Display for Uncertain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Meta => {
                "it may edit the machine, with tools that depend on the version of DyGram"
            }
            Self::PromptedTask => {
                "it has a prompt and at most one way on, where only some versions of DyGram ask a model"
            }
            Self::State => "it is a state, where only some versions of DyGram ask a model",
        })
    }
}
