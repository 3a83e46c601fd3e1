//! Collects requests to play from the set itself, from files, or from a machine.

use std::sync::Arc;

use super::asked::{Asked, Origin};
use super::set::Set;
use crate::format::{Body, Document, Kind};
use crate::ops::Pool;
use crate::ops::machine::{Asks, Fault, Graph, Machine};
use crate::text::Place;

/// Returns the requests of a set in its order, to check the set itself. Files without a request are skipped.
pub fn of_set(set: &Set) -> Vec<Arc<Asked>> {
    let recordings = set.recordings.iter().enumerate();
    let asked = recordings.filter_map(|(index, recorded)| {
        let mut asked = recorded.asked.as_deref()?.clone();
        asked.origin = Origin::Own(index);
        Some(Arc::new(asked))
    });
    asked.collect()
}

/// Returns the request in a recording or in a request file.
///
/// # Errors
///
/// Returns why there is none, as a sentence without a full stop.
pub fn of_document(path: Arc<str>, document: &Document, pool: &Pool) -> Result<Asked, String> {
    match &document.body {
        Body::Recording(recording) => Ok(Asked::read(path, &recording.request, pool)),
        Body::Request(request) => Ok(Asked::read(path, request, pool)),
        _ => Err(match (document.problems.first(), document.kind()) {
            (Some(problem), Kind::Unknown) => problem.message.to_string(),
            (None, Kind::Unknown) => "It is neither a recording nor a request".to_owned(),
            (_, kind) => format!(
                "It is neither a recording nor a request but of kind {}",
                kind.as_str()
            ),
        }),
    }
}

/// Returns the first requests that the nodes of a machine would make today, in source order: with one message each and
/// no context keys, which the source does not contain.
///
/// # Errors
///
/// Returns an error if a part of the source could not be read, or no node calls a model; a sentence without a full
/// stop.
pub fn of_machine(path: &str, machine: &Machine, pool: &Pool) -> Result<Vec<Arc<Asked>>, String> {
    let mut problems = machine.problems.iter();
    if let Some(problem) = problems.find(|problem| problem.fault == Fault::Skipped) {
        let Place { line, column } = problem.place;
        let message = &problem.message;
        return Err(format!(
            "{path}:{line}:{column}: {message}, so the machine could not be read completely"
        ));
    }
    let graph = Graph::new(machine);
    let asking = graph.ids().filter_map(|id| {
        let offer = graph.offer(id);
        (offer.asks == Asks::Model).then(|| (graph.qualified(id), offer))
    });
    let asked = asking.map(|(node, offer)| {
        let tools = offer.tools.iter().map(|tool| Some(pool.text(tool)));
        let name = format!("{path} at {node}");
        Arc::new(Asked {
            node: Some(pool.text(node)),
            uncertain: offer.uncertain,
            ..Asked::made(
                name.into(),
                Origin::Node,
                tools.collect(),
                1,
                Box::default(),
            )
        })
    });
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() {
        Err(format!("{path}: no node of the machine calls a model"))
    } else {
        Ok(asked)
    }
}
