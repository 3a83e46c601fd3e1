//! Reads files again.

use std::sync::Arc;

use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, ReadDocument};

impl Task for ReadDocument {
    fn lane() -> Lane {
        Lane::Reads
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let document = context.project.as_deref()?.read(self.doc.index(), &self.item);
        Some(EngineEvent::Opened(self.doc, document.map(Arc::new)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Opened(self.doc, Err(reason))
    }
}
