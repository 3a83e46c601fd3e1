//! The calls of models in a document of any format.
//!
//! Recordings and requests are calls; those of other formats are converted to recordings, so that every desk and command works
//! with them. A new format with calls is a file here and an arm of [`calls`].

mod har;
pub(in crate::ops) mod recorded;
mod session;
mod tape;

use std::borrow::Cow;

use super::api::{Api, ModelAnswer, ModelRequest};
use super::json::Json;
use crate::format::call::{CallFacts, ModelCall};
use crate::format::foreign::ForeignFormat;
use crate::format::{self, Document, DocumentBody, Node};
use crate::text::Source;

pub(in crate::ops) use har::{HarEntry, HostRole, entries, json};
pub use session::incident_answer;

/// Returns the calls of a document, in its order.
pub fn calls(document: &Document) -> Vec<ModelCall<'_>> {
    match &document.body {
        DocumentBody::Recording(_) | DocumentBody::Request(_) => {
            let call = ModelCall::from_document(Cow::Borrowed(document));
            call.into_iter().collect()
        }
        DocumentBody::Tape(tape) => tape::call(document, tape).into_iter().collect(),
        DocumentBody::Session(session) => session::call(document, session).into_iter().collect(),
        DocumentBody::Config(config) => {
            let sessions = config.sessions.iter();
            sessions
                .filter_map(|session| session::call(document, session))
                .collect()
        }
        DocumentBody::Foreign(foreign) if foreign.format == ForeignFormat::Har => {
            har::calls(document)
        }
        _ => Vec::new(),
    }
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
    fn convert<'d>(self) -> Option<ModelCall<'d>> {
        let Self {
            node,
            api,
            request,
            answer,
            mut facts,
        } = self;
        let id = answer.as_ref().and_then(|answer| answer.id.as_deref());
        let started = facts.started_at.as_deref();
        let asked = recorded::request(id, started, api, &request);
        let json = match &answer {
            None => asked,
            Some(answer) => {
                let ended = started.and_then(|at| later(at, facts.duration_nanos?));
                let answered = recorded::answer(id, ended.as_deref(), api, answer);
                let recorded_at = started.map(|at| ("recordedAt", at.into()));
                let sides = [("request", asked), ("response", answered)];
                Json::object(sides.into_iter().chain(recorded_at))
            }
        };
        let parameter = |(name, value): &(&'static str, Node<'_>)| (*name, value.raw().to_owned());
        facts.parameters = request.parameters.iter().map(parameter).collect();
        facts.model = facts.model.or_else(|| request.model.map(str::to_owned));
        if let Some(answer) = answer {
            facts.model = answer.model.or(facts.model);
            facts.input_tokens = answer.input_tokens;
            facts.output_tokens = answer.output_tokens;
        }
        let document = format::read(Source::new(json.into_string()), "call.json");
        Some(ModelCall {
            node: node.id(),
            facts,
            ..ModelCall::from_document(Cow::Owned(document))?
        })
    }
}

/// Returns the instant so many nanoseconds after another; both ISO 8601.
fn later(at: &str, nanos: f64) -> Option<String> {
    let at: jiff::Timestamp = at.parse().ok()?;
    let span = jiff::SignedDuration::from_nanos(nanos as i64);
    Some(at.checked_add(span).ok()?.to_string())
}

#[cfg(test)]
mod tests;
