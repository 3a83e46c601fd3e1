//! OpenAI's chat completions, which most other providers have, too.

use super::request::{items, text, texts, word};
use super::stream::{TokenKeys, index};
use super::write::{EventBuffer, EventWriter, error_kind};
use super::write_request::{call_id, content, result_text, settings, stream, tool_members};
use super::{
    AnswerStop, Api, BlockContent, CallPart, ContentBlock, MessageRole, ModelAnswer, ModelApi,
    ModelBlock, ModelMessage, ModelRequest, ResponseContext, Route, StopReason, StreamEvent,
    ToolCall,
};
use crate::json::{Json, NULL, list, object};
use document::{Node, NodeKind};

/// Reasons why an answer ends.
pub(super) const STOPS: [(AnswerStop, &str); 5] = [
    (AnswerStop::End, "stop"),
    (AnswerStop::Tools, "tool_calls"),
    (AnswerStop::Length, "length"),
    // `function_call` ends answers to requests with the deprecated `functions`.
    (AnswerStop::Tools, "function_call"),
    (AnswerStop::Filter, "content_filter"),
];

const PARAMETERS: [(&str, &str); 8] = [
    ("max_tokens", "max_tokens"),
    // The newer name of the same limit; reasoning models refuse the older one.
    ("max_tokens", "max_completion_tokens"),
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("stop", "stop"),
    ("seed", "seed"),
    ("tool_choice", "tool_choice"),
    ("response_format", "response_format"),
];

const TOKENS: TokenKeys = TokenKeys {
    input: &["prompt_tokens"],
    output: &["completion_tokens"],
    total: Some("total_tokens"),
};

pub(super) struct OpenAiChat;

impl ModelApi for OpenAiChat {
    fn route(&self, path: &str, _: Option<&str>) -> Option<Route> {
        path.ends_with("/chat/completions").then(|| Route::new(Api::OpenAiChat))
    }

    fn read_request<'t>(&self, body: Node<'t>) -> ModelRequest<'t> {
        let mut request = ModelRequest::new(body, &PARAMETERS);
        for message in items(body, "messages") {
            let content = message.get("content");
            match word(message, "role") {
                // Reasoning models take `developer` in place of `system`.
                "system" | "developer" => request.system.extend(content.map(texts)),
                "tool" => {
                    let result = ModelBlock::result(message.get("tool_call_id"), content);
                    request.join(MessageRole::User, result);
                }
                _ => request.push(MessageRole::of(message), blocks(message)),
            }
        }
        for tool in items(body, "tools") {
            request.push_tool(tool.get("function").unwrap_or(tool), &["parameters"]);
        }
        request
    }

    fn read_answer<'t>(&self, body: Node<'t>) -> Option<ModelAnswer<'t>> {
        let choice = body.get("choices")?.items().next()?;
        let message = choice.get("message")?;
        let mut answer = ModelAnswer::new(body, body.get("usage"), &TOKENS);
        let reasoning = reasoning(message).map(|node| {
            ModelBlock::new(BlockContent::Reasoning(node.as_str().unwrap_or_default().into()), node)
        });
        answer.blocks.extend(reasoning.into_iter().chain(blocks(message)));
        Some(answer.with_stop(stop(choice)))
    }

    fn read_event<'t>(&self, event: Node<'t>, events: &mut Vec<StreamEvent<'t>>) {
        events.push(StreamEvent::head(event));
        for choice in items(event, "choices") {
            if index(choice, "index") > 0 {
                events.push(StreamEvent::Other("What further choices say"));
                continue;
            }
            if let Some(delta) = choice.get("delta") {
                read_delta(delta, events);
            }
            if text(choice, "finish_reason").is_some() {
                // No chunk says that a single call ends.
                events.push(StreamEvent::CallsEnd);
                events.extend(stop(choice).map(StreamEvent::Stop));
            }
        }
        events.push(StreamEvent::tokens(event.get("usage"), &TOKENS));
    }

    fn write_request(&self, request: &ModelRequest<'_>, is_stream: bool) -> Json {
        let tool = |tool| {
            let function = Json::object(tool_members(tool, "parameters"));
            object! { "type": "function", "function": function }
        };
        let system =
            request.system.iter().map(|text| object! { "role": "system", "content": text });
        let messages = system.chain(request.messages.iter().flat_map(sent_messages));
        let messages = ("messages", messages.collect::<Vec<_>>().into());
        let head = [("model", request.model.into())].into_iter().chain(stream(is_stream));
        let settings = settings(request, &PARAMETERS, request.tools.iter().map(tool).collect());
        Json::object(head.chain([messages]).chain(settings))
    }

    fn address(&self, _: &str, _: bool) -> String {
        "https://api.openai.com/v1/chat/completions".to_owned()
    }

    fn write_answer(
        &self,
        blocks: &[ContentBlock],
        stop: AnswerStop,
        context: &ResponseContext,
    ) -> Json {
        let (mut text, mut calls) = (String::new(), Vec::new());
        for block in blocks {
            match block {
                ContentBlock::Text(part_text) => text += part_text,
                ContentBlock::Call(CallPart { call, .. }) => {
                    calls.push(tool_call(call, &call.input, context, (calls.len(), None)));
                }
            }
        }
        // OpenAI has `content: null` beside tool calls without a text.
        let text = Some(text).filter(|text| !text.is_empty() || calls.is_empty());
        let mut message = vec![
            ("role", Json::from("assistant")),
            ("content", text.into()),
            ("refusal", NULL.into()),
        ];
        if !calls.is_empty() {
            message.push(("tool_calls", calls.into()));
        }
        let message = Json::object(message);
        let choice = object! { "index": 0usize, "message": message, "logprobs": NULL, "finish_reason": stop.word(&STOPS) };
        let mut members = head(context, "chat.completion");
        members.extend([("choices", list![choice]), ("usage", usage(context))]);
        Json::object(members)
    }

    fn write_stream(&self, call: ResponseContext, with_usage: bool) -> Box<dyn EventWriter + Send> {
        Box::new(Chat { context: call, with_usage, calls: 0 })
    }

    fn write_error(&self, status: u16, message: &str) -> Json {
        error(error_kind(status), message)
    }
}

