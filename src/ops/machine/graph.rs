//! Names resolved: which node an arrow leaves, and where it leads.

use std::collections::HashMap;

use super::offer::Role;
use super::{Edge, Machine, Node};

/// How many pairs of names are joined; a list of thousands on both sides of an arrow is no machine.
const MAX_LINKS: usize = 1 << 16;

/// How many points in a name are looked behind.
const MAX_PARTS: usize = 16;

/// A node of a [`Graph`]: those of the machine first, in their order, then those that only arrows name.
pub type NodeId = usize;

/// A machine with its names resolved.
#[derive(Clone, Debug)]
pub struct Graph<'a> {
    /// What it is made from.
    pub machine: &'a Machine,
    /// One for each pair of names at an arrow, in the order of the text.
    pub links: Vec<Link>,
    /// What each edge is to the node it leaves.
    roles: Vec<Role>,
    names: Vec<&'a str>,
    inside: Vec<Vec<NodeId>>,
    leaving: Vec<Vec<usize>>,
    entering: Vec<Vec<usize>>,
    children: HashMap<(Option<NodeId>, &'a str), NodeId>,
    anywhere: HashMap<&'a str, NodeId>,
    by_qualified: HashMap<&'a str, NodeId>,
    undeclared: HashMap<&'a str, NodeId>,
}

/// One way from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it starts.
    pub source: NodeId,
    /// Where it leads.
    pub target: NodeId,
    /// Index of its edge.
    pub edge: usize,
}

impl<'a> Graph<'a> {
    /// Resolves the names of a machine.
    pub fn new(machine: &'a Machine) -> Self {
        let mut graph = Self {
            machine,
            links: Vec::new(),
            roles: machine.edges.iter().map(Role::of).collect(),
            names: Vec::new(),
            inside: Vec::new(),
            leaving: Vec::new(),
            entering: Vec::new(),
            children: HashMap::new(),
            anywhere: HashMap::new(),
            by_qualified: HashMap::new(),
            undeclared: HashMap::new(),
        };
        for node in &machine.nodes {
            let name = &*node.name.text;
            let id = graph.add(node.parent, name);
            graph.children.entry((node.parent, name)).or_insert(id);
            graph.anywhere.entry(name).or_insert(id);
            graph.by_qualified.entry(&node.qualified).or_insert(id);
        }
        for (index, edge) in machine.edges.iter().enumerate() {
            graph.join(index, edge);
        }
        graph
    }

    /// The id of a node by its name, its qualified name, or a path that leads into it.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let whole = self.by_qualified.get(name).copied();
        whole.or_else(|| self.look_up(name, None))
    }

    /// The node with this id; `None` for one that only arrows name.
    pub fn node(&self, id: NodeId) -> Option<&'a Node> {
        self.machine.nodes.get(id)
    }

    /// Its name without those around it, as tools are named.
    pub fn name(&self, id: NodeId) -> &'a str {
        self.names.get(id).copied().unwrap_or_default()
    }

    /// Its name with those around it.
    pub fn qualified(&self, id: NodeId) -> &'a str {
        self.node(id).map_or(self.name(id), |node| &node.qualified)
    }

    /// Every node, those too that only arrows name.
    pub fn ids(&self) -> std::ops::Range<NodeId> {
        0..self.names.len()
    }

    /// The links that start at a node.
    pub fn leaving(&self, id: NodeId) -> impl Iterator<Item = Link> + '_ {
        let all = self.leaving.get(id).map(Vec::as_slice).unwrap_or_default();
        all.iter().map(|link| self.links[*link])
    }

    /// The links that lead to a node.
    pub fn entering(&self, id: NodeId) -> impl Iterator<Item = Link> + '_ {
        let all = self.entering.get(id).map(Vec::as_slice).unwrap_or_default();
        all.iter().map(|link| self.links[*link])
    }

    /// The edge a link is of.
    pub fn edge(&self, link: Link) -> &'a Edge {
        &self.machine.edges[link.edge]
    }

    /// What an edge is to the node it leaves.
    pub(super) fn role(&self, link: Link) -> Role {
        self.roles[link.edge]
    }

    /// The nodes inside of a node.
    pub(super) fn inside(&self, id: NodeId) -> &[NodeId] {
        &self.inside[id]
    }

    fn add(&mut self, parent: Option<NodeId>, name: &'a str) -> NodeId {
        let id = self.names.len();
        self.inside.push(Vec::new());
        if let Some(parent) = parent {
            self.inside[parent].push(id);
        }
        self.names.push(name);
        self.leaving.push(Vec::new());
        self.entering.push(Vec::new());
        id
    }

    fn join(&mut self, index: usize, edge: &'a Edge) {
        let targets: Vec<NodeId> = edge
            .targets
            .iter()
            .map(|name| self.resolve(&name.text, edge.inside))
            .collect();
        for source in &edge.sources {
            let source = self.resolve(&source.text, edge.inside);
            for &target in &targets {
                if self.links.len() >= MAX_LINKS {
                    return;
                }
                self.leaving[source].push(self.links.len());
                self.entering[target].push(self.links.len());
                self.links.push(Link {
                    source,
                    target,
                    edge: index,
                });
            }
        }
    }

    /// The node a name means at a place; one that nothing declares comes to be by being named.
    fn resolve(&mut self, name: &'a str, inside: Option<NodeId>) -> NodeId {
        if let Some(id) = self.look_up(name, inside) {
            return id;
        }
        let id = self.add(None, name);
        self.undeclared.insert(name, id);
        id
    }

    /// Looks in the nodes around, from the innermost out, then anywhere, then among what only arrows name. What follows
    /// a node's name and names nothing inside of it is the path of an attribute.
    fn look_up(&self, name: &str, inside: Option<NodeId>) -> Option<NodeId> {
        let mut around = inside;
        loop {
            if let Some(id) = self.descend(around, name) {
                return Some(id);
            }
            match around {
                Some(id) => around = self.machine.nodes[id].parent,
                None => break,
            }
        }
        let anywhere = |name| self.anywhere.get(name).copied();
        let within = || {
            let (first, rest) = name.split_once('.')?;
            let id = anywhere(first)?;
            self.descend(Some(id), rest).or(Some(id))
        };
        let undeclared = || self.undeclared.get(name).copied();
        anywhere(name).or_else(within).or_else(undeclared)
    }

    /// Follows a path from a node down, as far as it names nodes; `None` when it names none. Names may have points.
    fn descend(&self, from: Option<NodeId>, path: &str) -> Option<NodeId> {
        let (mut found, mut rest) = (None, path);
        for _ in 0..MAX_PARTS {
            let child = |name| self.children.get(&(found.or(from), name)).copied();
            if let Some(id) = child(rest) {
                return Some(id);
            }
            let Some((part, after)) = rest.split_once('.') else {
                break;
            };
            let Some(id) = child(part) else { break };
            (found, rest) = (Some(id), after);
        }
        found
    }
}
