//! The log line of `retake serve` for each call, as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use play::live::serve::{ServedCall, ServedCallEnd};

/// A line of the log, as JSON.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ServeLogLine<'a> {
    event: &'static str,
    call: u64,
    at: String,
    api: Option<&'static str>,
    address: &'a str,
    model: Option<&'a str>,
    tools: usize,
    messages: usize,
    served: Option<&'a str>,
    how: Option<&'static str>,
    why: Vec<&'a str>,
    differences: &'a [String],
    nearest: Vec<NearestJson<'a>>,
    ended: &'static str,
    status: Option<u16>,
    message: Option<&'a str>,
    chunks: usize,
    planned: usize,
    first_ns: Option<u64>,
    late_ns: u64,
    took_ns: u64,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct NearestJson<'a> {
    path: &'a str,
    against: &'a [String],
}

/// Returns the line of a finished call.
pub(super) fn json(call: &ServedCall) -> ServeLogLine<'_> {
    let choice = call.choice.as_deref();
    let recording = choice.and_then(|choice| choice.chosen.as_ref());
    let nearest = choice.into_iter().flat_map(|choice| &choice.nearest);
    // The conversion of an answer of another API is a part of the reason for its content.
    let reasons = choice.into_iter().flat_map(|choice| choice.why.iter().chain(&choice.conversion));
    let (end, took_ns) =
        // Calls are logged when they end; without an end, the client is gone.
        call.ended.as_ref().map_or((&ServedCallEnd::HungUp, 0), |e| (&e.0, e.1));
    let (word, status, text) = match end {
        ServedCallEnd::Done => ("done", Some(200), None),
        ServedCallEnd::AsRecorded(status) => ("as-recorded", Some(*status), None),
        ServedCallEnd::Refused(status, text) => ("refused", Some(*status), Some(text.as_str())),
        ServedCallEnd::HungUp => ("hung-up", None, None),
    };
    ServeLogLine {
        event: "call",
        call: call.number,
        at: call.began.at.to_string(),
        api: call.began.api.map(|api| api.as_str()),
        address: &call.began.address,
        model: call.began.model.as_deref(),
        tools: call.began.tools,
        messages: call.began.messages,
        served: recording.map(|recording| &*recording.path),
        how: recording.map(|recording| recording.matched_by.as_str()),
        why: reasons.map(String::as_str).collect(),
        differences: choice.map_or(&[], |choice| &choice.differences),
        nearest: nearest.map(|m| NearestJson { path: &m.path, against: &m.differences }).collect(),
        ended: word,
        status,
        message: text,
        chunks: call.chunks,
        planned: call.due_nanos.len(),
        first_ns: call.first_nanos,
        late_ns: call.late_nanos,
        took_ns,
    }
}
