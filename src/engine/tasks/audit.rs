//! Judges what the recordings of the project prove.

use std::sync::Arc;

use crate::disk::audit::audit;
use crate::disk::triage::{RunLogs, read_test_logs};
use crate::run::Work;
use protocol::{EngineEvent, Lane, RunAudit, RunSource};

pub(crate) fn run_audit(request: RunAudit) -> Work {
    Work::answering(
        Lane::Newest("audit"),
        request,
        |request, context| {
            let project = context.project.as_deref()?;
            let logs = match &request.logs {
                None => RunLogs::default(),
                Some(RunSource::Text { name, text }) => RunLogs {
                    logs: vec![(Arc::clone(name), Arc::clone(text))],
                    ..RunLogs::default()
                },
                Some(RunSource::Files(paths) | RunSource::Dropped(paths)) => {
                    read_test_logs(paths, project.bound())
                }
            };
            let items = request.items.iter().map(|(doc, item)| (doc.index(), item));
            let mut report = audit(project, items, &logs.logs, project.bound(), true);
            report.unread.splice(0..0, logs.unread);
            (!context.is_cancelled()).then(|| Ok(Arc::new(report)))
        },
        |request, result| EngineEvent::Audited(request.key, result),
    )
}
