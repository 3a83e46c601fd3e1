//! Builds the tape of a proxied call.

use jiff::Timestamp;

use super::credentials::{self, Credentials};
use super::{ConfigOrders, MOST_KEPT, ProxyOutcome, StreamRecorder};
use crate::live::client_call::ClientCall;
use crate::live::received::ReceivedAnswer;
use calls::api::{AnswerStop, Api, ResponseForm, Route, error_body};
use calls::json::{Json, list, object};
use calls::tape::make::{NewChunk, NewTape, TapeMeta};
use calls::tape::sse::ParsedStream;
use document::edit::{Edit, JsonValue, plan};
use document::json::quote;
use document::text::Source;
use document::{Document, Tree};

/// A tape that is ready to be written to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingTape {
    /// The text of the file.
    pub json: String,
    pub model: String,
    pub chunks: usize,
    /// Notes for the user: sentences without a full stop.
    pub notes: Vec<String>,
    /// The call as it was sent and answered, if its address is given and it ended well.
    pub exchange: Option<RecordedExchange>,
}

/// A call as HTTP messages, without credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedExchange {
    pub url: String,
    pub request: String,
    pub status: u16,
    pub content_type: &'static str,
    pub response: String,
}

impl RecordedExchange {
    /// Returns the call in the layout of a cassette.
    pub fn document(&self) -> Document {
        let headers = object! { "content-type": list![self.content_type] };
        let request = object! { "method": "POST", "uri": &self.url, "headers": object! {}, "body": &self.request };
        let status = object! { "code": usize::from(self.status), "message": "" };
        let body = object! { "string": &self.response };
        let response = object! { "status": status, "headers": headers, "body": body };
        let call = object! { "request": request, "response": response };
        let cassette = object! { "interactions": list![call], "version": 1usize };
        document::read(Source::new(cassette.into_string()), "call.json")
    }
}

/// Facts of a call besides its answer.
#[derive(Clone, Debug)]
pub struct CallMetadata<'a> {
    /// When it arrived.
    pub at: Timestamp,
    /// API and address of the call.
    pub route: Option<&'a Route>,
    /// Address of the model, if the call is also kept as HTTP messages.
    pub url: Option<String>,
    /// Body of the request; `None` if it is too long to be kept.
    pub request: Option<&'a [u8]>,
    /// Display name.
    pub label: Option<String>,
    /// Comment for the tape.
    pub comment: Option<String>,
    /// Secrets that must not be written.
    pub credentials: &'a Credentials,
    /// Key orders of `config` from other tapes.
    pub config_orders: &'a ConfigOrders,
}

impl PendingTape {
    /// Builds the tape of a call. `recorder` is `None` if the upstream server did not respond.
    pub fn new(
        metadata: CallMetadata<'_>,
        recorder: Option<StreamRecorder>,
        outcome: &ProxyOutcome,
    ) -> Self {
        let status = recorder.as_ref().map(StreamRecorder::status);
        let (mut stream, mut body) = recorder.map(StreamRecorder::finish).unwrap_or_default();
        let mut notes = std::mem::take(&mut stream.notes);
        let (model, mut request) = request(&metadata, &mut notes);
        let credentials = metadata.credentials;
        let in_request = credentials.mask_json(&mut request);
        let in_answer = mask(credentials, &mut stream, body.as_mut());
        let exchange = exchange(&metadata, status, body.as_ref(), outcome);
        let is_refused = status.is_some_and(|status| status >= 400);
        // The body of an error is stored in `meta.ended`, and not as received as well.
        let received = body.take_if(|_| !is_refused);
        let api = metadata.route.map(|route| route.api);
        let ended = abnormal_end((api, status, body), &stream, outcome);
        notes.extend(ended.as_ref().map(|ended| ended.note.clone()));
        notes.extend(credentials::note(in_request, in_answer));
        let mut model = stream.model.clone().or(model).unwrap_or_else(|| "unknown".to_owned());
        // The name of the file follows from the model.
        for text in notes.iter_mut().chain([&mut model]) {
            *text = credentials.hide(text);
        }
        let route = metadata.route;
        let received = received.filter(|text| route.is_some_and(|r| is_kept(r.api, text, &stream)));
        let api = route.map(|route| route.api).or(stream.api);
        let comment = metadata.comment.into_iter().chain(notes.iter().map(|n| format!("{n}.")));
        let comment: Vec<String> = comment.collect();
        let tape = NewTape {
            meta: TapeMeta {
                label: metadata.label,
                model: model.clone(),
                // Milliseconds, as JavaScript's `toISOString()` writes them.
                recorded_at: format!("{:.3}", metadata.at),
                sdk: api.map(|api| Api::as_str(api).to_owned()),
                comment: (!comment.is_empty()).then(|| comment.join(" ")),
            },
            request,
            chunks: chunks(&stream),
            received,
            notes: Vec::new(),
        };
        Self {
            json: with_abnormal_end(tape.json(), ended),
            model,
            chunks: stream.pieces.len(),
            notes,
            exchange,
        }
    }
}

