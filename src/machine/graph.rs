//! Resolves names: the source and target nodes of arrows, and the nodes that values of attributes name, which DyGram treats as
//! edges.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::edge_role::EdgeRole;
use super::token::Arrow;
use super::{Attribute, Edge, Machine, MachineNode, SpannedText};

/// Maximum number of links; an arrow with thousands of names on both sides is not a real machine.
const MAX_LINKS: usize = 1 << 16;

/// Maximum number of names in a path.
// Values of attributes are looked up as well, and a prompt may contain many dots.
const MAX_PARTS: usize = 16;

/// Types of attributes whose values are never nodes, in lower case.
const PRIMITIVES: [&str; 8] =
    ["string", "number", "boolean", "float", "double", "integer", "int", "decimal"];

/// Id of a node of a [`Graph`]: declared nodes first, in their order, then those that only edges name. Parents are
/// before children.
pub type GraphNodeId = usize;

/// A machine with resolved names.
#[derive(Clone, Debug)]
pub struct Graph<'a> {
    pub machine: &'a Machine,
    /// One link for each pair of names at an arrow, in the order of the text; then one for each node that an attribute
    /// names.
    pub links: Vec<Link>,
    /// The edges implied by attributes.
    implied: Vec<Edge>,
    /// The role of each edge: those of the machine, then the implied ones.
    roles: Vec<EdgeRole>,
    names: Vec<&'a str>,
    qualified: Vec<Cow<'a, str>>,
    parents: Vec<Option<GraphNodeId>>,
    inside: Vec<Vec<GraphNodeId>>,
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    children: HashMap<(Option<GraphNodeId>, &'a str), GraphNodeId>,
    anywhere: HashMap<&'a str, GraphNodeId>,
    by_qualified: HashMap<&'a str, GraphNodeId>,
}

/// A link from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Its index in [`Graph::links`].
    pub index: usize,
    /// The node it starts at.
    pub source: GraphNodeId,
    pub target: GraphNodeId,
    /// Index of its edge, see [`Graph::edge`].
    pub edge: usize,
}

impl<'a> Graph<'a> {
    /// Resolves the names of a machine.
    pub fn new(machine: &'a Machine) -> Self {
        let mut graph = Self {
            machine,
            links: Vec::new(),
            implied: Vec::new(),
            roles: machine.edges.iter().map(EdgeRole::from_edge).collect(),
            names: Vec::new(),
            qualified: Vec::new(),
            parents: Vec::new(),
            inside: Vec::new(),
            leaving: Vec::new(),
            entering: Vec::new(),
            children: HashMap::new(),
            anywhere: HashMap::new(),
            by_qualified: HashMap::new(),
        };
        for node in &machine.nodes {
            let id = graph.add(node.parent, &node.name.text, (&*node.qualified).into());
            graph.by_qualified.entry(&node.qualified).or_insert(id);
        }
        for (index, edge) in machine.edges.iter().enumerate() {
            graph.join(index, edge);
        }
        graph.join_attributes();
        graph
    }

    /// Finds a node by its name, its qualified name, or a path that leads into it.
    pub fn find(&self, name: &str) -> Option<GraphNodeId> {
        self.by_qualified.get(name).copied().or_else(|| Some(self.look_up(name, None)?.0))
    }

