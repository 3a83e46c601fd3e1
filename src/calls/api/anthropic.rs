//! Anthropic's messages.

use super::request::{at, input_text, items, text, texts, word};
use super::route::{model_and_verb, unescaped_model};
use super::stream::{TokenKeys, index};
use super::write::{EventBuffer, EventWriter, error_kind};
use super::write_request::{content, settings, stream, tool_members};
use super::{
    AnswerStop, Api, BlockContent, CallPart, ContentBlock, MessageRole, ModelAnswer, ModelApi,
    ModelBlock, ModelRequest, ResponseContext, ResponseForm, Route, StopReason, StreamEvent,
    ToolCall,
};
use crate::json::{Json, NULL, object};
use document::{Node, NodeKind};

/// Reasons why an answer ends.
pub(super) const STOPS: [(AnswerStop, &str); 5] = [
    (AnswerStop::End, "end_turn"),
    (AnswerStop::Tools, "tool_use"),
    (AnswerStop::Length, "max_tokens"),
    (AnswerStop::End, "stop_sequence"),
    (AnswerStop::Filter, "refusal"),
];

const PARAMETERS: [(&str, &str); 6] = [
    ("max_tokens", "max_tokens"),
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("top_k", "top_k"),
    ("stop", "stop_sequences"),
    ("tool_choice", "tool_choice"),
];

pub(super) struct AnthropicMessages;

impl ModelApi for AnthropicMessages {
    /// Vertex AI and Bedrock have the model in the path; a stream of Bedrock is not made of server-sent events.
    fn route(&self, path: &str, _: Option<&str>) -> Option<Route> {
        let route = |model: &str, form| Route {
            model: Some(unescaped_model(model)),
            form,
            ..Route::new(Api::AnthropicMessages)
        };
        // Paths with threads are OpenAI's.
        if path.ends_with("/messages") && !path.contains("/threads/") {
            return Some(Route::new(Api::AnthropicMessages));
        }
        if let Some((model, "invoke")) = path.rsplit_once('/') {
            let model = model.rsplit('/').next()?;
            // Models of other vendors have other bodies here. An inference profile has a region before the vendor: `us.anthropic.…`.
            return model.contains("anthropic.").then(|| route(model, ResponseForm::Whole));
        }
        // Other publishers of Vertex AI have the same verbs.
        match model_and_verb(path).filter(|_| path.contains("/publishers/anthropic/"))? {
            (model, "rawPredict") => Some(route(model, ResponseForm::Whole)),
            (model, "streamRawPredict") => Some(route(model, ResponseForm::Events)),
            _ => None,
        }
    }

    fn read_request<'t>(&self, body: Node<'t>) -> ModelRequest<'t> {
        let mut request = ModelRequest::new(body, &PARAMETERS);
        for message in items(body, "messages") {
            request.push(MessageRole::of(message), ModelBlock::read_all(message.get("content")));
        }
        for tool in items(body, "tools") {
            request.push_tool(tool, &["input_schema"]);
        }
        request.system.extend(body.get("system").map(texts));
        request
    }

    fn read_answer<'t>(&self, body: Node<'t>) -> Option<ModelAnswer<'t>> {
        let mut answer = ModelAnswer::new(body, body.get("usage"), &TOKENS);
        answer.blocks = ModelBlock::read_all(Some(body.get("content")?));
        Some(answer.with_stop(stop(body)))
    }

    fn read_event<'t>(&self, event: Node<'t>, events: &mut Vec<StreamEvent<'t>>) {
        let index = index(event, "index");
        match word(event, "type") {
            "message_start" => {
                events.extend(event.get("message").map(StreamEvent::head));
                events.push(StreamEvent::tokens(at(event, "message/usage"), &TOKENS));
            }
            "content_block_start" => {
                let block = event.get("content_block");
                events.extend(block.and_then(|block| block_start(block, index)));
            }
            "content_block_delta" => {
                let delta = event.get("delta");
                events.extend(delta.and_then(|delta| block_delta(delta, index)));
            }
            "content_block_stop" => events.push(StreamEvent::CallEnd { index }),
            "message_delta" => {
                events.extend(event.get("delta").and_then(stop).map(StreamEvent::Stop));
                events.push(StreamEvent::tokens(event.get("usage"), &TOKENS));
            }
            "message_stop" => events.push(StreamEvent::End),
            _ => {}
        }
    }

    fn write_request(&self, request: &ModelRequest<'_>, is_stream: bool) -> Json {
        let tool = |tool| Json::object(tool_members(tool, "input_schema"));
        let messages = request.messages.iter().map(|message| {
            let plain = match &message.blocks[..] {
                [_] => content(&message.blocks, "text"),
                _ => None,
            };
            let blocks = || message.blocks.iter().map(sent_block).collect::<Vec<_>>().into();
            object! { "role": message.role.as_str(), "content": plain.unwrap_or_else(blocks) }
        });
        let system = request.system.join("\n");
        let system = (!system.is_empty()).then(|| ("system", system.into()));
        let messages = ("messages", messages.collect::<Vec<_>>().into());
        let mut members = settings(request, &PARAMETERS, request.tools.iter().map(tool).collect());
        members.extend([messages, ("model", request.model.into())]);
        members.extend(system.into_iter().chain(stream(is_stream)));
        members.sort_by_key(|(key, _)| *key);
        Json::object(members)
    }

    fn address(&self, _: &str, _: bool) -> String {
        "https://api.anthropic.com/v1/messages".to_owned()
    }

    fn write_answer(
        &self,
        blocks: &[ContentBlock],
        stop: AnswerStop,
        context: &ResponseContext,
    ) -> Json {
        let mut calls = 0;
        let blocks = blocks.iter().map(|block| match block {
            ContentBlock::Text(text) => object! { "type": "text", "text": text },
            ContentBlock::Call(CallPart { call, .. }) => {
                calls += 1;
                let input = Json::raw(call.input.as_str());
                object! { "type": "tool_use", "id": id(call, context, calls), "name": &call.name, "input": input }
            }
        });
        message(blocks.collect(), stop.word(&STOPS).into(), context)
    }

    fn write_stream(&self, context: ResponseContext, _: bool) -> Box<dyn EventWriter + Send> {
        Box::new(Messages { context, block: 0, is_open: false, calls: 0 })
    }

    fn write_error(&self, status: u16, message: &str) -> Json {
        error(error_kind(status), message)
    }
}

