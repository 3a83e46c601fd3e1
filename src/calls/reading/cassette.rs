//! The calls in a cassette: those of models, and all others beside.

use std::borrow::Cow;

use super::http::{HttpCall, JsonBody, in_file};
use super::{CallDetail, converse};
use crate::json::Json;
use document::body::{BodyHeaders, decode_base64, event_stream, read_body};
use document::call::{BodyContent, BodyForm, CallFacts, HttpBody, HttpExchange, ModelCall};
use document::cassette::{Interaction, is_binary, list};
use document::recorded::{RecordedCall, event_value};
use document::text::Source;
use document::{Document, Node, NodeKind, Tree, json};

/// Returns the values that can be calls.
pub(super) fn nodes(document: &Document) -> Vec<Node<'_>> {
    let items = document.tree.root().and_then(list);
    items.into_iter().flat_map(Node::items).collect()
}

/// Returns the values of a list that is the root.
pub(super) fn of_root(document: &Document) -> Vec<Node<'_>> {
    document.tree.root().into_iter().flat_map(Node::items).collect()
}

/// Converts a recorded call, of a model or not.
pub(super) fn call(node: Node<'_>, detail: CallDetail) -> Option<ModelCall<'_>> {
    convert(&Interaction::in_cassette(node)?, detail)
}

/// Converts a call of any recorder.
pub(super) fn convert<'t>(pair: &Interaction<'t>, detail: CallDetail) -> Option<ModelCall<'t>> {
    let node = pair.node;
    let http = exchange(pair);
    let (request_body, response_body) = (http.request_body.as_ref(), http.response_body.as_ref());
    let (answer, text) = match response_body {
        // Bedrock streams binary messages with lengths and checksums, not server-sent events.
        Some(body) if body.form == BodyForm::EventStream || has_messages(body) => streamed(body),
        body => (
            body.and_then(|body| json_body(node, body)),
            body.and_then(|body| body.text().map(Cow::Borrowed)),
        ),
    };
    let (answer, text) = match answer {
        // A stream that is stored as the list of its events.
        Some(JsonBody::InFile(list))
            if pair.recorded().is_some() && list.kind() == NodeKind::Array =>
        {
            let events = list.items().map(|event| Json::from(event_value(event)).into_string());
            let text: String = events.map(|event| format!("data: {event}\n\n")).collect();
            (None, Some(Cow::Owned(text)))
        }
        // Lines of JSON, an event each.
        None if pair.recorded().is_some() && text.as_deref().is_some_and(is_lines) => {
            let lines = text.as_deref().unwrap_or_default().lines();
            let lines = lines.filter(|line| !line.trim().is_empty());
            let events: String = lines.map(|line| format!("data: {line}\n\n")).collect();
            (None, Some(Cow::Owned(events)))
        }
        answer => (answer, text),
    };
    let mut call = HttpCall::new(
        node,
        Cow::Owned(pair.method()),
        pair.uri(),
        [request_body.and_then(|body| json_body(node, body)), answer],
        text,
    );
    let described = |part: fn(&RecordedCall<'t>) -> Option<Node<'t>>| {
        Some(pair.recorded().and_then(part)?.scalar_text()?.to_owned())
    };
    let facts = CallFacts {
        started_at: pair.recorded_at().map(iso_time),
        duration_nanos: pair.duration_nanos(),
        key: described(|call| call.key),
        test: described(|call| call.test),
        ..CallFacts::default()
    };
    let has_body = http.request_body.is_some();
    call.is_recorded = pair.recorded().is_some_and(RecordedCall::is_of_model);
    let mut model_call = call
        .is_of_known_api()
        .then(|| call.to_call(has_body, facts.clone(), detail))
        .flatten()
        .unwrap_or_else(|| call.to_other(facts));
    model_call.facts.http =
        Some(HttpExchange { method: call.method.to_string(), url: pair.uri().to_owned(), ..http });
    Some(model_call)
}