    /// Returns the node with this id; `None` for one that only edges name.
    pub fn node(&self, id: GraphNodeId) -> Option<&'a MachineNode> {
        self.machine.nodes.get(id)
    }

    /// Returns its name without its parents, as in tool names.
    pub fn name(&self, id: GraphNodeId) -> &'a str {
        self.names.get(id).copied().unwrap_or_default()
    }

    /// Returns its qualified name.
    pub fn qualified(&self, id: GraphNodeId) -> &str {
        self.qualified.get(id).map_or("", |name| name)
    }

    /// Returns its parent.
    pub fn parent(&self, id: GraphNodeId) -> Option<GraphNodeId> {
        self.parents.get(id).copied().flatten()
    }

    /// Returns all node ids, including nodes that only edges name.
    pub fn ids(&self) -> std::ops::Range<GraphNodeId> {
        0..self.names.len()
    }

    /// Returns the links that start at a node.
    pub fn leaving(&self, id: GraphNodeId) -> impl Iterator<Item = Link> + '_ {
        let indices = self.leaving.get(id).map(Vec::as_slice).unwrap_or_default();
        indices.iter().map(|link| self.links[*link])
    }

    /// Returns the links that lead to a node.
    pub fn entering(&self, id: GraphNodeId) -> impl Iterator<Item = Link> + '_ {
        let indices = self.entering.get(id).map(Vec::as_slice).unwrap_or_default();
        indices.iter().map(|link| self.links[*link])
    }

    /// Returns the edge of a link. An implied edge is labelled with the name of its attribute.
    pub fn edge(&self, link: Link) -> &Edge {
        let edges = &self.machine.edges;
        match link.edge.checked_sub(edges.len()) {
            None => &edges[link.edge],
            Some(index) => &self.implied[index],
        }
    }

    /// Returns all edges by the indices of links: those of the machine, then the implied ones.
    pub(super) fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.machine.edges.iter().chain(&self.implied)
    }

    /// Returns the role of an edge.
    pub(super) fn role(&self, link: Link) -> EdgeRole {
        self.roles[link.edge]
    }

    /// Returns the children of a node.
    pub(super) fn inside(&self, id: GraphNodeId) -> &[GraphNodeId] {
        &self.inside[id]
    }

    fn add(
        &mut self,
        parent: Option<GraphNodeId>,
        name: &'a str,
        qualified: Cow<'a, str>,
    ) -> GraphNodeId {
        let id = self.names.len();
        self.inside.push(Vec::new());
        if let Some(parent) = parent {
            self.inside[parent].push(id);
        }
        self.names.push(name);
        self.qualified.push(qualified);
        self.parents.push(parent);
        self.leaving.push(Vec::new());
        self.entering.push(Vec::new());
        // Paths and arrows find the first of equal names; values refer to the last one, see `NodeNames`.
        self.children.entry((parent, name)).or_insert(id);
        self.anywhere.entry(name).or_insert(id);
        id
    }

    fn join(&mut self, index: usize, edge: &'a Edge) {
        let [sources, targets] = [&edge.sources, &edge.targets].map(|names| {
            let ids = names.iter().map(|name| self.resolve(&name.text, edge.inside));
            ids.collect::<Vec<GraphNodeId>>()
        });
        for &source in &sources {
            for &target in &targets {
                self.link(source, target, index);
            }
        }
    }

    fn link(&mut self, source: GraphNodeId, target: GraphNodeId, edge: usize) {
        if self.links.len() >= MAX_LINKS {
            return;
        }
        let index = self.links.len();
        self.leaving[source].push(index);
        self.entering[target].push(index);
        self.links.push(Link { index, source, target, edge });
    }

    /// Adds links for attributes whose values name nodes. An explicit edge between the two that is labelled with the
    /// name of the attribute replaces the implied one.
    fn join_attributes(&mut self) {
        let names = NodeNames::new(self);
        let mut references: Vec<(GraphNodeId, GraphNodeId, &'a Attribute)> = Vec::new();
        for (id, node) in self.machine.nodes.iter().enumerate() {
            for attribute in &node.attributes {
                let target = names.named_by(node, attribute);
                references.extend(target.map(|target| (id, target, attribute)));
            }
        }
        if references.is_empty() {
            return;
        }
        let edge_count = self.machine.edges.len();
        let labels = self.links.iter().filter_map(|link| {
            let label = self.machine.edges[link.edge].label.as_ref()?;
            Some((link.source, link.target, &*label.text))
        });
        let labels: HashSet<(GraphNodeId, GraphNodeId, &str)> = labels.collect();
        for (source, target, attribute) in references {
            if labels.contains(&(source, target, &attribute.name.text)) {
                continue;
            }
            let edge = Edge::implied(self.qualified(source), self.qualified(target), attribute);
            self.roles.push(EdgeRole::from_edge(&edge));
            self.implied.push(edge);
            self.link(source, target, edge_count + self.implied.len() - 1);
        }
    }

    /// Resolves a name at a place. Undeclared nodes are created, for a path all missing ones, unless the rest of the
    /// path is an attribute of a node.
    fn resolve(&mut self, name: &'a str, inside: Option<GraphNodeId>) -> GraphNodeId {
        let (nearest, suffix) = match self.look_up(name, inside) {
            Some((id, "")) => return id,
            Some((id, suffix)) => (Some(id), suffix),
            None => (None, name),
        };
        let (first, _) = suffix.split_once('.').unwrap_or((suffix, ""));
        let has_attribute = |id| self.node(id).is_some_and(|node| node.attribute(first).is_some());
        match nearest {
            Some(id) if has_attribute(id) || self.machine.is_strict() => return id,
            // Such a node does not exist in a strict machine, but a link needs both ends.
            None if self.machine.is_strict() => return self.add(None, name, name.into()),
            _ => {}
        }
        let mut parent = nearest;
        for part in parts(suffix) {
            let qualified = match parent {
                Some(parent) => format!("{}.{part}", self.qualified[parent]).into(),
                None => part.into(),
            };
            parent = Some(self.add(parent, part, qualified));
        }
        parent.unwrap_or_default()
    }

    /// Searches the enclosing nodes from the inside out, then everywhere. Returns the node at the longest prefix of a
    /// path that names one, and the rest; a node that matches the whole path is preferred.
    fn look_up<'n>(
        &self,
        name: &'n str,
        inside: Option<GraphNodeId>,
    ) -> Option<(GraphNodeId, &'n str)> {
        let (mut place, mut nearest) = (inside, None);
        loop {
            match self.descend(place, name) {
                Some((id, "")) => return Some((id, "")),
                node => nearest = nearest.or(node),
            }
            match place {
                Some(id) => place = self.parents[id],
                None => break,
            }
        }
        if let Some(id) = self.anywhere.get(name) {
            return Some((*id, ""));
        }
        let find_inside = || {
            let (first, suffix) = name.split_once('.')?;
            let id = *self.anywhere.get(first)?;
            Some(self.descend(Some(id), suffix).unwrap_or((id, suffix)))
        };
        nearest.or_else(find_inside)
    }

    /// Follows a path down from a node as far as it names nodes; `None` if it names none. Names may contain dots.
    fn descend<'n>(
        &self,
        start: Option<GraphNodeId>,
        path: &'n str,
    ) -> Option<(GraphNodeId, &'n str)> {
        let (mut node, mut suffix) = (None, path);
        for _ in 0..MAX_PARTS {
            let child = |name| self.children.get(&(node.or(start), name)).copied();
            if let Some(id) = child(suffix) {
                return Some((id, ""));
            }
            let Some((part, tail)) = suffix.split_once('.') else { break };
            let Some(id) = child(part) else { break };
            (node, suffix) = (Some(id), tail);
        }
        node.map(|id| (id, suffix))
    }
}