/// Reads the content of a message: texts, a refusal, and tool calls.
fn blocks(message: Node<'_>) -> Vec<ModelBlock<'_>> {
    let mut blocks = ModelBlock::read_all(message.get("content"));
    blocks.extend(ModelBlock::read_all(message.get("refusal")));
    blocks.extend(items(message, "tool_calls").map(|call| match call.get("function") {
        // A custom tool takes a text.
        None if call.get("custom").is_some() => ModelBlock::new(BlockContent::Other, call),
        function => ModelBlock::call(call.get("id"), function),
    }));
    blocks
}

/// Writes a message; each result of a tool is one of its own, before what the user says beside them.
fn sent_messages(message: &ModelMessage<'_>) -> Vec<Json> {
    let (mut messages, mut calls) = (Vec::new(), Vec::new());
    for block in &message.blocks {
        match &block.content {
            BlockContent::ToolUse(call) => {
                let function = object! { "name": &call.name, "arguments": &call.input };
                calls.push(
                    object! { "id": call_id(call), "type": "function", "function": function },
                );
            }
            BlockContent::ToolResult { call_id, content, .. } => messages.push(object! {
                "role": "tool", "tool_call_id": call_id.as_deref(), "content": result_text(*content),
            }),
            _ => {}
        }
    }
    let content = content(&message.blocks, "text");
    if content.is_some() || !calls.is_empty() {
        let calls = (!calls.is_empty()).then(|| ("tool_calls", calls.into()));
        let members = [("role", message.role.as_str().into()), ("content", content.into())];
        messages.push(Json::object(members.into_iter().chain(calls)));
    }
    messages
}

fn stop(choice: Node<'_>) -> Option<StopReason<'_>> {
    StopReason::read(choice, "finish_reason", &STOPS)
}

/// Returns what the model thought: DeepSeek and others have it under the first key, OpenRouter under the second.
fn reasoning(message: Node<'_>) -> Option<Node<'_>> {
    let keys = ["reasoning_content", "reasoning"];
    keys.into_iter().find(|key| !word(message, key).is_empty()).and_then(|key| message.get(key))
}

fn read_delta<'t>(delta: Node<'t>, events: &mut Vec<StreamEvent<'t>>) {
    // Beside other members, an empty `content` is a placeholder and not a chunk.
    let has_content = |text: &Node<'_>| text.as_str() != Some("");
    let content = delta.get("content").filter(|text| delta.len() == 1 || has_content(text));
    // Mistral's `content` is a list if the model thought.
    let is_list = |content: &Node<'_>| content.kind() == NodeKind::Array;
    for part in content.filter(is_list).into_iter().flat_map(Node::items) {
        match (word(part, "type"), part.get("thinking")) {
            ("thinking", Some(thoughts)) if is_list(&thoughts) => {
                let texts = thoughts.items().map(|thought| thought.get("text"));
                events.extend(texts.map(StreamEvent::Reasoning));
            }
            ("thinking", text) => events.push(StreamEvent::Reasoning(text)),
            _ => events.push(StreamEvent::Text(part.get("text"))),
        }
    }
    let content = content.filter(|content| !is_list(content));
    events.extend([content, delta.get("refusal").filter(has_content)].map(StreamEvent::Text));
    events.extend(reasoning(delta).map(|text| StreamEvent::Reasoning(Some(text))));
    for part in items(delta, "tool_calls") {
        let index = index(part, "index");
        let function = part.get("function");
        if function.is_none() && part.get("custom").is_some() {
            events.push(StreamEvent::Other("What is neither text nor a tool call"));
            continue;
        }
        events.push(StreamEvent::CallStart {
            index,
            id: text(part, "id"),
            name: function.and_then(|function| text(function, "name")),
        });
        let json = function.and_then(|function| function.get("arguments"));
        events.push(StreamEvent::CallInput { index, json });
    }
}

/// Writes a completion chunk by chunk.
struct Chat {
    context: ResponseContext,
    with_usage: bool,
    calls: usize,
}

impl Chat {
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
        // Only the first part has id and name; clients find the call of the others by the index.
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
        // No `content` here, because a stream of tool calls has none.
        self.delta(object! { "role": "assistant" }, NULL.into(), events);
    }

    fn pause(&mut self, events: &mut EventBuffer) {
        self.text("", events);
    }

    fn text(&mut self, text: &str, events: &mut EventBuffer) {
        self.delta(object! { "content": text }, NULL.into(), events);
    }

    fn call(&mut self, part: &CallPart, events: &mut EventBuffer) {
        let delta = object! { "tool_calls": list![self.part(part)] };
        self.delta(delta, NULL.into(), events);
    }

    fn end(&mut self, stop: AnswerStop, events: &mut EventBuffer) {
        self.delta(object! {}, stop.word(&STOPS).into(), events);
        // OpenAI sends token counts, in a chunk without choices, only on request.
        if self.with_usage {
            events.data(&self.chunk(list![], Some(usage(&self.context))));
        }
        // Clients read until this line and then close the connection themselves.
        events.push("[DONE]");
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer) {
        events.data(&error(kind, message));
    }
}

pub(super) fn error(kind: &str, message: &str) -> Json {
    object! { "error": object! { "message": message, "type": kind, "param": NULL, "code": NULL } }
}

fn head(context: &ResponseContext, object: &str) -> Vec<(&'static str, Json)> {
    vec![
        ("id", format!("chatcmpl-retake-{}", context.number).into()),
        ("object", object.into()),
        ("created", context.created.into()),
        ("model", (&context.model).into()),
    ]
}

fn usage(ResponseContext { tokens, .. }: &ResponseContext) -> Json {
    let total = tokens.input + tokens.output;
    object! { "prompt_tokens": tokens.input, "completion_tokens": tokens.output, "total_tokens": total }
}

/// Builds a tool call with its number, and an index if it is streamed.
fn tool_call(
    call: &ToolCall,
    arguments: &str,
    context: &ResponseContext,
    (number, index): (usize, Option<usize>),
) -> Json {
    let new_id = || format!("call_retake_{}_{}", context.number, number + 1);
    let function = object! { "name": &call.name, "arguments": arguments };
    let index = index.map(|index| ("index", index.into()));
    let members = [
        ("id", call.id.clone().unwrap_or_else(new_id).into()),
        ("type", "function".into()),
        ("function", function),
    ];
    Json::object(index.into_iter().chain(members))
}
