//! Which tools a request made at a node offers.

use std::fmt;

use super::{Annotation, Edge, Graph, Link, Machine, Node, NodeId};
use crate::ops::signature::utf16_order;

/// The name of a tool, as a request offers it.
pub type ToolName = Box<str>;

/// What a request made at a node offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Names of its tools, sorted as signatures are (by UTF-16 code units). Two edges to one node offer it twice.
    pub tools: Vec<ToolName>,
    /// Whether there is a request at all.
    pub asks: Asks,
    /// Why the above may not be what a run does.
    pub uncertain: Option<Uncertain>,
}

impl Offer {
    /// True when both offer the same tools, and ask for a choice or both do not.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let asks = |offer: &Self| offer.asks == Asks::Model;
        self.tools == other.tools && asks(self) == asks(other)
    }

    /// True when it is certain that no request is made.
    pub(super) fn is_silent(&self) -> bool {
        self.asks != Asks::Model && self.uncertain.is_none()
    }
}

/// Whether a model is asked at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asks {
    /// Yes: there is something to choose or to do.
    Model,
    /// No: the machine goes on by itself.
    PassedThrough,
    /// No: the run ends there, or never comes there.
    Never,
}

/// Why an offer may differ from what a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Uncertain {
    /// A condition on an edge: where it is true, the machine takes the edge and asks no model. Where it is false or
    /// cannot be decided, the edge is offered as any other.
    Condition,
    /// The node is imported: its type, its prompt and more edges may be in the other source.
    Imported,
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
    /// It is never offered as a way: `@auto`.
    is_auto: bool,
    /// The run splits at the node: `@parallel`.
    forks: bool,
    /// Whether the machine may take it by itself.
    condition: Condition,
}

/// When the machine takes an edge without asking a model, as far as the source says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Condition {
    Always,
    Sometimes,
    Never,
}

impl Role {
    pub(super) fn of(edge: &Edge) -> Self {
        let label = edge.label.as_ref().map(|label| label.text.trim());
        let label = label.unwrap_or_default().to_lowercase();
        let reads = label == "reads";
        let writes = label == "writes" || label == "stores";
        let spawns = is_on(&edge.annotations, &["async", "spawn", "fork", "parallel"]);
        let maps = is_on(&edge.annotations, &["map", "foreach", "each"]);
        // These two are compared as they are written.
        let has = |name: &str| edge.annotations.iter().any(|it| &*it.name.text == name);
        let is_auto = has("auto");
        Self {
            is_way: !(is_auto || spawns || maps || reads || writes),
            spawns,
            maps,
            reads,
            writes,
            is_auto,
            forks: has("parallel"),
            condition: match (condition(edge), is_auto) {
                (None, true) => Condition::Always,
                (None, false) => Condition::Never,
                (Some(condition), _) => condition,
            },
        }
    }
}

/// What decides that a condition is left to the model: it may need a tool or data from outside.
const EXTERNAL: [&str; 4] = ["tool", "external", "api", "call"];

/// When the condition of an edge is true; `None` without one.
fn condition(edge: &Edge) -> Option<Condition> {
    let conditions = ["when", "unless", "if"].into_iter();
    let (name, attribute) = conditions
        .filter_map(|name| {
            let mut all = edge.attributes.iter();
            Some((name, all.find(|it| &*it.name.text == name)?))
        })
        .next()?;
    let value = attribute.value.as_ref()?.text.trim();
    Some(match (value, name) {
        ("true", "when" | "if") | ("false", "unless") => Condition::Always,
        ("false", "when" | "if") | ("true", "unless") => Condition::Never,
        _ if EXTERNAL.iter().any(|word| value.contains(word)) => Condition::Never,
        _ => Condition::Sometimes,
    })
}

/// True when one of these annotations is there and not switched off, by `("false")` or `(enabled: false)`.
pub(super) fn is_on(annotations: &[Annotation], names: &[&str]) -> bool {
    annotations.iter().any(|annotation| {
        let is_named = names
            .iter()
            .any(|name| annotation.name.text.eq_ignore_ascii_case(name));
        let value = annotation.value.as_deref().unwrap_or_default();
        is_named && !matches!(value, "false" | "enabled: false" | "enabled: \"false\"")
    })
}

/// What a node is to the machine that runs it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    /// A task with a prompt: it always has something to do.
    Prompted,
    /// A task without a prompt, a state, or where the machine begins: with one way on, it is taken.
    Passed,
    /// A state, which never asks.
    State,
    /// Where the machine begins.
    Init,
    /// Any other node.
    Other,
}

