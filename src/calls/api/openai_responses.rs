//! OpenAI's responses.

use super::openai_chat;
use super::request::{at, items, text, texts, word};
use super::stream::{TokenKeys, index};
use super::write::{EventBuffer, EventWriter};
use super::write_request::{call_id, content, result_text, settings, stream, tool_members};
use super::{
    AnswerStop, Api, ApiError, BlockContent, CallPart, ContentBlock, MessageRole, ModelAnswer,
    ModelApi, ModelBlock, ModelMessage, ModelRequest, ResponseContext, Route, StopReason,
    StreamEvent, ToolCall,
};
use crate::json::{Json, NULL, list, object};
use document::{Node, NodeKind};

const PARAMETERS: [(&str, &str); 6] = [
    ("max_tokens", "max_output_tokens"),
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("tool_choice", "tool_choice"),
    ("reasoning_effort", "reasoning/effort"),
    ("response_format", "text/format"),
];

const TOKENS: TokenKeys =
    TokenKeys { input: &["input_tokens"], output: &["output_tokens"], total: Some("total_tokens") };

pub(super) struct OpenAiResponses;

impl ModelApi for OpenAiResponses {
    fn route(&self, path: &str, _: Option<&str>) -> Option<Route> {
        path.ends_with("/responses").then(|| Route::new(Api::OpenAiResponses))
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
                // Thinking, and items that are given only by their id, are no messages.
                _ => {}
            }
        }
        // A namespace has tools of its own.
        let tools = items(body, "tools");
        for tool in tools.flat_map(|tool| [tool].into_iter().chain(items(tool, "tools"))) {
            request.push_tool(tool, &["parameters"]);
            // The API's own tools have no name.
            if let Some(model_tool) = request.tools.last_mut() {
                model_tool.name = model_tool.name.or_else(|| tool.get("type"));
            }
        }
        request
    }

    fn read_answer<'t>(&self, body: Node<'t>) -> Option<ModelAnswer<'t>> {
        let mut answer = ModelAnswer::new(body, body.get("usage"), &TOKENS);
        for item in body.get("output").filter(|output| output.kind() == NodeKind::Array)?.items() {
            let block = match word(item, "type") {
                "message" => {
                    let blocks = ModelBlock::read_all(item.get("content"));
                    answer.blocks.extend(blocks);
                    continue;
                }
                "function_call" => ModelBlock::call(item.get("call_id"), Some(item)),
                "reasoning" => {
                    let thoughts = items(item, "summary").chain(items(item, "content"));
                    let texts: Vec<&str> = thoughts.filter_map(|t| text(t, "text")).collect();
                    ModelBlock::new(BlockContent::Reasoning(texts.join("\n").into()), item)
                }
                _ => ModelBlock::new(BlockContent::Other, item),
            };
            answer.blocks.push(block);
        }
        Some(answer.with_stop(stop(body)))
    }

    fn read_event<'t>(&self, event: Node<'t>, events: &mut Vec<StreamEvent<'t>>) {
        let response = event.get("response");
        let index = index(event, "output_index");
        match word(event, "type") {
            "response.created" => events.extend(response.map(StreamEvent::head)),
            "response.output_text.delta" | "response.refusal.delta" => {
                events.push(StreamEvent::Text(event.get("delta")));
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                events.push(StreamEvent::Reasoning(event.get("delta")));
            }
            "response.function_call_arguments.delta" => {
                let json = event.get("delta");
                events.push(StreamEvent::CallInput { index, json });
            }
            kind @ ("response.output_item.added" | "response.output_item.done") => {
                let Some(item) = event.get("item") else { return };
                match word(item, "type") {
                    "function_call" => {}
                    // The texts of these items come as deltas.
                    "message" | "reasoning" => return,
                    // Reported once, when the item is done.
                    _ if kind == "response.output_item.added" => return,
                    _ => {
                        events.push(StreamEvent::Other("What is neither text nor a tool call"));
                        return;
                    }
                }
                let id = text(item, "call_id").or_else(|| text(item, "id"));
                let name = text(item, "name");
                if kind == "response.output_item.added" {
                    events.push(StreamEvent::CallStart { index, id, name });
                    return;
                }
                let index = Some(index);
                let call = ToolCall {
                    id: id.map(str::to_owned),
                    name: name.unwrap_or_default().to_owned(),
                    input: word(item, "arguments").to_owned(),
                };
                // The item that is done has the whole input, whether or not deltas came before.
                events.push(StreamEvent::Call { index, call });
            }
            kind @ ("response.completed" | "response.incomplete") => {
                events.push(StreamEvent::End);
                if kind == "response.incomplete" {
                    let reason = response.and_then(|r| at(r, "incomplete_details/reason"));
                    let reason = reason.and_then(Node::as_str).unwrap_or("no reason given");
                    let note = format!("The answer is not complete ({reason})");
                    events.push(StreamEvent::Note(note));
                }
                let Some(response) = response else { return };
                events.push(StreamEvent::tokens(response.get("usage"), &TOKENS));
                events.extend(stop(response).map(StreamEvent::Stop));
            }
            // A failed response contains its error, and an event `error` is the error itself.
            "response.failed" | "error" => {
                let error =
                    response.and_then(ApiError::of_body).unwrap_or_else(|| ApiError::read(event));
                events.push(StreamEvent::Error(error));
            }
            _ => {}
        }
    }

    fn write_request(&self, request: &ModelRequest<'_>, is_stream: bool) -> Json {
        let tool = |tool| {
            let members = tool_members(tool, "parameters").into_iter();
            Json::object([("type", "function".into())].into_iter().chain(members))
        };
        let items: Vec<Json> = request.messages.iter().flat_map(sent_items).collect();
        let text = match &request.messages[..] {
            // The form in which most programs begin a conversation.
            [message] => content(&message.blocks, "input_text").filter(|json| json.is_text()),
            _ => None,
        };
        let system = (!request.system.is_empty())
            .then(|| ("instructions", request.system.join("\n").into()));
        let input = ("input", text.unwrap_or_else(|| items.into()));
        let head = [("model", request.model.into())].into_iter().chain(stream(is_stream));
        let settings = settings(request, &PARAMETERS, request.tools.iter().map(tool).collect());
        Json::object(head.chain([input]).chain(system).chain(settings))
    }

    fn address(&self, _: &str, _: bool) -> String {
        "https://api.openai.com/v1/responses".to_owned()
    }

    fn write_answer(
        &self,
        blocks: &[ContentBlock],
        stop: AnswerStop,
        context: &ResponseContext,
    ) -> Json {
        let items = blocks.iter().enumerate().map(|(at, block)| match block {
            ContentBlock::Text(text) => message(context, at, "completed", vec![part(text)]),
            ContentBlock::Call(CallPart { call, .. }) => {
                function_call_item(context, at, call, "completed", &call.input)
            }
        });
        response(items.collect(), Some(stop), context)
    }

    fn write_stream(&self, context: ResponseContext, _: bool) -> Box<dyn EventWriter + Send> {
        Box::new(Responses { context, sequence: 0, done: Vec::new(), open: None })
    }

    fn write_error(&self, status: u16, message: &str) -> Json {
        // Both APIs of OpenAI have the same body for errors.
        openai_chat::OpenAiChat.write_error(status, message)
    }
}

