//! OpenAI's chat completions.

use super::super::answer::{AnswerStop, CallPart, ContentBlock, ServedToolCall};
use super::super::json::{Json, NULL, list, object};
use super::{EventBuffer, EventWriter, FragmentPosition, ResponseContext, text_of};

/// Whether the client requested a final event with token counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Usage {
    Included,
    Omitted,
}

/// Writes a completion chunk by chunk.
pub(super) struct Chat {
    context: ResponseContext,
    usage: Usage,
    calls: usize,
}

impl Chat {
    pub(super) fn new(context: ResponseContext, usage: Usage) -> Self {
        Self {
            context,
            usage,
            calls: 0,
        }
    }

    fn chunk(&self, choices: Json, usage: Option<Json>) -> Json {
        let mut members = head(&self.context, "chat.completion.chunk");
        members.push(("choices", choices));
        members.extend(usage.map(|usage| ("usage", usage)));
        Json::object(members)
    }

    fn part(&mut self, part: &CallPart) -> Json {
        self.calls += usize::from(part.is_first);
        let index = self.calls.saturating_sub(1);
        if part.is_first {
            return tool_call(&part.call, &part.input, &self.context, (index, Some(index)));
        }
        object! { "index": index, "function": object! { "arguments": &part.input } }
    }

    fn delta(&self, delta: Json, finish: Json, events: &mut EventBuffer) {
        let choice =
            object! { "index": 0usize, "delta": delta, "logprobs": NULL, "finish_reason": finish };
        events.data(&self.chunk(list![choice], None));
    }
}

impl EventWriter for Chat {
    fn begin(&mut self, events: &mut EventBuffer) {
        self.delta(
            object! { "role": "assistant", "content": "" },
            NULL.into(),
            events,
        );
    }

    fn pause(&mut self, events: &mut EventBuffer) {
        self.delta(object! { "content": "" }, NULL.into(), events);
    }

    fn fragment(
        &mut self,
        blocks: &[ContentBlock],
        place: FragmentPosition,
        events: &mut EventBuffer,
    ) {
        for block in blocks {
            let delta = match block {
                ContentBlock::Text(text) => object! { "content": text },
                ContentBlock::Call(part) => object! { "tool_calls": list![self.part(part)] },
            };
            self.delta(delta, NULL.into(), events);
        }
        let FragmentPosition::Last(stop) = place else {
            return;
        };
        self.delta(object! {}, reason(stop).into(), events);
        if self.usage == Usage::Included {
            let chunk = self.chunk(list![], Some(usage()));
            events.data(&chunk);
        }
        events.push("[DONE]");
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer) {
        events.data(&error(kind, message));
    }
}

pub(super) fn error(kind: &str, message: &str) -> Json {
    object! { "error": object! { "message": message, "type": kind, "param": NULL, "code": NULL } }
}

pub(super) fn whole(blocks: &[ContentBlock], stop: AnswerStop, context: &ResponseContext) -> Json {
    let calls = blocks.iter().filter_map(|blocks| match blocks {
        ContentBlock::Call(CallPart { call, .. }) => Some(call),
        ContentBlock::Text(_) => None,
    });
    let calls = calls.enumerate();
    let calls: Vec<Json> = calls
        .map(|(number, call)| tool_call(call, &call.input, context, (number, None)))
        .collect();
    let text = Some(text_of(blocks)).filter(|text| !text.is_empty() || calls.is_empty());
    let mut message = vec![
        ("role", Json::from("assistant")),
        ("content", text.into()),
        ("refusal", NULL.into()),
    ];
    if !calls.is_empty() {
        message.push(("tool_calls", calls.into()));
    }
    let message = Json::object(message);
    let choice = object! { "index": 0usize, "message": message, "logprobs": NULL, "finish_reason": reason(stop) };
    let mut members = head(context, "chat.completion");
    members.extend([("choices", list![choice]), ("usage", usage())]);
    Json::object(members)
}

fn head(context: &ResponseContext, object: &str) -> Vec<(&'static str, Json)> {
    vec![
        ("id", format!("chatcmpl-retake-{}", context.number).into()),
        ("object", object.into()),
        ("created", context.created.into()),
        ("model", (&context.model).into()),
    ]
}

fn usage() -> Json {
    object! { "prompt_tokens": 0usize, "completion_tokens": 0usize, "total_tokens": 0usize }
}

/// Builds a tool call with its number, and an index if it is streamed.
fn tool_call(
    call: &ServedToolCall,
    arguments: &str,
    context: &ResponseContext,
    (number, index): (usize, Option<usize>),
) -> Json {
    let made = || format!("call_retake_{}_{}", context.number, number + 1);
    let function = object! { "name": &call.name, "arguments": arguments };
    let mut members: Vec<(&str, Json)> = Vec::new();
    members.extend(index.map(|index| ("index", index.into())));
    members.extend([
        ("id", call.id.clone().unwrap_or_else(made).into()),
        ("type", "function".into()),
        ("function", function),
    ]);
    Json::object(members)
}

fn reason(stop: AnswerStop) -> &'static str {
    match stop {
        AnswerStop::End => "stop",
        AnswerStop::Tools => "tool_calls",
        AnswerStop::Length => "length",
    }
}