impl Graph<'_> {
    /// The tools that a request made at a node would offer today, and whether one is made.
    pub fn offer(&self, id: NodeId) -> Offer {
        let outbound = self.outbound(id);
        let requires = self.requires_model(id, &outbound);
        let mut tools = Vec::new();
        for link in &outbound {
            if self.role(*link).is_way && !self.holds_data(link.target) {
                tools.push(format!("transition_to_{}", self.name(link.target)).into());
            }
        }
        let ways = tools.len();
        self.other_paths(id, &mut tools);
        self.data_tools(id, &mut tools);
        if requires && self.is_meta(id) {
            tools.extend(META_TOOLS.map(Box::from));
        }
        let goes_on = match self.goes_on(id, &outbound) {
            Condition::Never if requires && ways == 1 && tools.len() == 1 => Condition::Always,
            // What asks no model takes its only way.
            Condition::Never | Condition::Sometimes if !requires && ways == 1 => Condition::Always,
            goes_on => goes_on,
        };
        let asks = match goes_on {
            _ if self.is_unreached(id) => Asks::Never,
            Condition::Always => Asks::PassedThrough,
            _ if requires => Asks::Model,
            _ => Asks::Never,
        };
        tools.sort_by(|a, b| utf16_order(a, b));
        Offer {
            uncertain: match asks {
                _ if self.is_imported(id) => Some(Uncertain::Imported),
                Asks::Model if goes_on == Condition::Sometimes => Some(Uncertain::Condition),
                _ => None,
            },
            tools,
            asks,
        }
    }

    fn work(&self, id: NodeId) -> Work {
        let Some(node) = self.node(id) else {
            return Work::Other;
        };
        let is_task = node.kind.is_none() || node.is_a("task");
        match node.attribute("prompt") {
            Some(_) if is_task => Work::Prompted,
            _ if node.is_a("task") => Work::Passed,
            _ if node.is_a("state") => Work::State,
            _ if node.is_a("init") => Work::Init,
            _ => Work::Other,
        }
    }

    /// The links that a run may go along: the node's own, or where it has none at all, those of the node around.
    fn outbound(&self, id: NodeId) -> Vec<Link> {
        let own: Vec<Link> = self.leaving(id).collect();
        match self.parent(id) {
            Some(parent) if own.is_empty() => self.leaving(parent).collect(),
            _ => own,
        }
    }

    /// Whether a node has work or a choice for a model, unless the machine goes on by itself.
    fn requires_model(&self, id: NodeId, outbound: &[Link]) -> bool {
        let offered = outbound.iter().filter(|link| !self.role(**link).is_auto);
        match self.work(id) {
            Work::Prompted => true,
            Work::State => false,
            _ => offered.count() > 1,
        }
    }

    /// True where the machine takes the one way that there is, whatever is said on it.
    fn takes_only_way(&self, id: NodeId, outbound: &[Link]) -> bool {
        match (self.work(id), outbound) {
            (Work::Passed | Work::State | Work::Init, [_]) => true,
            (Work::Init, [first, rest @ ..]) => rest.iter().all(|it| it.target == first.target),
            _ => false,
        }
    }

    /// Whether the machine goes on by itself, before it looks whether there is something to ask.
    fn goes_on(&self, id: NodeId, outbound: &[Link]) -> Condition {
        let roles = || outbound.iter().map(|link| self.role(*link));
        let any = |condition| roles().any(|role| role.condition == condition);
        if self.takes_only_way(id, outbound)
            || any(Condition::Always)
            || roles().any(|role| role.forks)
        {
            return Condition::Always;
        }
        if any(Condition::Sometimes) {
            Condition::Sometimes
        } else {
            Condition::Never
        }
    }

    /// True for a node at which no run arrives: data to which no edge leads that the machine takes by itself, and what is
    /// no node because nothing declares it.
    fn is_unreached(&self, id: NodeId) -> bool {
        if self.node(id).is_none() && self.machine.is_strict() {
            return true;
        }
        if !self.holds_data(id) {
            return false;
        }
        let begins = |node: &Node| {
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
        !self.node(id).is_some_and(begins) && !self.entering(id).any(leads_here)
    }

    /// True for a node of which the machine takes the only way, or which holds such a node without edges of its own.
    fn is_passed(&self, id: NodeId) -> bool {
        let own: Vec<Link> = self.leaving(id).collect();
        let mut inside = self.inside(id).iter();
        let inherits = |child: &NodeId| {
            self.leaving(*child).next().is_none() && self.takes_only_way(*child, &own)
        };
        self.takes_only_way(id, &own) || own.len() == 1 && inside.any(inherits)
    }

    /// True for a node that is taken from another source.
    fn is_imported(&self, id: NodeId) -> bool {
        let names = self.machine.imports.iter().flat_map(|import| &import.names);
        let mut here = names.map(|(_, here)| &*here.text);
        self.node(id).is_none() && here.any(|name| name == self.name(id))
    }

    /// A context: what has the type, and for reading and writing also what has the word in its name.
    pub(super) fn is_context(&self, id: NodeId) -> bool {
        self.holds_data(id) || self.name(id).to_lowercase().contains("context")
    }

    /// What has the type `context`: it is never offered as a way.
    pub(super) fn holds_data(&self, id: NodeId) -> bool {
        self.node(id).is_some_and(|node| node.is_a("context"))
    }

    /// True when the machine or the node may edit the machine.
    pub(super) fn is_meta(&self, id: NodeId) -> bool {
        let own = self.node(id).map(|node| node.annotations.as_slice());
        is_meta(&self.machine.annotations) || is_meta(own.unwrap_or_default())
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
            Self::Condition => {
                "where a condition on one of its edges is true, the machine continues without a request"
            }
            Self::Imported => "it is imported, and only the file that it is in says what it offers",
        })
    }
}