/// Writes a message; calls of tools and their results are items of their own.
fn sent_items(message: &ModelMessage<'_>) -> Vec<Json> {
    let text_type = match message.role {
        MessageRole::User => "input_text",
        MessageRole::Assistant => "output_text",
    };
    let content = content(&message.blocks, text_type);
    let text = content.map(|text| object! { "role": message.role.as_str(), "content": text });
    let items = message.blocks.iter().filter_map(|block| match &block.content {
        BlockContent::ToolUse(call) => Some(object! {
            "type": "function_call", "call_id": call_id(call), "name": &call.name, "arguments": &call.input,
        }),
        BlockContent::ToolResult { call_id, content, .. } => Some(object! {
            "type": "function_call_output", "call_id": call_id.as_deref(), "output": result_text(*content),
        }),
        _ => None,
    });
    // Results follow their calls, before what the user says beside them.
    match message.role {
        MessageRole::User => items.chain(text).collect(),
        MessageRole::Assistant => text.into_iter().chain(items).collect(),
    }
}

/// The state of a complete response, and the reasons why one is incomplete.
pub(super) const STOPS: [(AnswerStop, &str); 3] = [
    // No row for tool calls: a response that waits for their results is completed, too.
    (AnswerStop::End, "completed"),
    (AnswerStop::Length, "max_output_tokens"),
    (AnswerStop::Filter, "content_filter"),
];

