//! OpenAI's responses.

use super::super::answer::{AnswerStop, CallPart, ContentBlock, ServedToolCall};
use super::super::json::{Json, NULL, list, object};
use super::{EventBuffer, EventWriter, FragmentPosition, ResponseContext};

/// Writes a response event by event.
pub(super) struct Responses {
    context: ResponseContext,
    sequence: usize,
    /// The items that are done.
    done: Vec<Json>,
    /// The text of the message that is open.
    open: Option<String>,
}

impl Responses {
    pub(super) fn new(context: ResponseContext) -> Self {
        Self {
            context,
            sequence: 0,
            done: Vec::new(),
            open: None,
        }
    }

    fn event(&mut self, kind: &str, members: Vec<(&str, Json)>, events: &mut EventBuffer) {
        let mut all = vec![
            ("type", Json::from(kind)),
            ("sequence_number", self.sequence.into()),
        ];
        all.extend(members);
        self.sequence += 1;
        events.named(kind, &Json::object(all));
    }

    fn item(&self) -> usize {
        self.done.len()
    }

    /// Returns the members that identify the text of an event.
    fn at(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("item_id", item_id(&self.context, self.item()).into()),
            ("output_index", self.item().into()),
            ("content_index", 0usize.into()),
        ]
    }

    fn text(&mut self, text: &str, events: &mut EventBuffer) {
        if self.open.is_none() {
            let item = message(&self.context, self.item(), "in_progress", Vec::new());
            let added = vec![("output_index", self.item().into()), ("item", item)];
            self.event("response.output_item.added", added, events);
            let mut added = self.at();
            added.push(("part", part("")));
            self.event("response.content_part.added", added, events);
        }
        self.open.get_or_insert_default().push_str(text);
        let mut delta = self.at();
        delta.extend([("delta", text.into()), ("logprobs", list![])]);
        self.event("response.output_text.delta", delta, events);
    }

    fn close(&mut self, events: &mut EventBuffer) {
        let Some(text) = self.open.take() else { return };
        let mut done = self.at();
        done.extend([("text", (&text).into()), ("logprobs", list![])]);
        self.event("response.output_text.done", done, events);
        let mut done = self.at();
        done.push(("part", part(&text)));
        self.event("response.content_part.done", done, events);
        let item = message(&self.context, self.item(), "completed", vec![part(&text)]);
        self.item_done(item, events);
    }

    fn item_done(&mut self, item: Json, events: &mut EventBuffer) {
        let done = vec![("output_index", self.item().into()), ("item", item.clone())];
        self.event("response.output_item.done", done, events);
        self.done.push(item);
    }

    fn call(&mut self, part: &CallPart, events: &mut EventBuffer) {
        let call = &part.call;
        if part.is_first {
            self.close(events);
            let at = self.item();
            let item = function_call(&self.context, at, call, "in_progress", "");
            let added = vec![("output_index", at.into()), ("item", item)];
            self.event("response.output_item.added", added, events);
        }
        let delta = self.about_call("delta", &part.input);
        self.event("response.function_call_arguments.delta", delta, events);
        if part.is_last {
            let mut done = self.about_call("name", &call.name);
            done.push(("arguments", (&call.input).into()));
            self.event("response.function_call_arguments.done", done, events);
            let item = function_call(&self.context, self.item(), call, "completed", &call.input);
            self.item_done(item, events);
        }
    }

    /// Returns the members that identify the call of an event, and one more.
    fn about_call(&self, key: &'static str, value: &str) -> Vec<(&'static str, Json)> {
        vec![
            ("item_id", item_id(&self.context, self.item()).into()),
            ("output_index", self.item().into()),
            (key, value.into()),
        ]
    }
}

impl EventWriter for Responses {
    fn begin(&mut self, events: &mut EventBuffer) {
        for kind in ["response.created", "response.in_progress"] {
            let response = response(Vec::new(), "in_progress", &self.context);
            self.event(kind, vec![("response", response)], events);
        }
    }

    fn pause(&mut self, events: &mut EventBuffer) {
        events.comment();
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
        let (kind, status) = ending(stop);
        let response = response(self.done.clone(), status, &self.context);
        self.event(kind, vec![("response", response)], events);
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer) {
        let members = vec![
            ("code", kind.into()),
            ("message", message.into()),
            ("param", NULL.into()),
        ];
        self.event("error", members, events);
    }
}

pub(super) fn whole(blocks: &[ContentBlock], stop: AnswerStop, context: &ResponseContext) -> Json {
    let items = blocks.iter().enumerate().map(|(at, blocks)| match blocks {
        ContentBlock::Text(text) => message(context, at, "completed", vec![part(text)]),
        ContentBlock::Call(CallPart { call, .. }) => {
            function_call(context, at, call, "completed", &call.input)
        }
    });
    response(items.collect(), ending(stop).1, context)
}

fn ending(stop: AnswerStop) -> (&'static str, &'static str) {
    match stop {
        AnswerStop::End | AnswerStop::Tools => ("response.completed", "completed"),
        AnswerStop::Length => ("response.incomplete", "incomplete"),
    }
}

fn response(output: Vec<Json>, status: &str, context: &ResponseContext) -> Json {
    let details = (status == "incomplete").then(|| object! { "reason": "max_output_tokens" });
    let usage = (status != "in_progress").then(|| {
        object! {
            "input_tokens": 0usize, "input_tokens_details": object! { "cached_tokens": 0usize },
            "output_tokens": 0usize, "output_tokens_details": object! { "reasoning_tokens": 0usize }, "total_tokens": 0usize,
        }
    });
    object! {
        "id": format!("resp_retake_{}", context.number), "object": "response", "created_at": context.created, "status": status,
        "error": NULL, "incomplete_details": details, "instructions": NULL, "metadata": object! {}, "model": &context.model,
        "output": output, "parallel_tool_calls": true, "temperature": NULL, "tool_choice": "auto", "tools": list![],
        "top_p": NULL, "usage": usage,
    }
}

fn message(context: &ResponseContext, at: usize, status: &str, content: Vec<Json>) -> Json {
    object! { "type": "message", "id": item_id(context, at), "status": status, "role": "assistant", "content": content }
}

fn part(text: &str) -> Json {
    object! { "type": "output_text", "text": text, "annotations": list![], "logprobs": list![] }
}

fn function_call(
    context: &ResponseContext,
    at: usize,
    call: &ServedToolCall,
    status: &str,
    arguments: &str,
) -> Json {
    let made = || format!("call_retake_{}_{}", context.number, at + 1);
    let id = call.id.clone().unwrap_or_else(made);
    object! {
        "type": "function_call", "id": item_id(context, at), "status": status, "call_id": id, "name": &call.name,
        "arguments": arguments,
    }
}

fn item_id(context: &ResponseContext, at: usize) -> String {
    format!("item_retake_{}_{}", context.number, at + 1)
}
