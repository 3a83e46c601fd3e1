//! Finds the changes between two texts of a document.

use std::sync::Arc;

use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::diff::outline::Outline;
use crate::ops::diff::text::TextDiff;
use crate::workbench::{EngineEvent, FindChanges};

impl Task for FindChanges {
    fn lane() -> Lane {
        Lane::Texts
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let diff = Arc::new(TextDiff::new(&self.before, &self.after, Outline::Plain));
        Some(EngineEvent::ChangesFound(self.doc, self.revision, diff))
    }
}
