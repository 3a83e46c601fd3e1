//! The calls of models in a document of any format.
//!
//! Recordings and requests are calls; those of other formats are converted to recordings, so that every desk and command works
//! with them. A new format of another tool is a file here and a row of its table.

mod agent;
mod aimock;
mod cassette;
mod converse;
mod copilot;
mod dialect;
mod har;
mod http;
pub mod recorded;
mod request_key;
mod session;
mod tape;

use std::borrow::Cow;
use std::sync::Arc;

use super::agent_run;
use super::api::{Api, ModelAnswer, ModelRequest};
use super::json::Json;
use document::call::{CallFacts, ModelCall};
use document::cassette::Interaction;
use document::foreign::ForeignFormat;
use document::tape::RequestShape;
use document::text::Source;
use document::{Document, DocumentBody, Node, NodeId, json};

pub use har::{HarEntry, HostRole, entries, headers as archived_headers, is_telemetry};
pub use request_key::messages_key;
pub use request_key::{SentRequest, conversation_key, request_keys};
pub use session::incident_answer;

/// The reader of the calls in files of another tool.
struct CallReader {
    format: ForeignFormat,
    /// Returns the values of a file that can be calls, in its order.
    nodes: for<'d> fn(&'d Document) -> Vec<Node<'d>>,
    /// Converts one of them, if it is a call: of a model, or another one that is listed beside.
    call: for<'d> fn(Node<'d>, CallDetail) -> Option<ModelCall<'d>>,
}

/// Extent to which a call is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallDetail {
    All,
    /// For rows and rules: of a request that was answered, the texts are left out.
    Listed,
    /// Also what is needed to serve it.
    Served,
}

/// The formats of other tools whose calls are read.
const FOREIGN_READERS: [CallReader; 5] = [
    CallReader { format: ForeignFormat::VcrCassette, nodes: cassette::nodes, call: cassette::call },
    CallReader { format: ForeignFormat::Har, nodes: har::nodes, call: har::call },
    CallReader { format: ForeignFormat::Httprr, nodes: cassette::of_root, call: cassette::call },
    CallReader { format: ForeignFormat::Aimock, nodes: aimock::nodes, call: aimock::call },
    CallReader { format: ForeignFormat::Copilot, nodes: copilot::nodes, call: copilot::call },
];

fn reader(format: ForeignFormat) -> Option<&'static CallReader> {
    FOREIGN_READERS.iter().find(|reader| reader.format == format)
}

/// Returns whether the calls in files of a format are read.
pub fn reads(format: ForeignFormat) -> bool {
    reader(format).is_some() || format.is_read_by_shape() || agent_run::reads(format)
}

/// Returns the calls of models in a document, in its order.
pub fn calls(document: &Document) -> Vec<ModelCall<'_>> {
    let mut calls = all_calls(document);
    calls.retain(ModelCall::is_of_model);
    calls
}

/// Returns the calls of a document, in its order: those of models, and the HTTP calls that are listed beside them.
pub fn all_calls(document: &Document) -> Vec<ModelCall<'_>> {
    calls_in(document, CallDetail::All)
}

fn calls_in(document: &Document, detail: CallDetail) -> Vec<ModelCall<'_>> {
    match &document.body {
        DocumentBody::Recording(_) | DocumentBody::Request(_) => {
            ModelCall::from_document(Cow::Borrowed(document)).into_iter().collect()
        }
        DocumentBody::Tape(tape) => tape::call(document, tape).into_iter().collect(),
        DocumentBody::Session(session) => session::call(document, session).into_iter().collect(),
        DocumentBody::Config(config) => {
            config.sessions.iter().filter_map(|session| session::call(document, session)).collect()
        }
        DocumentBody::Foreign(foreign) if foreign.format.is_read_by_shape() => {
            document::cassette::interactions(&document.tree)
                .iter()
                .filter_map(|call| cassette::convert(call, detail))
                .collect()
        }
        DocumentBody::Foreign(foreign) if agent_run::reads(foreign.format) => {
            agent::calls(document, detail)
        }
        DocumentBody::Foreign(foreign) => {
            let calls = |reader: &CallReader| {
                let call = |node| (reader.call)(node, detail);
                (reader.nodes)(document).into_iter().filter_map(call).collect()
            };
            reader(foreign.format).map_or_else(Vec::new, calls)
        }
        _ => Vec::new(),
    }
}

/// Returns the calls that are listed below a file: of one that holds several, or is of another tool. For what rows show and rules
/// check: of a request that was answered there are only the tools and the number of messages, besides its HTTP side.
pub fn listed_calls(document: &Document) -> Vec<ModelCall<'_>> {
    match document.body {
        DocumentBody::Foreign(_) | DocumentBody::Config(_) => {
            calls_in(document, CallDetail::Listed)
        }
        _ => Vec::new(),
    }
}

