//! Merges the versions of a document.

use std::sync::Arc;

use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::merge::Merge;
use crate::ops::unmerged::Unmerged;
use crate::workbench::{EngineEvent, MergeVersions};

impl Task for MergeVersions {
    fn lane() -> Lane {
        Lane::Texts
    }

    fn run(&self, _: &TaskContext) -> Option<EngineEvent> {
        let ours = &self.ours;
        let merge = match &self.others {
            Some((base, theirs)) => Merge::new(base, theirs, ours),
            None => match Unmerged::read(ours.text()) {
                Some(it) => Merge::new(&it.base, &it.theirs, &it.ours),
                None => Merge::new(ours, ours, ours),
            },
        };
        let (doc, revision) = (self.doc, self.revision);
        Some(EngineEvent::Merged(doc, revision, Arc::new(merge)))
    }
}
