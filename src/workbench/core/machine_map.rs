//! The map of a machine, for the desks that show one. One is read at a time.

use std::sync::Arc;

use super::effect::Effect;
use super::items::Items;
use super::library::DocId;
use super::state::Core;
use super::task::TaskRequest;
use crate::ops::Item;
use crate::ops::machine::MachineMap;
use crate::text::quoted;

/// What a map is read from.
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

impl TaskRequest for ReadMap {
    fn describe(&self) -> String {
        format!("reading the versions of {}", quoted(&self.key.machine))
    }
}

/// A map, and its recordings in their order on it; or the reason why there is none, as a sentence without a full stop.
pub type ReadMapResult = Result<(Vec<DocId>, MachineMap), String>;

/// Returns the machine that a recording was made from, by its path from the project root.
pub(in crate::workbench) fn machine_of(item: &Item) -> Option<&Arc<str>> {
    let source = item.source.as_ref()?;
    Some(&source.found.present()?.path)
}

impl Core {
    /// Returns what was read of a machine, and requests it if it is not there or not up to date; `None` while it is awaited.
    pub(in crate::workbench) fn machine_map(
        &mut self,
        machine: &Arc<str>,
    ) -> Option<Arc<ReadMapResult>> {
        let revision = self.library.items_revision;
        let key = MapKey::new(self.generation, Arc::clone(machine), revision);
        if self.maps.want(&key) {
            let items = self.library.items.clone();
            self.request(Effect::run(ReadMap { key, items }));
        }
        // While a newer one is awaited, the older one stays.
        let read = self.maps.key.as_ref()?;
        let is_same = read.machine == *machine && read.generation == self.generation;
        self.maps.value.clone().filter(|_| is_same)
    }

    pub(in crate::workbench) fn on_map_read(&mut self, key: &MapKey, read: ReadMapResult) {
        if self.maps.accept(key) {
            self.maps.value = Some(Arc::new(read));
        }
    }
}
