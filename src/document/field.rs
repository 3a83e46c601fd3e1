//! A value read from a file, with the place it came from.

use super::tree::NodeId;

/// A value and the node it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct Field<T> {
    pub value: T,
    /// The node it was read from.
    pub node: NodeId,
}

impl<T> Field<T> {
    /// Pairs a value with its node.
    pub fn new(value: T, node: NodeId) -> Self {
        Self { value, node }
    }
}

/// The text of an optional field, or nothing.
pub fn text(field: &Option<Field<String>>) -> Option<&str> {
    field.as_ref().map(|field| field.value.as_str())
}
