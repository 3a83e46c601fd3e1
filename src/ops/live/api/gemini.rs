//! Gemini's `generateContent` and `streamGenerateContent`.

use super::super::answer::{AnswerStop, ContentBlock};
use super::super::json::{Json, object};
use super::{EventBuffer, EventWriter, FragmentPosition, ResponseContext};

/// Writes an answer, one response for each fragment.
pub(super) struct Gemini {
    context: ResponseContext,
}

impl Gemini {
    pub(super) fn new(context: ResponseContext) -> Self {
        Self { context }
    }
}

impl EventWriter for Gemini {
    fn begin(&mut self, _: &mut EventBuffer) {}

    fn pause(&mut self, events: &mut EventBuffer) {
        let empty = [ContentBlock::Text(String::new())];
        events.data(&response(&empty, None, &self.context));
    }

    fn fragment(
        &mut self,
        blocks: &[ContentBlock],
        place: FragmentPosition,
        events: &mut EventBuffer,
    ) {
        let stop = match place {
            FragmentPosition::Last(stop) => Some(stop),
            FragmentPosition::Within => None,
        };
        if !blocks.is_empty() || stop.is_some() {
            events.data(&response(blocks, stop, &self.context));
        }
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer) {
        events.data(&error(500, kind, message));
    }
}

pub(super) fn error(code: usize, status: &str, message: &str) -> Json {
    object! { "error": object! { "code": code, "message": message, "status": status } }
}

pub(super) fn whole(blocks: &[ContentBlock], stop: AnswerStop, context: &ResponseContext) -> Json {
    response(blocks, Some(stop), context)
}

fn response(blocks: &[ContentBlock], stop: Option<AnswerStop>, context: &ResponseContext) -> Json {
    let parts: Vec<Json> = blocks.iter().map(part).collect();
    let content = object! { "role": "model", "parts": parts };
    let mut candidate = vec![("content", content)];
    candidate.extend(stop.map(|stop| ("finishReason", reason(stop).into())));
    candidate.push(("index", 0usize.into()));
    let usage = stop.map(|_| {
        object! { "promptTokenCount": 0usize, "candidatesTokenCount": 0usize, "totalTokenCount": 0usize }
    });
    let mut members = vec![("candidates", Json::from(vec![Json::object(candidate)]))];
    members.extend(usage.map(|usage| ("usageMetadata", usage)));
    members.push(("modelVersion", (&context.model).into()));
    members.push(("responseId", format!("retake-{}", context.number).into()));
    Json::object(members)
}

fn part(block: &ContentBlock) -> Json {
    let call = match block {
        ContentBlock::Text(text) => return object! { "text": text },
        ContentBlock::Call(part) if part.is_last => &part.call,
        // A call is not sent before it is complete.
        ContentBlock::Call(_) => return object! { "text": "" },
    };
    let mut members: Vec<(&str, Json)> = Vec::new();
    members.extend(call.id.as_ref().map(|id| ("id", id.into())));
    members.push(("name", (&call.name).into()));
    members.push(("args", Json::raw(call.input.as_str())));
    object! { "functionCall": Json::object(members) }
}

fn reason(stop: AnswerStop) -> &'static str {
    match stop {
        AnswerStop::End | AnswerStop::Tools => "STOP",
        AnswerStop::Length => "MAX_TOKENS",
    }
}
