//! Flakestorm contracts: the invariants that an agent's answer has to hold.

use super::field::Field;
use super::tree::NodeId;

/// A contract, in a file of its own or in a configuration.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The mapping.
    pub node: NodeId,
    /// The name sessions refer to.
    pub name: Option<Field<String>>,
    /// For people.
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
