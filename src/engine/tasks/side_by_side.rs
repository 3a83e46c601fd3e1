//! Compares two files with calls, or a source with its version at the time of recording.

use std::sync::Arc;

use crate::disk::project::Project;
use crate::disk::source_history;
use crate::run::Work;
use compare::calls::compare_timed;
use protocol::{CompareItems, CompareSourceVersions, ComparedCalls, EngineEvent, Lane};

/// One view at a time shows either comparison.
pub(crate) const LANE: Lane = Lane::Newest("side by side");

pub(crate) fn compare_items(request: CompareItems) -> Work {
    Work::answering(
        LANE,
        request,
        |request, context| Some(compare(context.project.as_deref()?, request).map(Arc::new)),
        |request, result| {
            let (left, right) = (request.left.0, request.right.0);
            EngineEvent::Compared { left, right, result }
        },
    )
}

pub(crate) fn compare_versions(request: CompareSourceVersions) -> Work {
    Work::answering(
        LANE,
        request,
        |CompareSourceVersions { doc, item }, context| {
            let project = context.project.as_deref()?;
            let versions =
                source_history::compare_versions(project, doc.index(), item, &context.cancel);
            Some(Ok(Arc::new(versions)))
        },
        |request, versions| EngineEvent::SourceFound(request.doc, versions),
    )
}

fn compare(project: &Project, request: &CompareItems) -> Result<ComparedCalls, String> {
    let [left, right] = [&request.left, &request.right].map(|(doc, item)| {
        project.read(doc.index(), item).map_err(|reason| format!("{}: {reason}", item.path))
    });
    let refusal = "Only files with model calls can be compared side by side";
    let calls = compare_timed(&left?, &right?).ok_or_else(|| refusal.to_owned())?;
    let json = calls.values();
    Ok(ComparedCalls {
        in_json: calls.places(&json),
        in_text: calls.places(&calls.files),
        json: Arc::new(json),
        calls: Arc::new(calls),
    })
}