/// Returns the call in one value of a document, without reading the others.
pub fn call_at(document: &Document, node: NodeId) -> Option<ModelCall<'_>> {
    match &document.body {
        DocumentBody::Foreign(foreign) if foreign.format.is_read_by_shape() => {
            let call = Interaction::parse(document.tree.find(node)?)?;
            cassette::convert(&call, CallDetail::All)
        }
        DocumentBody::Foreign(foreign) if agent_run::reads(foreign.format) => {
            agent::call_at(document, node)
        }
        DocumentBody::Foreign(foreign) => {
            (reader(foreign.format)?.call)(document.tree.find(node)?, CallDetail::All)
        }
        DocumentBody::Config(config) => {
            let session = config.sessions.iter().find(|session| session.node == node);
            session::call(document, session?)
        }
        // Other files hold one call, so no other calls are read in vain.
        _ => calls(document).into_iter().find(|call| call.node == node),
    }
}

/// Returns the calls of a document whose request is known as it was sent. What a session or the history of an agent offered is
/// not.
pub fn sent_calls(document: &Document) -> Vec<ModelCall<'_>> {
    sent_calls_in(document, CallDetail::All)
}

fn sent_calls_in(document: &Document, detail: CallDetail) -> Vec<ModelCall<'_>> {
    match &document.body {
        DocumentBody::Session(_) | DocumentBody::Config(_) => Vec::new(),
        DocumentBody::Tape(tape)
            if tape.request.is_none() || tape.request_shape == RequestShape::History =>
        {
            Vec::new()
        }
        _ => {
            let mut calls = calls_in(document, detail);
            calls.retain(ModelCall::is_of_model);
            calls
        }
    }
}

/// Returns these calls with their names: the path, with `#` and the number of the call from 1 if there are several.
pub fn named_calls<'d>(path: &Arc<str>, document: &'d Document) -> Vec<(Arc<str>, ModelCall<'d>)> {
    with_names(path, sent_calls(document))
}

/// Returns the same calls with what is needed to serve them.
pub fn served_calls<'d>(path: &Arc<str>, document: &'d Document) -> Vec<(Arc<str>, ModelCall<'d>)> {
    with_names(path, sent_calls_in(document, CallDetail::Served))
}

fn with_names<'d>(path: &Arc<str>, calls: Vec<ModelCall<'d>>) -> Vec<(Arc<str>, ModelCall<'d>)> {
    let is_alone = calls.len() == 1;
    let name = |number: usize| {
        if is_alone { Arc::clone(path) } else { format!("{path}#{number}").into() }
    };
    (1..).map(name).zip(calls).collect()
}

/// A call that was read, to be converted to a recording; without an answer to a request.
struct ReadCall<'t> {
    /// The value of the file that holds the call.
    node: Node<'t>,
    api: Api,
    request: ModelRequest<'t>,
    answer: Option<ModelAnswer<'t>>,
    facts: CallFacts,
}

impl ReadCall<'_> {
    fn convert<'d>(self, detail: CallDetail) -> Option<ModelCall<'d>> {
        let Self { node, api, request, answer, mut facts } = self;
        let id = answer.as_ref().and_then(|answer| answer.id.as_deref());
        let started_at = facts.started_at.as_deref();
        let request_json = match (detail, &answer) {
            (CallDetail::Listed, Some(_)) => recorded::request_outline(&request),
            _ => recorded::request(id, started_at, api, &request),
        };
        let json = match &answer {
            None => request_json,
            Some(answer) => {
                let ended_at = started_at.and_then(|at| later(at, facts.duration_nanos?));
                let answer_json = recorded::answer(id, ended_at.as_deref(), api, answer);
                let recorded_at = started_at.map(|at| ("recordedAt", at.into()));
                let sides = [("request", request_json), ("response", answer_json)];
                Json::object(sides.into_iter().chain(recorded_at))
            }
        };
        let parameter =
            |(name, value): &(&'static str, Node<'_>)| (*name, json::text(*value).into_owned());
        facts.parameters = request.parameters.iter().map(parameter).collect();
        facts.model = facts.model.or_else(|| request.model.map(str::to_owned));
        if let Some(answer) = answer {
            // The answer names the exact version where an alias was requested.
            facts.model = answer.model.or(facts.model);
            facts.input_tokens = answer.input_tokens;
            facts.output_tokens = answer.output_tokens;
        }
        // Readers of a call take places in a document, so the converted call becomes one.
        let document = document::read(Source::new(json.into_string()), "call.json");
        Some(ModelCall {
            node: node.id(),
            facts,
            ..ModelCall::from_document(Cow::Owned(document))?
        })
    }
}

/// Returns the instant that is this many nanoseconds after another; both ISO 8601.
fn later(at: &str, nanos: f64) -> Option<String> {
    let at: jiff::Timestamp = at.parse().ok()?;
    Some(at.checked_add(jiff::SignedDuration::from_nanos(nanos as i64)).ok()?.to_string())
}

#[cfg(test)]
mod agent_tests;
#[cfg(test)]
mod cassette_tests;
#[cfg(test)]
mod shape_sample_tests;
#[cfg(test)]
mod shape_tests;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
