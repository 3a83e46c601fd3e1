//! OpenAI's responses.

use super::openai_chat;
use super::request::{at, items, text, texts, word};
use super::stream::{index, instant, number};
use super::write::{EventBuffer, EventWriter};
use super::{
    AnswerStop, Api, ApiError, BlockContent, CallPart, ContentBlock, MessageRole, ModelAnswer,
    ModelApi, ModelBlock, ModelRequest, ResponseContext, Route, StreamEvent, ToolCall,
};
use crate::format::{Node, NodeKind};
use crate::ops::json::{Json, NULL, list, object};

const PARAMETERS: [(&str, &str); 6] = [
    ("max_tokens", "max_output_tokens"),
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("tool_choice", "tool_choice"),
    ("reasoning_effort", "reasoning/effort"),
    ("response_format", "text/format"),
];

const TOKENS: [&str; 2] = ["input_tokens", "output_tokens"];

pub(super) struct OpenAiResponses;

impl ModelApi for OpenAiResponses {
    fn route(&self, path: &str, _: Option<&str>) -> Option<Route> {
        let is_responses = path.ends_with("/responses");
        is_responses.then(|| Route::new(Api::OpenAiResponses))
    }

    fn is_answer(&self, answer: Node<'_>) -> bool {
        word(answer, "type").starts_with("response.") || word(answer, "object") == "response"
    }

    fn read_request<'t>(&self, body: Node<'t>) -> ModelRequest<'t> {
        let mut request = ModelRequest::new(body, &PARAMETERS);
        request.system.extend(body.get("instructions").map(texts));
        let input = body.get("input");
        if input.is_some_and(|input| input.kind() == NodeKind::String) {
            request.push(MessageRole::User, ModelBlock::read_all(input));
        }
        for item in items(body, "input") {
            let content = item.get("content");
            match (word(item, "type"), word(item, "role")) {
                ("function_call", _) => {
                    let call = ModelBlock::call(item.get("call_id"), Some(item));
                    request.join(MessageRole::Assistant, call);
                }
                ("function_call_output", _) => {
                    let result = ModelBlock::result(item.get("call_id"), item.get("output"));
                    request.join(MessageRole::User, result);
                }
                (_, "system" | "developer") => request.system.extend(content.map(texts)),
                ("" | "message", _) => {
                    request.push(MessageRole::of(item), ModelBlock::read_all(content));
                }
                // Thinking and what is referred to by its id are no messages.
                _ => {}
            }
        }
        for tool in items(body, "tools") {
            request.push_tool(tool, &["parameters"]);
            // The API's own tools have no name.
            if let Some(read) = request.tools.last_mut() {
                read.name = read.name.or_else(|| tool.get("type"));
            }
        }
        request
    }

    fn read_answer<'t>(&self, body: Node<'t>) -> Option<ModelAnswer<'t>> {
        let mut answer = ModelAnswer::new(body, body.get("usage"), TOKENS);
        for item in body.get("output")?.items() {
            let thought = || items(item, "summary").chain(items(item, "content"));
            match word(item, "type") {
                "message" => answer.blocks.extend(items(item, "content").map(block)),
                "function_call" => {
                    let call = ModelBlock::call(item.get("call_id"), Some(item));
                    answer.blocks.push(call);
                }
                "reasoning" => {
                    let texts: Vec<&str> = thought().filter_map(|it| text(it, "text")).collect();
                    answer.blocks.push(ModelBlock {
                        content: BlockContent::Reasoning(texts.join("\n").into()),
                        node: Some(item),
                    });
                }
                _ => answer.blocks.push(ModelBlock {
                    content: BlockContent::Other,
                    node: Some(item),
                }),
            }
        }
        Some(answer.with_stop(stop(body)))
    }

    fn read_event<'t>(&self, event: Node<'t>, events: &mut Vec<StreamEvent<'t>>) {
        let response = event.get("response");
        let at_index = index(event, "output_index");
        match word(event, "type") {
            "response.created" => {
                let Some(response) = response else { return };
                events.push(StreamEvent::Head {
                    id: text(response, "id"),
                    model: text(response, "model"),
                    created_at: instant(response.get("created_at")),
                });
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                events.push(StreamEvent::Text(event.get("delta")));
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                events.push(StreamEvent::Reasoning(event.get("delta")));
            }
            "response.output_item.added" => {
                events.extend(function_call(event).map(|item| StreamEvent::CallStart {
                    index: at_index,
                    id: text(item, "call_id").or_else(|| text(item, "id")),
                    name: text(item, "name"),
                }));
            }
            "response.function_call_arguments.delta" => events.push(StreamEvent::CallInput {
                index: at_index,
                json: event.get("delta"),
            }),
            "response.output_item.done" => {
                events.extend(function_call(event).map(|item| {
                    StreamEvent::Call {
                        index: Some(at_index),
                        call: ToolCall {
                            id: text(item, "call_id")
                                .or_else(|| text(item, "id"))
                                .map(str::to_owned),
                            name: word(item, "name").to_owned(),
                            input: word(item, "arguments").to_owned(),
                        },
                    }
                }));
            }
            kind @ ("response.completed" | "response.incomplete") => {
                events.push(StreamEvent::End);
                if kind == "response.incomplete" {
                    let reason = response.and_then(incomplete_reason);
                    let reason = reason.unwrap_or("no reason given");
                    events.push(StreamEvent::Note(format!(
                        "The answer is not complete ({reason})"
                    )));
                }
                let Some(response) = response else { return };
                let usage = response.get("usage");
                let [input, output] =
                    TOKENS.map(|key| number(usage.and_then(|usage| usage.get(key))));
                events.push(StreamEvent::Tokens { input, output });
                events.extend(stop(response).map(StreamEvent::Stop));
            }
            "response.failed" => {
                let error = response.and_then(ApiError::of_body);
                events.push(StreamEvent::Error(
                    error.unwrap_or_else(|| ApiError::read(event)),
                ));
            }
            "error" => events.push(StreamEvent::Error(ApiError::read(event))),
            _ => {}
        }
    }

    fn write_answer(
        &self,
        blocks: &[ContentBlock],
        stop: AnswerStop,
        context: &ResponseContext,
    ) -> Json {
        let items = blocks.iter().enumerate().map(|(at, blocks)| match blocks {
            ContentBlock::Text(text) => message(context, at, "completed", vec![part(text)]),
            ContentBlock::Call(CallPart { call, .. }) => {
                function_call_item(context, at, call, "completed", &call.input)
            }
        });
        response(items.collect(), ending(stop).1, context)
    }

    fn write_stream(&self, context: ResponseContext, _: bool) -> Box<dyn EventWriter + Send> {
        Box::new(Responses {
            context,
            sequence: 0,
            done: Vec::new(),
            open: None,
        })
    }

    fn write_error(&self, status: u16, message: &str) -> Json {
        openai_chat::OpenAiChat.write_error(status, message)
    }
}

