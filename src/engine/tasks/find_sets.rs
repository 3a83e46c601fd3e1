//! Sorts items into sets.

use std::sync::Arc;

use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, FindSets, FoundSets, PlaybackEvent};

impl Task for FindSets {
    fn lane() -> Lane {
        Lane::Newest("sets")
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let sets = Arc::new(FoundSets::from_items(&self.items));
        let found = PlaybackEvent::SetsFound(self.revision, sets);
        Some(EngineEvent::Playback(found))
    }
}
