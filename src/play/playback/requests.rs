//! Collects requests to play from the set itself, from files, or from a machine.

use std::sync::Arc;

use super::played_request::{PlayedRequest, RequestOrigin};
use super::set::RecordingSet;
use calls::Pool;
use calls::reading::named_calls;
use document::text::Place;
use document::{Document, FileKind};
use machine::{Graph, Machine, ModelUse, ParseRecovery};

/// Returns the requests of a set in its order, to check the set itself. Files without a request are skipped.
pub fn from_set(set: &RecordingSet) -> Vec<Arc<PlayedRequest>> {
    let requests = set.recordings.iter().enumerate().filter_map(|(index, recording)| {
        let mut request = recording.request.as_deref()?.clone();
        request.origin = RequestOrigin::Own(index);
        Some(Arc::new(request))
    });
    requests.collect()
}

/// Returns the requests of the calls in a file, at least one.
///
/// # Errors
///
/// Returns why there is none, as a sentence without a full stop.
pub fn from_document(
    path: &Arc<str>,
    document: &Document,
    pool: &Pool,
) -> Result<Vec<Arc<PlayedRequest>>, String> {
    let requests = named_calls(path, document).into_iter().filter_map(|(name, call)| {
        Some(Arc::new(PlayedRequest::from_request(name, call.document.body.request()?, pool)))
    });
    let requests: Vec<_> = requests.collect();
    if requests.is_empty() { Err(describe_missing(document)) } else { Ok(requests) }
}

/// Returns why a document has no request, as a sentence without a full stop.
pub fn describe_missing(document: &Document) -> String {
    match (document.problems.first(), document.kind()) {
        (Some(problem), FileKind::Unknown) => problem.message.to_string(),
        (None, FileKind::Unknown) => "Expected a recording or a request".to_owned(),
        _ => format!("Expected a recording or a request, found {}", document.describe_kind()),
    }
}

/// Returns the first requests that the nodes of a machine would make today, in source order: with one message each and
/// no context keys, which the source does not contain.
///
/// # Errors
///
/// Returns an error if a part of the source could not be read, or no node calls a model; a sentence without a full
/// stop.
pub fn from_machine(
    path: &str,
    machine: &Machine,
    pool: &Pool,
) -> Result<Vec<Arc<PlayedRequest>>, String> {
    let mut problems = machine.problems.iter();
    // A skipped part may contain edges, so the requests would lack tools without notice.
    if let Some(problem) = problems.find(|problem| problem.recovery == ParseRecovery::Skipped) {
        let Place { line, column } = problem.place;
        let message = &problem.message;
        return Err(format!(
            "{path}:{line}:{column}: {message}, so the machine could not be read completely"
        ));
    }
    let graph = Graph::new(machine);
    let prompting = graph.ids().filter_map(|id| {
        let offer = graph.offer(id);
        (offer.model_use == ModelUse::Model).then(|| (graph.qualified(id), offer))
    });
    let requests = prompting.map(|(node, offer)| {
        let tools = offer.tools.iter().map(|tool| Some(pool.text(tool)));
        let (name, origin) = (format!("{path} at {node}"), RequestOrigin::Node);
        Arc::new(PlayedRequest {
            node: Some(pool.text(node)),
            uncertain: offer.uncertain,
            ..PlayedRequest::from_parts(name.into(), origin, tools.collect(), 1, Box::default())
        })
    });
    let requests: Vec<_> = requests.collect();
    if requests.is_empty() {
        Err(format!("{path}: no node of the machine calls a model"))
    } else {
        Ok(requests)
    }
}
