//! Lists the items of the library.

use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, ListRequest};

impl Task for ListRequest {
    fn lane() -> Lane {
        Lane::Independent("list")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        if let Some(first) = self.list_first()
            && !context.send(EngineEvent::FirstRows(self.key, first))
        {
            return None;
        }
        if !context.send(EngineEvent::Listed(self.key, Ok(self.list()))) {
            return None;
        }
        let completions = self.complete()?;
        Some(EngineEvent::Completed(self.key, completions))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Listed(self.key, Err(reason))
    }
}
