//! Parses texts that are being edited.

use crate::engine::current::parse;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, ParseText};

impl Task for ParseText {
    fn lane() -> Lane {
        Lane::Texts
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let parsed = parse(context.project.as_deref()?, self.doc, &self.item, self.text.clone());
        Some(EngineEvent::Parsed(self.doc, self.revision, Ok(parsed)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Parsed(self.doc, self.revision, Err(reason))
    }
}
