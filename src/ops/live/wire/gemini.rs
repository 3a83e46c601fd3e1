//! Gemini's `generateContent` and `streamGenerateContent`.

use super::super::answer::{Said, Stop};
use super::super::json::{Json, object};
use super::{Events, Place, Teller, Voice};

/// Writes an answer, one response for each fragment.
pub(super) struct Gemini {
    voice: Voice,
}

impl Gemini {
    pub(super) fn new(voice: Voice) -> Self {
        Self { voice }
    }
}

impl Teller for Gemini {
    fn begin(&mut self, _: &mut Events) {}

    fn pause(&mut self, events: &mut Events) {
        let empty = [Said::Text(String::new())];
        events.data(&response(&empty, None, &self.voice));
    }

    fn piece(&mut self, said: &[Said], place: Place, events: &mut Events) {
        let stop = match place {
            Place::Last(stop) => Some(stop),
            Place::Within => None,
        };
        if !said.is_empty() || stop.is_some() {
            events.data(&response(said, stop, &self.voice));
        }
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut Events) {
        events.data(&error(500, kind, message));
    }
}

pub(super) fn error(code: usize, status: &str, message: &str) -> Json {
    object! { "error": object! { "code": code, "message": message, "status": status } }
}

pub(super) fn whole(said: &[Said], stop: Stop, voice: &Voice) -> Json {
    response(said, Some(stop), voice)
}

fn response(said: &[Said], stop: Option<Stop>, voice: &Voice) -> Json {
    let parts: Vec<Json> = said.iter().map(part).collect();
    let content = object! { "role": "model", "parts": parts };
    let mut candidate = vec![("content", content)];
    candidate.extend(stop.map(|stop| ("finishReason", reason(stop).into())));
    candidate.push(("index", 0usize.into()));
    let usage = stop.map(|_| {
        object! { "promptTokenCount": 0usize, "candidatesTokenCount": 0usize, "totalTokenCount": 0usize }
    });
    let mut members = vec![("candidates", Json::from(vec![Json::object(candidate)]))];
    members.extend(usage.map(|usage| ("usageMetadata", usage)));
    members.push(("modelVersion", (&voice.model).into()));
    members.push(("responseId", format!("retake-{}", voice.number).into()));
    Json::object(members)
}

fn part(said: &Said) -> Json {
    let call = match said {
        Said::Text(text) => return object! { "text": text },
        Said::Call(part) if part.is_last => &part.call,
        // A call is not sent before it is complete.
        Said::Call(_) => return object! { "text": "" },
    };
    let mut members: Vec<(&str, Json)> = Vec::new();
    members.extend(call.id.as_ref().map(|id| ("id", id.into())));
    members.push(("name", (&call.name).into()));
    members.push(("args", Json::raw(call.input.as_str())));
    object! { "functionCall": Json::object(members) }
}

fn reason(stop: Stop) -> &'static str {
    match stop {
        Stop::End | Stop::Tools => "STOP",
        Stop::Length => "MAX_TOKENS",
    }
}
