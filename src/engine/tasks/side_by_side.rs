//! Compares two files with calls, or a source with its version at the time of recording.

use std::sync::Arc;

use crate::engine::disk::project::Project;
use crate::engine::disk::source_history::compare_versions;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::calls;
use crate::workbench::{CompareItems, CompareSourceVersions, ComparedCalls, EngineEvent};

/// One view at a time shows either comparison.
const LANE: Lane = Lane::Newest("side by side");

impl CompareItems {
    fn answer(&self, result: Result<Arc<ComparedCalls>, String>) -> EngineEvent {
        EngineEvent::Compared { left: self.left.0, right: self.right.0, result }
    }
}

impl Task for CompareItems {
    fn lane() -> Lane {
        LANE
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        Some(self.answer(compare(context.project.as_deref()?, self).map(Arc::new)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        self.answer(Err(reason))
    }
}

impl Task for CompareSourceVersions {
    fn lane() -> Lane {
        LANE
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let Self { doc, item } = self;
        let found =
            compare_versions(context.project.as_deref()?, doc.index(), item, &context.cancel);
        Some(EngineEvent::SourceFound(*doc, Ok(Arc::new(found))))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::SourceFound(self.doc, Err(reason))
    }
}

fn compare(project: &Project, request: &CompareItems) -> Result<ComparedCalls, String> {
    let [left, right] = [&request.left, &request.right].map(|(doc, item)| {
        let document = project.read(doc.index(), item);
        document.map_err(|reason| format!("{}: {reason}", item.path))
    });
    let refusal = "Only files with model calls can be compared side by side";
    let calls = calls::compare_timed(&left?, &right?).ok_or_else(|| refusal.to_owned())?;
    let json = calls.values();
    Ok(ComparedCalls {
        in_json: calls.places(&json),
        in_text: calls.places(&calls.files),
        json: Arc::new(json),
        calls: Arc::new(calls),
    })
}
