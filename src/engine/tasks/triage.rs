//! Reads the logs of a run, finds the causes of its failures, and plays them again.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::current::read_edited;
use crate::engine::disk::triage::{RunLogs, read_each_set, read_run_folders, read_run_logs};
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::triage::{Triage, assign};
use crate::workbench::{
    DocId, EngineEvent, LoggedRun, PlayRun, ReadRun, RunSource, TriageEvent, TriagedRun,
};

impl Task for ReadRun {
    fn lane() -> Lane {
        Lane::Newest("logs")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let read = match &self.source {
            RunSource::Text { name, text } => RunLogs {
                logs: vec![(Arc::clone(name), Arc::clone(text))],
                unread: Vec::new(),
            },
            RunSource::Files(paths) => read_run_logs(paths, project.bound()),
            RunSource::Dropped(paths) => read_run_folders(paths, project.bound()),
        };
        let run = LoggedRun::new(self.source.name(), read.logs, read.unread);
        let read = TriageEvent::Read(self.number, Arc::new(run));
        Some(EngineEvent::Triage(read))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let unread = vec![reason];
        let run = LoggedRun::new(self.source.name(), Vec::new(), unread);
        EngineEvent::Triage(TriageEvent::Read(self.number, Arc::new(run)))
    }
}

impl Task for PlayRun {
    fn lane() -> Lane {
        Lane::Newest("run")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let items = || self.items.iter().map(|(doc, item)| (doc.index(), &**item));
        let read_sets = |folders: &BTreeSet<Arc<str>>| {
            read_each_set(project, items(), folders, &context.cancel, |index, item| {
                read_edited(project, &self.edited, DocId::new(index), item)
            })
        };
        let (triage, progress, sets) = match &self.triage {
            Some(triage) => {
                let failures = triage.failures.iter();
                let assigned = failures.filter_map(|failure| failure.result.as_ref().ok());
                let folders = assigned
                    .map(|assigned| Arc::clone(&assigned.folder))
                    .collect();
                let sets = read_sets(&folders);
                (Arc::clone(triage), triage.progress(&sets), sets)
            }
            None => {
                let failures = self.run.failures.iter().map(|it| {
                    let folder = assign(&it.failure, items().map(|(_, item)| item));
                    (it.failure.clone(), folder)
                });
                let failures: Vec<_> = failures.collect();
                let folders = failures
                    .iter()
                    .filter_map(|(_, folder)| folder.as_ref().ok());
                let sets = read_sets(&folders.cloned().collect());
                let triage = Triage::new(failures, &sets);
                let progress = triage.first_progress();
                (Arc::new(triage), progress, sets)
            }
        };
        if context.is_cancelled() {
            return None;
        }
        let played = TriagedRun::new(triage, progress, &sets, &self.items);
        let played = TriageEvent::Played(self.number, Ok(Arc::new(played)));
        Some(EngineEvent::Triage(played))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Triage(TriageEvent::Played(self.number, Err(reason)))
    }
}