fn is_lines(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Reads the HTTP side of a recorded call; method and address are read with the call.
fn exchange(interaction: &Interaction<'_>) -> HttpExchange {
    let request_headers = texts(interaction.request_headers());
    let response_headers = texts(interaction.response_headers());
    HttpExchange {
        status: interaction.status(),
        request_body: read_body(interaction.request_body(), &BodyHeaders::new(&request_headers)),
        response_body: read_body(interaction.response_body(), &BodyHeaders::new(&response_headers)),
        request_headers,
        response_headers,
        ..HttpExchange::default()
    }
}

fn texts(headers: Vec<(&str, Node<'_>)>) -> Vec<(String, String)> {
    let headers = headers.into_iter();
    headers.filter_map(|(name, value)| Some((name.to_owned(), header_text(value)?))).collect()
}

/// Returns the value of a header, which may be stored as bytes.
fn header_text(value: Node<'_>) -> Option<String> {
    let text = value.scalar_text()?;
    // vcrpy writes a value that the client gave as bytes as `!!binary`.
    let bytes = is_binary(value).then(|| decode_base64(text)).flatten();
    Some(match bytes {
        Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        None => text.to_owned(),
    })
}

/// Returns a body that is JSON.
fn json_body<'a>(node: Node<'a>, body: &HttpBody) -> Option<JsonBody<'a>> {
    match &body.content {
        BodyContent::Tree(tree) => in_file(node.tree().node(*tree)),
        BodyContent::Text(text) => JsonBody::parse(text),
        BodyContent::Bytes(_) => None,
    }
}

/// Returns whether bytes without a type are an event stream of Amazon.
fn has_messages(body: &HttpBody) -> bool {
    matches!(&body.content, BodyContent::Bytes(bytes) if !event_stream(bytes).is_empty())
}

/// Reads an event stream of Amazon: messages of Converse, or events of the model's own API in Base64.
fn streamed<'a>(body: &HttpBody) -> (Option<JsonBody<'a>>, Option<Cow<'a, str>>) {
    let bytes = match &body.content {
        BodyContent::Bytes(bytes) => bytes.as_slice(),
        BodyContent::Text(text) => text.text().as_bytes(),
        BodyContent::Tree(_) => return (None, None),
    };
    let messages: Vec<(String, Tree)> = event_stream(bytes)
        .into_iter()
        .filter_map(|(kind, payload)| {
            let text = std::str::from_utf8(payload).ok()?;
            Some((kind, json::parse_container(&Source::new(text))?))
        })
        .collect();
    let events: Vec<(String, Tree)> =
        messages.iter().filter_map(|(_, message)| wrapped_event(message)).collect();
    let message_events =
        messages.iter().filter_map(|(kind, message)| Some((kind.as_str(), message.root()?)));
    // An event of Nova is an object whose only key is its kind.
    let wrapped_events = events
        .iter()
        .filter_map(|(_, event)| event.root())
        .flat_map(Node::items)
        .filter_map(|event| Some((event.key()?, event)));
    // Both APIs of Bedrock stream in this form; only the events show which API it is.
    if let Some(answer) = converse::streamed_answer(message_events.chain(wrapped_events)) {
        return (JsonBody::parse(&Source::new(answer)), None);
    }
    let event = |(text, event): &(String, Tree)| {
        let kind = event.root()?.get("type").and_then(Node::as_str);
        // Clients of Anthropic's API read no event without its name.
        let name = kind.map_or_else(String::new, |kind| format!("event: {kind}\n"));
        Some(format!("{name}data: {text}\n\n"))
    };
    let events: String = events.iter().filter_map(event).collect();
    (None, Some(Cow::Owned(events)))
}

/// Returns the event of the model's own API that a message holds in Base64: its text and its values.
fn wrapped_event(message: &Tree) -> Option<(String, Tree)> {
    let bytes = message.root()?.get("bytes")?.as_str()?;
    let text = String::from_utf8(decode_base64(bytes)?).ok()?;
    let event = json::parse_container(&Source::new(text.as_str()))?;
    Some((text, event))
}

/// Returns a time in ISO 8601: of one that is written as in HTTP, as Ruby does; another as it is.
fn iso_time(text: &str) -> String {
    let time = jiff::fmt::rfc2822::parse(text);
    time.map_or_else(|_| text.to_owned(), |time| time.timestamp().to_string())
}