/// Returns a call as HTTP messages, given its answer without credentials.
fn exchange(
    metadata: &CallMetadata<'_>,
    status: Option<u16>,
    body: Option<&String>,
    outcome: &ProxyOutcome,
) -> Option<RecordedExchange> {
    let url = metadata.url.clone().filter(|_| *outcome == ProxyOutcome::Done)?;
    let mut request = String::from_utf8(metadata.request?.to_vec()).ok()?;
    metadata.credentials.mask_json(&mut request);
    let (status, response) = (status?, body?.clone());
    let is_json = response.trim_start().starts_with(['{', '[']);
    let form = if is_json { ResponseForm::Whole } else { ResponseForm::Events };
    Some(RecordedExchange { url, request, status, content_type: form.content_type(), response })
}

/// Masks credentials in a recorded answer and returns the number of replacements. The body of an error repeats the text
/// of the only fragment.
fn mask(credentials: &Credentials, stream: &mut ParsedStream, body: Option<&mut String>) -> usize {
    if let Some(body) = body {
        credentials.mask_streamed(body);
    }
    let texts = stream.error.iter_mut().flat_map(|error| [&mut error.kind, &mut error.message]);
    let in_error: usize = texts.map(|text| credentials.mask(text)).sum();
    credentials.mask_pieces(&mut stream.pieces) + in_error
}

/// Returns whether a tape keeps this text of an answer: it has room, and is the answer that the chunks have.
fn is_kept(api: Api, received: &str, stream: &ParsedStream) -> bool {
    let pieces = stream.pieces.iter().map(|(_, piece)| piece.as_str());
    let bytes: usize = pieces.clone().map(str::len).sum();
    let trees: Vec<Tree> = pieces.map(|p| document::json::parse(&Source::new(p)).0).collect();
    let texts: Option<Vec<&str>> = trees.iter().map(|tree| tree.root()?.as_str()).collect();
    bytes + quote(received).len() <= MOST_KEPT
        && texts.is_some_and(|texts| ReceivedAnswer::of_chunks(api, received, &texts).is_some())
}

