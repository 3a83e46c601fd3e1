//! Reads all seeds, those with unsaved edits from memory.

use std::sync::Arc;

use crate::engine::current::read_edited;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::format::FileKind;
use crate::ops::seeds::{SeedFile, seeds_of};
use crate::workbench::{EngineEvent, LoadSeeds, LoadedSeeds, SeedsEvent};

impl Task for LoadSeeds {
    fn lane() -> Lane {
        Lane::Newest("seeds")
    }

    /// A file that cannot be read has an error in its row.
    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let mut files = Vec::new();
        for (doc, item) in self.items.iter() {
            if context.is_cancelled() {
                return None;
            }
            if item.kind != FileKind::Seeds {
                continue;
            }
            if let Ok(document) = read_edited(project, &self.texts, doc, item) {
                let path = Arc::clone(&item.root_path);
                let seeds = seeds_of(&document).into();
                files.push((doc, SeedFile { path, seeds }));
            }
        }
        let loaded = Arc::new(LoadedSeeds::new(files));
        Some(EngineEvent::Seeds(SeedsEvent::Loaded(self.key, Ok(loaded))))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Seeds(SeedsEvent::Loaded(self.key, Err(reason)))
    }
}
