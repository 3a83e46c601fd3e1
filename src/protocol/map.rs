//! The map of a machine.

use std::sync::Arc;

use crate::{DocId, Items};
use machine::MachineMap;

/// Inputs that a map is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapKey {
    /// Of the scan.
    generation: u64,
    pub machine: Arc<str>,
    /// Of the items.
    items: u64,
}

impl MapKey {
    /// Of a machine, by its path from the project root.
    pub fn new(generation: u64, machine: Arc<str>, items: u64) -> Self {
        Self { generation, machine, items }
    }
}

/// Reads the map of a machine.
#[derive(Debug)]
pub struct ReadMap {
    pub key: MapKey,
    pub items: Items,
}

/// A map, and its recordings in their order on it; or the reason why there is none, as a sentence without a full stop.
pub type ReadMapResult = Result<(Vec<DocId>, MachineMap), String>;