fn stop(response: Node<'_>) -> Option<StopReason<'_>> {
    match response.get("status")?.as_str()? {
        "completed" => StopReason::read(response, "status", &STOPS),
        "incomplete" => {
            let details = response.get("incomplete_details");
            let reason = details.and_then(|d| StopReason::read(d, "reason", &STOPS));
            // Without a reason the state is all that is known.
            reason.or_else(|| StopReason::read(response, "status", &STOPS))
        }
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
        let mut body = vec![("type", Json::from(kind)), ("sequence_number", self.sequence.into())];
        body.extend(members);
        self.sequence += 1;
        events.named(kind, &Json::object(body));
    }

    fn item(&self) -> usize {
        self.done.len()
    }

    /// Returns the members that identify the item of an event, and one more.
    fn at(&self, key: &'static str, value: impl Into<Json>) -> Vec<(&'static str, Json)> {
        vec![
            ("item_id", item_id(&self.context, self.item()).into()),
            ("output_index", self.item().into()),
            (key, value.into()),
        ]
    }

    fn at_text(&self) -> Vec<(&'static str, Json)> {
        self.at("content_index", 0usize)
    }

    fn close(&mut self, events: &mut EventBuffer) {
        let Some(text) = self.open.take() else { return };
        let mut members = self.at_text();
        members.extend([("text", (&text).into()), ("logprobs", list![])]);
        self.event("response.output_text.done", members, events);
        let mut members = self.at_text();
        members.push(("part", part(&text)));
        self.event("response.content_part.done", members, events);
        self.item_done(message(&self.context, self.item(), "completed", vec![part(&text)]), events);
    }

    fn item_done(&mut self, item: Json, events: &mut EventBuffer) {
        let members = vec![("output_index", self.item().into()), ("item", item.clone())];
        self.event("response.output_item.done", members, events);
        self.done.push(item);
    }
}

impl EventWriter for Responses {
    fn begin(&mut self, events: &mut EventBuffer) {
        // OpenAI sends both events, with the same response.
        for kind in ["response.created", "response.in_progress"] {
            let response = response(Vec::new(), None, &self.context);
            self.event(kind, vec![("response", response)], events);
        }
    }

    fn pause(&mut self, events: &mut EventBuffer) {
        events.comment();
    }

    fn text(&mut self, text: &str, events: &mut EventBuffer) {
        if self.open.is_none() {
            let item = message(&self.context, self.item(), "in_progress", Vec::new());
            let members = vec![("output_index", self.item().into()), ("item", item)];
            self.event("response.output_item.added", members, events);
            let mut members = self.at_text();
            members.push(("part", part("")));
            self.event("response.content_part.added", members, events);
        }
        self.open.get_or_insert_default().push_str(text);
        let mut delta = self.at_text();
        delta.extend([("delta", text.into()), ("logprobs", list![])]);
        self.event("response.output_text.delta", delta, events);
    }

    fn call(&mut self, part: &CallPart, events: &mut EventBuffer) {
        let call = &part.call;
        if part.is_first {
            self.close(events);
            let at = self.item();
            let item = function_call_item(&self.context, at, call, "in_progress", "");
            let members = vec![("output_index", at.into()), ("item", item)];
            self.event("response.output_item.added", members, events);
        }
        let delta = self.at("delta", &part.input);
        self.event("response.function_call_arguments.delta", delta, events);
        if part.is_last {
            let mut members = self.at("name", &call.name);
            members.push(("arguments", (&call.input).into()));
            self.event("response.function_call_arguments.done", members, events);
            let item =
                function_call_item(&self.context, self.item(), call, "completed", &call.input);
            self.item_done(item, events);
        }
    }

    fn end(&mut self, stop: AnswerStop, events: &mut EventBuffer) {
        self.close(events);
        let response = response(self.done.clone(), Some(stop), &self.context);
        self.event(&format!("response.{}", status(stop)), vec![("response", response)], events);
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer) {
        // Unlike in a body, the members are not inside `error`.
        let map = vec![("code", kind.into()), ("message", message.into()), ("param", NULL.into())];
        self.event("error", map, events);
    }
}

fn status(stop: AnswerStop) -> &'static str {
    match stop {
        AnswerStop::End | AnswerStop::Tools => "completed",
        AnswerStop::Length | AnswerStop::Filter => "incomplete",
    }
}

/// Writes a response; without a reason to stop it is in progress.
fn response(output: Vec<Json>, stop: Option<AnswerStop>, context: &ResponseContext) -> Json {
    let status = stop.map_or("in_progress", status);
    let details =
        stop.filter(|_| status == "incomplete").map(|stop| object! { "reason": stop.word(&STOPS) });
    let tokens = context.tokens;
    let total = tokens.input + tokens.output;
    // OpenAI counts tokens only when the response is done, and has `null` before.
    let usage = (status != "in_progress").then(|| {
        object! {
            "input_tokens": tokens.input, "input_tokens_details": object! { "cached_tokens": 0usize },
            "output_tokens": tokens.output, "output_tokens_details": object! { "reasoning_tokens": 0usize }, "total_tokens": total,
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
    let new_id = || format!("call_retake_{}_{}", context.number, at + 1);
    let id = call.id.clone().unwrap_or_else(new_id);
    object! {
        "type": "function_call", "id": item_id(context, at), "status": status, "call_id": id, "name": &call.name,
        "arguments": arguments,
    }
}

fn item_id(context: &ResponseContext, at: usize) -> String {
    format!("item_retake_{}_{}", context.number, at + 1)
}
