//! Changes files as planned: those of a set, and those of an import. What was done can be undone.

use std::collections::BTreeMap;

use crate::engine::disk::files::{beneath, change_files};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::files::{FilesChanged, file_name};
use crate::ops::saving::{SaveFailure, SaveFault};
use crate::workbench::{EngineEvent, FileChangeRequest, ImportEvent, PlaybackEvent, SessionSteps};

impl Task for FileChangeRequest {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let targets = self.folders.iter().map(|(doc, item)| {
            let target = project.target(doc.index(), item)?;
            Ok((item.folder(), target))
        });
        let changed = match targets.collect::<Result<BTreeMap<_, _>, String>>() {
            Ok(targets) => change_files(&self.steps, |path| {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let beside = targets.get(folder).ok_or_else(|| SaveFault {
                    path: path.into(),
                    reason: SaveFailure::FolderGone,
                })?;
                Ok(beside.beside(file_name(path)))
            }),
            Err(reason) => FilesChanged::failed(reason),
        };
        let changed = PlaybackEvent::FilesChanged(self.clone(), changed);
        Some(EngineEvent::Playback(changed))
    }
}

impl Task for SessionSteps {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let Some(root) = context.project.as_deref()?.root() else {
            return Some(self.fail("Nothing is open".to_owned()));
        };
        let written = change_files(&self.steps, beneath(root));
        Some(EngineEvent::Import(ImportEvent::FilesWritten(self.clone(), written)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let failed = FilesChanged::failed(reason);
        EngineEvent::Import(ImportEvent::FilesWritten(self.clone(), failed))
    }
}
