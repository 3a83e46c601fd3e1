//! Reads the map of a machine.

use crate::engine::group_by_machine;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{DocId, EngineEvent, ReadMap};

impl Task for ReadMap {
    fn lane() -> Lane {
        Lane::Newest("map")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let items = self.items.iter().map(|(doc, item)| (doc.index(), item));
        let recordings = group_by_machine(items).remove(&self.key.machine);
        let recordings = recordings.unwrap_or_default();
        let map = project.machine_map(&self.key.machine, &recordings, &context.cancel);
        let docs = recordings.iter().map(|(number, _)| DocId::new(*number));
        let read = map.map(|map| (docs.collect(), map));
        Some(EngineEvent::MapRead(self.key.clone(), Box::new(read)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::MapRead(self.key.clone(), Box::new(Err(reason)))
    }
}