/// Splits a path into names; a path with too many names, or with an empty one, is a single name.
pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    let is_path = path.split('.').take(MAX_PARTS + 1).count() <= MAX_PARTS
        && path.split('.').all(|part| !part.is_empty());
    let limit = if is_path { MAX_PARTS } else { 1 };
    path.splitn(limit, '.')
}

/// The names by which values refer to nodes: simple and qualified. Of several nodes with one name, the last one.
struct NodeNames<'g> {
    ids: HashMap<&'g str, GraphNodeId>,
    /// Length of the longest name in bytes.
    longest: usize,
}

impl<'g> NodeNames<'g> {
    fn new(graph: &'g Graph<'_>) -> Self {
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
    fn named_by(&self, node: &MachineNode, attribute: &Attribute) -> Option<GraphNodeId> {
        let kind = attribute.kind.as_ref().map(|kind| kind.text.to_lowercase());
        let is_primitive = kind.is_some_and(|kind| PRIMITIVES.contains(&&*kind));
        // Styles and notes say how the machine looks, not where it continues.
        let may_name = !is_primitive && !node.is_a("style") && !node.is_a("note");
        let value = attribute.value.as_ref().filter(|_| may_name);
        self.named(value?.named()?)
    }

    /// Returns the node at the longest prefix of a text, up to a dot, that is a name.
    fn named(&self, text: &str) -> Option<GraphNodeId> {
        let line = text.trim();
        let text = line.strip_suffix(';').unwrap_or(line);
        let points = text.match_indices('.').map(|(at, _)| at);
        let ends = points.chain([text.len()]).take(MAX_PARTS);
        // No name is longer than `longest`, so the search in a long text ends early.
        let parts = ends.take_while(|end| *end <= self.longest);
        let ids = parts.filter_map(|end| self.ids.get(&text[..end]).copied());
        ids.last()
    }
}

impl Edge {
    /// Creates the edge that an attribute implies between two nodes, given by their qualified names.
    fn implied(source: &str, target: &str, attribute: &Attribute) -> Self {
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
