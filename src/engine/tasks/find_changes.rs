//! Finds unsaved changes.

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
        let Self { doc, copy, .. } = self;
        let diff = Arc::new(TextDiff::new(&copy.base, &copy.text, Outline::Plain));
        Some(EngineEvent::ChangesFound(*doc, copy.revision, diff))
    }
}