const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"],
    output: &["output_tokens"],
    total: None,
};

fn sent_block(block: &ModelBlock<'_>) -> Json {
    match (&block.content, block.node) {
        (BlockContent::Text(text) | BlockContent::Reasoning(text), None) => {
            object! { "type": "text", "text": &**text }
        }
        (BlockContent::Text(text), Some(node)) if node.kind() == NodeKind::String => {
            object! { "type": "text", "text": &**text }
        }
        // Requests are written from recordings, which have these blocks.
        (_, node) => Json::raw(node.map_or_else(|| "null".to_owned(), input_text)),
    }
}

fn stop(message: Node<'_>) -> Option<StopReason<'_>> {
    StopReason::read(message, "stop_reason", &STOPS)
}

fn block_start(block: Node<'_>, index: u64) -> Option<StreamEvent<'_>> {
    match text(block, "type") {
        Some("text") => {
            // Anthropic starts each block with an empty text, which is not a chunk of the answer.
            Some(StreamEvent::Text(block.get("text").filter(|text| text.as_str() != Some(""))))
        }
        Some("tool_use" | "server_tool_use") => {
            Some(StreamEvent::CallStart { index, id: text(block, "id"), name: text(block, "name") })
        }
        // The text of a thought comes in the deltas, or is encrypted.
        Some("thinking" | "redacted_thinking") => None,
        _ => Some(StreamEvent::Other("What is neither text nor a tool call")),
    }
}

fn block_delta(delta: Node<'_>, index: u64) -> Option<StreamEvent<'_>> {
    match text(delta, "type") {
        Some("text_delta") => Some(StreamEvent::Text(delta.get("text"))),
        Some("input_json_delta") => {
            Some(StreamEvent::CallInput { index, json: delta.get("partial_json") })
        }
        Some("thinking_delta") => Some(StreamEvent::Reasoning(delta.get("thinking"))),
        // Signatures and citations add no content.
        _ => None,
    }
}

/// Writes a message event by event.
struct Messages {
    context: ResponseContext,
    /// Index of the open block, or of the next one.
    block: usize,
    /// Whether a block of text is open.
    is_open: bool,
    /// Number of tool calls so far.
    calls: usize,
}

impl Messages {
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
}

impl EventWriter for Messages {
    fn begin(&mut self, events: &mut EventBuffer) {
        let message = message(Vec::new(), NULL.into(), &self.context);
        events.named("message_start", &object! { "type": "message_start", "message": message });
    }

    fn pause(&mut self, events: &mut EventBuffer) {
        events.named("ping", &object! { "type": "ping" });
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
                // Anthropic starts with an empty object, also where the deltas bring members.
                object! { "type": "tool_use", "id": id, "name": name, "input": Json::raw("{}") };
            self.start(block, events);
        }
        let delta = object! { "type": "input_json_delta", "partial_json": &part.input };
        self.delta(delta, events);
        if part.is_last {
            self.stop(events);
        }
    }

    fn end(&mut self, stop: AnswerStop, events: &mut EventBuffer) {
        self.close(events);
        let delta = object! { "stop_reason": stop.word(&STOPS), "stop_sequence": NULL };
        let usage = object! { "output_tokens": self.context.tokens.output };
        let delta = object! { "type": "message_delta", "delta": delta, "usage": usage };
        events.named("message_delta", &delta);
        events.named("message_stop", &object! { "type": "message_stop" });
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer) {
        events.named("error", &error(kind, message));
    }
}

fn error(kind: &str, message: &str) -> Json {
    object! { "type": "error", "error": object! { "type": kind, "message": message } }
}

fn message(content: Vec<Json>, stop_reason: Json, context: &ResponseContext) -> Json {
    let tokens = context.tokens;
    let usage = object! { "input_tokens": tokens.input, "output_tokens": tokens.output };
    object! {
        "id": format!("msg_retake_{}", context.number), "type": "message", "role": "assistant", "model": &context.model,
        "content": content, "stop_reason": stop_reason, "stop_sequence": NULL, "usage": usage,
    }
}

fn id(call: &ToolCall, context: &ResponseContext, number: usize) -> String {
    let new_id = || format!("toolu_retake_{}_{number}", context.number);
    call.id.clone().unwrap_or_else(new_id)
}
