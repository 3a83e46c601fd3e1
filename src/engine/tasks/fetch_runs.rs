//! Fetches LangSmith runs, only when the user requests it, and reports progress.

use std::sync::Arc;

use jiff::Timestamp;

use crate::engine::live::langsmith::fetch;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::ops::import::langsmith_api::FetchError;
use crate::workbench::{EngineEvent, FetchEvent, FetchRequest, ImportEvent};

impl Task for FetchRequest {
    fn lane() -> Lane {
        Lane::Newest("fetch")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let event = |event| EngineEvent::Import(ImportEvent::Fetch(event));
        let mut report = |progress| {
            context.send(event(FetchEvent::Progressed(self.number, progress)));
        };
        let is_cancelled = || context.is_cancelled();
        let mut runs = || {
            let target = self.form.target(Timestamp::now());
            let target = target.map_err(FetchError::Setting)?;
            let access = context.services.langsmith.access()?;
            let runs = fetch(&access, &target, &mut report, &is_cancelled)?;
            Ok(Arc::from(runs.source().text()))
        };
        Some(event(FetchEvent::Ended(self.number, runs())))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let ended = FetchEvent::Ended(self.number, Err(FetchError::Incomplete(reason)));
        EngineEvent::Import(ImportEvent::Fetch(ended))
    }
}
