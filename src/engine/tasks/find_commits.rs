//! Finds the commits that recorded the calls of a file.

use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, FindCommits};

impl Task for FindCommits {
    fn lane() -> Lane {
        Lane::Newest("commits")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let Self { key, item } = self;
        let project = context.project.as_deref()?;
        let found = project.blame(key.doc.index(), item, None, &context.cancel);
        // A file without a history has no commits, which is nothing to report.
        Some(EngineEvent::CommitsFound(*key, found.unwrap_or_default()))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Failed(reason)
    }
}
