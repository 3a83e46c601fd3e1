//! Anthropic's messages.

use super::super::answer::{AnswerStop, CallPart, ContentBlock, ServedToolCall};
use super::super::json::{Json, NULL, object};
use super::{EventBuffer, EventWriter, FragmentPosition, ResponseContext};

/// Writes a message event by event.
pub(super) struct Messages {
    context: ResponseContext,
    /// Index of the open block, or of the next one.
    block: usize,
    /// Whether a block of text is open.
    is_open: bool,
    /// Number of tool calls so far.
    calls: usize,
}

impl Messages {
    pub(super) fn new(context: ResponseContext) -> Self {
        Self {
            context,
            block: 0,
            is_open: false,
            calls: 0,
        }
    }

    fn start(&mut self, block: Json, events: &mut EventBuffer) {
        let start =
            object! { "type": "content_block_start", "index": self.block, "content_block": block };
        events.named("content_block_start", &start);
    }

    fn delta(&mut self, delta: Json, events: &mut EventBuffer) {
        let delta = object! { "type": "content_block_delta", "index": self.block, "delta": delta };
        events.named("content_block_delta", &delta);
    }

    fn stop(&mut self, events: &mut EventBuffer) {
        let stop = object! { "type": "content_block_stop", "index": self.block };
        events.named("content_block_stop", &stop);
        self.block += 1;
    }

    fn close(&mut self, events: &mut EventBuffer) {
        if std::mem::take(&mut self.is_open) {
            self.stop(events);
        }
    }

    fn text(&mut self, text: &str, events: &mut EventBuffer) {
        if !std::mem::replace(&mut self.is_open, true) {
            self.start(object! { "type": "text", "text": "" }, events);
        }
        self.delta(object! { "type": "text_delta", "text": text }, events);
    }

    fn call(&mut self, part: &CallPart, events: &mut EventBuffer) {
        if part.is_first {
            self.close(events);
            self.calls += 1;
            let id = id(&part.call, &self.context, self.calls);
            let name = &part.call.name;
            let block =
                object! { "type": "tool_use", "id": id, "name": name, "input": Json::raw("{}") };
            self.start(block, events);
        }
        let delta = object! { "type": "input_json_delta", "partial_json": &part.input };
        self.delta(delta, events);
        if part.is_last {
            self.stop(events);
        }
    }
}

impl EventWriter for Messages {
    fn begin(&mut self, events: &mut EventBuffer) {
        let message = message(Vec::new(), NULL.into(), &self.context);
        events.named(
            "message_start",
            &object! { "type": "message_start", "message": message },
        );
    }

    fn pause(&mut self, events: &mut EventBuffer) {
        events.named("ping", &object! { "type": "ping" });
    }

    fn fragment(
        &mut self,
        blocks: &[ContentBlock],
        place: FragmentPosition,
        events: &mut EventBuffer,
    ) {
        for block in blocks {
            match block {
                ContentBlock::Text(text) => self.text(text, events),
                ContentBlock::Call(part) => self.call(part, events),
            }
        }
        let FragmentPosition::Last(stop) = place else {
            return;
        };
        self.close(events);
        let delta = object! { "stop_reason": reason(stop), "stop_sequence": NULL };
        let usage = object! { "output_tokens": 0usize };
        let delta = object! { "type": "message_delta", "delta": delta, "usage": usage };
        events.named("message_delta", &delta);
        events.named("message_stop", &object! { "type": "message_stop" });
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer) {
        events.named("error", &error(kind, message));
    }
}

pub(super) fn error(kind: &str, message: &str) -> Json {
    object! { "type": "error", "error": object! { "type": kind, "message": message } }
}

pub(super) fn whole(blocks: &[ContentBlock], stop: AnswerStop, context: &ResponseContext) -> Json {
    let mut calls = 0;
    let blocks = blocks.iter().map(|blocks| match blocks {
        ContentBlock::Text(text) => object! { "type": "text", "text": text },
        ContentBlock::Call(CallPart { call, .. }) => {
            calls += 1;
            let input = Json::raw(call.input.as_str());
            object! { "type": "tool_use", "id": id(call, context, calls), "name": &call.name, "input": input }
        }
    });
    message(blocks.collect(), reason(stop).into(), context)
}

fn message(content: Vec<Json>, stop_reason: Json, context: &ResponseContext) -> Json {
    let usage = object! { "input_tokens": 0usize, "output_tokens": 0usize };
    object! {
        "id": format!("msg_retake_{}", context.number), "type": "message", "role": "assistant", "model": &context.model,
        "content": content, "stop_reason": stop_reason, "stop_sequence": NULL, "usage": usage,
    }
}

fn id(call: &ServedToolCall, context: &ResponseContext, number: usize) -> String {
    let made = || format!("toolu_retake_{}_{number}", context.number);
    call.id.clone().unwrap_or_else(made)
}

fn reason(stop: AnswerStop) -> &'static str {
    match stop {
        AnswerStop::End => "end_turn",
        AnswerStop::Tools => "tool_use",
        AnswerStop::Length => "max_tokens",
    }
}