/// Returns the item of an event if it is a tool call.
fn function_call(event: Node<'_>) -> Option<Node<'_>> {
    let item = event.get("item")?;
    (text(item, "type")? == "function_call").then_some(item)
}

/// Reads a part of a message: a text or a refusal.
fn block(part: Node<'_>) -> ModelBlock<'_> {
    match text(part, "refusal") {
        Some(refusal) => ModelBlock {
            content: BlockContent::Text(refusal.into()),
            node: Some(part),
        },
        None => ModelBlock::read(part),
    }
}

fn incomplete_reason(response: Node<'_>) -> Option<&str> {
    at(response, "incomplete_details/reason")?.as_str()
}

fn stop(response: Node<'_>) -> Option<AnswerStop> {
    match (text(response, "status")?, incomplete_reason(response)) {
        ("completed", _) => Some(AnswerStop::End),
        ("incomplete", Some("max_output_tokens")) => Some(AnswerStop::Length),
        _ => None,
    }
}

/// Writes a response event by event.
struct Responses {
    context: ResponseContext,
    sequence: usize,
    /// The items that are done.
    done: Vec<Json>,
    /// The text of the message that is open.
    open: Option<String>,
}

impl Responses {
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
            let item = function_call_item(&self.context, at, call, "in_progress", "");
            let added = vec![("output_index", at.into()), ("item", item)];
            self.event("response.output_item.added", added, events);
        }
        let delta = self.about_call("delta", &part.input);
        self.event("response.function_call_arguments.delta", delta, events);
        if part.is_last {
            let mut done = self.about_call("name", &call.name);
            done.push(("arguments", (&call.input).into()));
            self.event("response.function_call_arguments.done", done, events);
            let item =
                function_call_item(&self.context, self.item(), call, "completed", &call.input);
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
        stop: Option<AnswerStop>,
        events: &mut EventBuffer,
    ) {
        for block in blocks {
            match block {
                ContentBlock::Text(text) => self.text(text, events),
                ContentBlock::Call(part) => self.call(part, events),
            }
        }
        let Some(stop) = stop else { return };
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

fn function_call_item(
    context: &ResponseContext,
    at: usize,
    call: &ToolCall,
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
