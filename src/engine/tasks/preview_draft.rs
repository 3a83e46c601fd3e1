//! Makes the file that a draft becomes.

use std::sync::Arc;

use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{DraftPreview, EngineEvent, ImportEvent, PreviewDraft};

impl Task for PreviewDraft {
    fn lane() -> Lane {
        Lane::Newest("draft")
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let preview = Arc::new(DraftPreview::new(self));
        let preview = ImportEvent::Previewed(self.key, preview);
        Some(EngineEvent::Import(preview))
    }
}