/// The end of a call that did not end normally.
struct AbnormalEnd {
    members: Vec<(&'static str, Json)>,
    note: String,
}

fn abnormal_end(
    (api, status, body): (Option<Api>, Option<u16>, Option<String>),
    stream: &ParsedStream,
    outcome: &ProxyOutcome,
) -> Option<AbnormalEnd> {
    let ended = |how: &str, more: Vec<(&'static str, Json)>, note: &str| {
        let mut members = vec![("how", Json::from(how))];
        members.extend(more);
        Some(AbnormalEnd { members, note: note.to_owned() })
    };
    let refused = |status: u16, body: &str, note: &str| {
        let more = vec![("status", usize::from(status).into()), ("body", body.into())];
        ended("refused", more, note)
    };
    match (outcome, status, &stream.error) {
        (ProxyOutcome::Unreached(status, reason) | ProxyOutcome::Refused(status, reason), ..) => {
            refused(*status, &error_body(api, *status, reason), reason)
        }
        // The same for an incomplete body: what was received is no answer.
        (_, Some(status), _) if status >= 400 => {
            let mut note = format!("The call was refused with status {status}");
            if let ProxyOutcome::CutOff(reason) = outcome {
                note += &format!("; the error is incomplete: {reason}");
            }
            refused(status, &body.unwrap_or_default(), &note)
        }
        (ProxyOutcome::Cancelled, ..) => ended(
            "cancelled",
            // Tapes of earlier recorders lack this member, and may be complete although they were cancelled.
            vec![("complete", false.into())],
            "The client hung up",
        ),
        (ProxyOutcome::Stopped, ..) => {
            ended("cut-off", vec![], "The recorder was ended before the answer was")
        }
        (ProxyOutcome::CutOff(reason), ..) => ended("cut-off", vec![], reason),
        (_, _, Some(error)) => {
            let more =
                vec![("kind", Json::from(&error.kind)), ("message", (&error.message).into())];
            ended("error", more, &format!("The stream ended with an error ({error})"))
        }
        _ if !stream.is_over && stream.pieces.iter().all(|(_, piece)| piece == "\"\"") => {
            ended("cut-off", vec![], "The answer is empty")
        }
        // Many servers end a stream of chat completions without `[DONE]`.
        _ if !stream.is_over && stream.stop.is_none() => {
            ended("cut-off", vec![], "The stream breaks off: nothing says that it is over")
        }
        _ if stream.stop == Some(AnswerStop::Length) => {
            ended("length", vec![], "The answer ends at the limit of its tokens")
        }
        _ => None,
    }
}

/// Writes into the text of a tape how its call ended.
fn with_abnormal_end(json: String, ended: Option<AbnormalEnd>) -> String {
    let Some(ended) = ended else { return json };
    let value = JsonValue::parse(&Json::object(ended.members).into_string());
    let Ok(value) = value else { return json };
    let edit = Edit::Insert { pointer: "/meta/ended".to_owned(), value };
    let (tree, _) = document::json::parse(&Source::new(json.as_str()));
    let mut text = json;
    if let Ok(edit) = plan(&tree, &edit) {
        edit.apply(&mut text);
    }
    text
}

/// Returns the requested model, and the request as the tape stores it.
fn request(metadata: &CallMetadata<'_>, notes: &mut Vec<String>) -> (Option<String>, String) {
    let Some(bytes) = metadata.request else {
        notes.push("The request is longer than 16 MiB; only the model is kept of it".to_owned());
        return (metadata.route.and_then(|route| route.model.clone()), String::new());
    };
    let text = String::from_utf8_lossy(bytes);
    let fits = |model: Option<String>, request: String, notes: &mut Vec<String>| {
        // Computed before writing: deep nesting turns a small request into a huge text.
        if pretty_bytes(&request) <= MAX_PRETTY_BYTES {
            return (model, request);
        }
        notes.push(
            "The request is longer than 32 MiB as a tape lays it out; only the model is kept of it"
                .to_owned(),
        );
        (model, String::new())
    };
    if let Some(route) = metadata.route
        && let Ok(call) = ClientCall::read(&mut route.clone(), "", &*text)
    {
        let (request, note) = match route.api {
            Api::Gemini => metadata.config_orders.request(&call),
            _ => (call.for_tape(None), None),
        };
        notes.extend(note);
        return fits(call.model.clone(), request, notes);
    }
    let (tree, problems) = document::json::parse(&Source::new(&*text));
    let root = tree.root().filter(|_| problems.is_empty());
    if root.is_none() && !text.is_empty() {
        notes.push("The request is no JSON and is left out".to_owned());
    }
    let model = root.and_then(|root| root.get("model")?.as_str().map(str::to_owned));
    fits(model, root.map(calls::javascript::stringify).unwrap_or_default(), notes)
}

/// Maximum size of a formatted request in bytes.
const MAX_PRETTY_BYTES: usize = 2 * MOST_KEPT;

/// Returns the size of JSON when each value is on its own line. With deep nesting, that is much larger than on one
/// line.
fn pretty_bytes(json: &str) -> usize {
    let (mut depth, mut in_text, mut is_escaped) = (0usize, false, false);
    let mut bytes = json.len();
    for byte in json.bytes() {
        match byte {
            _ if std::mem::take(&mut is_escaped) => {}
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => {
                depth += 1;
                bytes += 1 + 2 * depth;
            }
            b'}' | b']' => {
                bytes += 1 + 2 * depth;
                depth = depth.saturating_sub(1);
            }
            b',' => bytes += 1 + 2 * depth,
            _ => {}
        }
    }
    bytes
}

fn chunks(stream: &ParsedStream) -> Vec<NewChunk> {
    let mut previous = 0.0;
    let chunks = stream.pieces.iter().map(|(at, text)| NewChunk {
        delay_nanos: (at - std::mem::replace(&mut previous, *at)).max(0.0),
        text: text.clone(),
    });
    chunks.collect()
}

/// Returns the start of a file name, from the label of a call or else from its model.
pub fn file_stem(label: Option<&str>, model: &str) -> String {
    let words = label.filter(|label| !label.trim().is_empty()).unwrap_or(model);
    let mut stem = String::new();
    // Even with 4 bytes each they stay below the 255 bytes that file systems allow for a name.
    for c in words.chars().take(60) {
        match c {
            c if c.is_alphanumeric() || "._".contains(c) => stem.extend(c.to_lowercase()),
            _ if !stem.ends_with('-') => stem.push('-'),
            _ => {}
        }
    }
    // A file whose name begins with a dot is hidden.
    let stem = stem.trim_matches(['-', '.']);
    if stem.is_empty() { "tape".to_owned() } else { stem.to_owned() }
}
