//! Makes the file that a draft becomes.

use std::sync::Arc;

use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{DraftPreview, EngineEvent, ImportEvent, PreviewDraft};

impl Task for PreviewDraft {
    fn lane() -> Lane {
        Lane::Newest("draft")
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let preview = DraftPreview::new(self).map(Arc::new);
        Some(EngineEvent::Import(ImportEvent::Previewed(self.key, preview)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Import(ImportEvent::Previewed(self.key, Err(reason)))
    }
}
