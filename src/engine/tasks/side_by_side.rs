//! Compares two files with calls, or a source with its version at the time of recording.

use std::sync::Arc;

use crate::disk::project::Project;
use crate::disk::source_history;
use crate::run::Work;
use calls::Item;
use compare::calls::{compare_call, compare_timed};
use compare::review::{Take, compare_runs};
use document::Document;
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
    let (left, right) = (left?, right?);
    let refusal = "Only files with model calls can be compared side by side";
    let take = |document: &Document, item: &Item| {
        let bytes = document.source().text().as_bytes().to_vec();
        Take::new(item.root_path(), bytes).in_format(document.format.as_ref())
    };
    let takes = [take(&left, &request.left.1), take(&right, &request.right.1)];
    let run = compare_runs(&takes[0], &takes[1], &[]).filter(|run| run.calls.len() > 1);
    let shown = run.as_ref().and_then(|run| {
        let first = request.call.or(run.first).unwrap_or_default();
        // A call on one side only is compared with nothing.
        let mut places = (first..run.calls.len()).chain(0..first);
        places
            .find_map(|place| Some((place, compare_call(&left, &right, run.calls.get(place)?.0)?)))
    });
    let (call, calls) = match shown {
        Some(shown) => shown,
        None => (0, compare_timed(&left, &right).ok_or_else(|| refusal.to_owned())?),
    };
    let json = calls.values();
    Ok(ComparedCalls {
        in_json: calls.places(&json),
        in_text: calls.places(&calls.files),
        json: Arc::new(json),
        calls: Arc::new(calls),
        run,
        call,
    })
}
