//! Flakestorm contracts: the invariants that an agent's answer has to hold.

use super::field::Field;
use super::fields::Fields;
use super::problems::ProblemList;
use super::tree::{Node, NodeId};

/// A contract, in a file of its own or in a configuration.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The mapping.
    pub node: NodeId,
    /// The name sessions refer to.
    pub name: Option<Field<String>>,
    /// A description for readers.
    pub description: Option<Field<String>>,
    /// In order.
    pub invariants: Vec<Invariant>,
}

/// One thing that must hold.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The mapping.
    pub node: NodeId,
    /// `id`
    pub id: Option<Field<String>>,
    /// `type`, such as `contains` or `latency`
    pub kind: Option<Field<String>>,
    /// `critical`, `high`, `medium` or `low`
    pub severity: Option<Field<String>>,
}

impl Contract {
    /// Reads a contract, the root of its file or a part of a configuration. Missing fields and wrong types are reported,
    /// and the rest is read.
    pub(super) fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        Self {
            node: node.id(),
            name: fields.required_text("name"),
            description: fields.text("description"),
            invariants: fields.read_objects("invariants", Invariant::read),
        }
    }
}

impl Invariant {
    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        Self {
            node: node.id(),
            id: fields.text("id"),
            kind: fields.required_text("type"),
            severity: fields.text("severity"),
        }
    }
}
