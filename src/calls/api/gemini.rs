//! Gemini's `generateContent` and `streamGenerateContent`, also of Vertex AI.

use std::borrow::Cow;
use std::collections::HashMap;

use super::request::{at, empty_input, input_text, items, text, texts, word};
use super::route::{model_and_verb, unescaped_model};
use super::stream::{TokenKeys, index};
use super::write::{EventBuffer, EventWriter};
use super::write_request::{call_id, python_json, result_object, settings, tool_members};
use super::{
    AnswerStop, Api, BlockContent, CallPart, ContentBlock, MessageRole, ModelAnswer, ModelApi,
    ModelBlock, ModelRequest, ResponseContext, ResponseForm, Route, StopReason, StreamEvent,
    ToolCall,
};
use crate::json::{Json, list, object};
use document::json::quote;
use document::{Node, NodeKind};

/// Reasons why an answer ends.
pub(super) const STOPS: [(AnswerStop, &str); 4] = [
    (AnswerStop::End, "STOP"),
    // Gemini has one word for both ends. It is read as the first row, until a call shows that the answer waits for results.
    (AnswerStop::Tools, "STOP"),
    (AnswerStop::Length, "MAX_TOKENS"),
    (AnswerStop::Filter, "SAFETY"),
];

const PARAMETERS: [(&str, &str); 7] = [
    ("max_tokens", "generationConfig/maxOutputTokens"),
    ("temperature", "generationConfig/temperature"),
    ("top_p", "generationConfig/topP"),
    ("top_k", "generationConfig/topK"),
    ("stop", "generationConfig/stopSequences"),
    ("seed", "generationConfig/seed"),
    ("tool_choice", "toolConfig/functionCallingConfig"),
];

const TOKENS: TokenKeys = TokenKeys {
    input: &["promptTokenCount", "toolUsePromptTokenCount"],
    output: &["candidatesTokenCount", "thoughtsTokenCount"],
    total: Some("totalTokenCount"),
};

pub(super) struct Gemini;

impl ModelApi for Gemini {
    fn route(&self, path: &str, query: Option<&str>) -> Option<Route> {
        let (model, verb) = model_and_verb(path)?;
        let is_events = query.is_some_and(|query| query.split('&').any(|p| p == "alt=sse"));
        let form = match (verb, is_events) {
            ("generateContent", _) => ResponseForm::Whole,
            ("streamGenerateContent", true) => ResponseForm::Events,
            // Without `alt=sse` Google sends one JSON list.
            ("streamGenerateContent", false) => ResponseForm::List,
            _ => return None,
        };
        Some(Route { model: Some(unescaped_model(model)), form, ..Route::new(Api::Gemini) })
    }

    fn read_request<'t>(&self, body: Node<'t>) -> ModelRequest<'t> {
        let mut request = ModelRequest::new(body, &PARAMETERS);
        let system = body
            // Google's servers take both spellings, and clients in use write either.
            .get("systemInstruction")
            .or(body.get("system_instruction"))
            .map(|system| texts(system.get("parts").unwrap_or(system)));
        request.system.extend(system);
        for content in items(body, "contents") {
            request.push(MessageRole::of(content), items(content, "parts").map(part).collect());
        }
        for tool in items(body, "tools") {
            let names = ["functionDeclarations", "function_declarations"];
            for tool in names.into_iter().flat_map(|name| items(tool, name)) {
                // `parameters` is a subset of OpenAPI's schema; newer SDKs send a JSON schema under a key of its own.
                request.push_tool(
                    tool,
                    &["parameters", "parametersJsonSchema", "parameters_json_schema"],
                );
            }
        }
        request
    }

    fn read_answer<'t>(&self, body: Node<'t>) -> Option<ModelAnswer<'t>> {
        let candidates = body.get("candidates")?;
        let mut answer = ModelAnswer::new(body, body.get("usageMetadata"), &TOKENS);
        let Some(candidate) = candidates.items().next() else { return Some(answer) };
        answer.blocks = parts(candidate).map(part).collect();
        Some(answer.with_stop(stop(candidate)))
    }

    fn read_event<'t>(&self, event: Node<'t>, events: &mut Vec<StreamEvent<'t>>) {
        events.push(StreamEvent::head(event));
        if let Some(reason) = at(event, "promptFeedback/blockReason") {
            let reason = reason.as_str().unwrap_or_default();
            events.push(StreamEvent::Note(format!("The prompt was blocked ({reason})")));
            events.push(StreamEvent::End);
        }
        for candidate in items(event, "candidates") {
            if index(candidate, "index") > 0 {
                events.push(StreamEvent::Other("What further candidates say"));
                continue;
            }
            events.extend(parts(candidate).map(part_event));
            // Gemini has no last event; the one with a reason is the last of its candidate.
            if text(candidate, "finishReason").is_some() {
                events.extend(stop(candidate).map(StreamEvent::Stop));
                events.push(StreamEvent::End);
            }
        }
        events.push(StreamEvent::tokens(event.get("usageMetadata"), &TOKENS));
    }

    fn write_request(&self, request: &ModelRequest<'_>, _: bool) -> Json {
        let blocks = request.messages.iter().flat_map(|message| &message.blocks);
        let named = blocks.filter_map(|block| match &block.content {
            BlockContent::ToolUse(call) => Some((call_id(call), &*call.name)),
            _ => None,
        });
        let names: HashMap<&str, &str> = named.collect();
        let contents = request.messages.iter().map(|message| {
            let parts: Vec<Json> =
                message.blocks.iter().filter_map(|block| sent_part(block, &names)).collect();
            let is_user = message.role == MessageRole::User;
            object! { "parts": parts, "role": if is_user { "user" } else { "model" } }
        });
        let contents = ("contents", contents.collect::<Vec<_>>().into());
        let system = (!request.system.is_empty()).then(|| {
            let part = object! { "text": request.system.join("\n") };
            ("systemInstruction", object! { "parts": list![part], "role": "user" })
        });
        let tool = |tool| {
            let mut members = tool_members(tool, "parameters_json_schema");
            members.sort_by_key(|(key, _)| *key);
            Json::object(members)
        };
        let declared: Vec<Json> = request.tools.iter().map(tool).collect();
        let tools = (!declared.is_empty())
            .then(|| ("tools", list![object! { "functionDeclarations": declared }]));
        let settings = settings(request, &PARAMETERS, Vec::new()).into_iter().rev();
        python_json(&Json::object(
            [contents].into_iter().chain(system).chain(tools).chain(settings),
        ))
    }

    fn address(&self, model: &str, is_stream: bool) -> String {
        let verb = if is_stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
        let model = model.strip_prefix("models/").unwrap_or(model);
        format!("https://generativelanguage.googleapis.com/v1/models/{model}:{verb}")
    }

    fn write_answer(
        &self,
        blocks: &[ContentBlock],
        stop: AnswerStop,
        context: &ResponseContext,
    ) -> Json {
        let parts = blocks.iter().map(|block| match block {
            ContentBlock::Text(text) => object! { "text": text },
            ContentBlock::Call(part) => written_call(part),
        });
        response(parts.collect(), Some(stop), context)
    }

    fn write_stream(&self, context: ResponseContext, _: bool) -> Box<dyn EventWriter + Send> {
        Box::new(GeminiStream { context, parts: Vec::new(), stop: None })
    }

    fn write_error(&self, status: u16, message: &str) -> Json {
        let word = match status {
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            400..500 => "INVALID_ARGUMENT",
            504 => "DEADLINE_EXCEEDED",
            _ => "UNAVAILABLE",
        };
        error(status.into(), word, message)
    }
}

fn parts(candidate: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let content = candidate.get("content").into_iter();
    content.flat_map(|content| items(content, "parts"))
}

fn part(part: Node<'_>) -> ModelBlock<'_> {
    let content = if let Some(call) = part.get("functionCall") {
        BlockContent::ToolUse(ToolCall {
            id: text(call, "id").map(str::to_owned),
            name: word(call, "name").to_owned(),
            input: call.get("args").map_or_else(empty_input, input_text),
        })
    } else if let Some(answer) = part.get("functionResponse") {
        BlockContent::ToolResult {
            call_id: text(answer, "id").or_else(|| text(answer, "name")).map(Cow::Borrowed),
            content: answer.get("response"),
            is_error: false,
        }
    // Tested before texts, because a thought has a `text`, too.
    } else if part.get("thought").and_then(Node::as_bool) == Some(true) {
        BlockContent::Reasoning(word(part, "text").into())
    } else if let Some(text) = text(part, "text") {
        BlockContent::Text(text.into())
    } else if part.get("inlineData").or(part.get("fileData")).is_some() {
        BlockContent::Image
    } else {
        BlockContent::Other
    };
    ModelBlock::new(content, part)
}

/// Writes a block. A result needs the name of its tool, which is found by the id of the call.
fn sent_part(block: &ModelBlock<'_>, names: &HashMap<&str, &str>) -> Option<Json> {
    let member = |id: Option<&str>| id.map(|id| ("id", id.into()));
    Some(match &block.content {
        BlockContent::Text(text) => object! { "text": &**text },
        BlockContent::ToolUse(call) => {
            let args = Json::raw(call.input.as_str());
            let members = [("args", args), ("name", (&call.name).into())];
            let id = member(call.id.as_deref()).into_iter();
            object! { "functionCall": Json::object(id.chain(members)) }
        }
        BlockContent::ToolResult { call_id, content, .. } => {
            let call_id = call_id.as_deref().unwrap_or_default();
            let name = names.get(call_id).copied();
            // Without another name, the id is the name of the tool.
            let id = member(name.is_some_and(|name| name != call_id).then_some(call_id));
            let response = result_object(*content);
            let members = [("name", name.unwrap_or(call_id).into()), ("response", response)];
            object! { "functionResponse": Json::object(id.into_iter().chain(members)) }
        }
        BlockContent::Reasoning(_) => return None,
        BlockContent::Image | BlockContent::Other => Json::raw(input_text(block.node?)),
    })
}

fn part_event(node: Node<'_>) -> StreamEvent<'_> {
    match part(node).content {
        BlockContent::Reasoning(_) => StreamEvent::Reasoning(node.get("text")),
        BlockContent::Text(_) => StreamEvent::Text(node.get("text")),
        // Gemini sends each call in one piece, so nothing joins it by an index.
        BlockContent::ToolUse(call) => StreamEvent::Call { index: None, call },
        _ => StreamEvent::Other("What is neither text nor a tool call"),
    }
}

fn stop(candidate: Node<'_>) -> Option<StopReason<'_>> {
    StopReason::read(candidate, "finishReason", &STOPS)
}

/// Writes an answer, one response for each fragment.
struct GeminiStream {
    context: ResponseContext,
    /// The parts of the fragment.
    parts: Vec<Json>,
    /// Reason why the answer ends, if it does with the fragment.
    stop: Option<AnswerStop>,
}

impl EventWriter for GeminiStream {
    fn pause(&mut self, events: &mut EventBuffer) {
        self.text("", events);
        self.flush(events);
    }

    fn text(&mut self, text: &str, _: &mut EventBuffer) {
        self.parts.push(object! { "text": text });
    }

    fn call(&mut self, part: &CallPart, _: &mut EventBuffer) {
        self.parts.push(written_call(part));
    }

    fn end(&mut self, stop: AnswerStop, _: &mut EventBuffer) {
        self.stop = Some(stop);
    }

    fn flush(&mut self, events: &mut EventBuffer) {
        if !self.parts.is_empty() || self.stop.is_some() {
            events.data(&response(std::mem::take(&mut self.parts), self.stop, &self.context));
        }
    }

    fn error(&mut self, kind: &str, message: &str, events: &mut EventBuffer) {
        events.data(&error(code_of(kind), kind, message));
    }
}

/// Returns the code of an error with this status.
fn code_of(status: &str) -> usize {
    match status {
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" => 400,
        "UNAUTHENTICATED" => 401,
        "PERMISSION_DENIED" => 403,
        "NOT_FOUND" => 404,
        "RESOURCE_EXHAUSTED" => 429,
        "UNAVAILABLE" => 503,
        "DEADLINE_EXCEEDED" => 504,
        _ => 500,
    }
}

fn error(code: usize, status: &str, message: &str) -> Json {
    object! { "error": object! { "code": code, "message": message, "status": status } }
}

fn response(parts: Vec<Json>, stop: Option<AnswerStop>, context: &ResponseContext) -> Json {
    let content = object! { "role": "model", "parts": parts };
    let mut candidate = vec![("content", content)];
    candidate.extend(stop.map(|stop| ("finishReason", stop.word(&STOPS).into())));
    candidate.push(("index", 0usize.into()));
    let tokens = context.tokens;
    let total = tokens.input + tokens.output;
    let usage = stop.map(|_| {
        object! { "promptTokenCount": tokens.input, "candidatesTokenCount": tokens.output, "totalTokenCount": total }
    });
    let mut members = vec![("candidates", Json::from(vec![Json::object(candidate)]))];
    members.extend(usage.map(|usage| ("usageMetadata", usage)));
    members.push(("modelVersion", (&context.model).into()));
    members.push(("responseId", format!("retake-{}", context.number).into()));
    Json::object(members)
}

/// Writes a call with its last part: it is not sent before it is complete.
fn written_call(CallPart { call, is_last, .. }: &CallPart) -> Json {
    if !is_last {
        // An empty text keeps the time of this chunk.
        return object! { "text": "" };
    }
    let id = call.id.as_ref().map(|id| ("id", id.into()));
    let members = [("name", (&call.name).into()), ("args", Json::raw(call.input.as_str()))];
    object! { "functionCall": Json::object(id.into_iter().chain(members)) }
}

/// Members of `config` that Gemini's SDK sends next to `generationConfig`.
const SDK_MEMBERS: [&str; 5] =
    ["systemInstruction", "tools", "toolConfig", "safetySettings", "cachedContent"];

/// `{model, contents, config}`, as a caller of Gemini's SDK writes it.
pub fn sdk_request(root: Option<Node<'_>>, model: &str, example: Option<Node<'_>>) -> Json {
    let contents = root.and_then(|root| root.get("contents"));
    let contents = unwrapped(contents, example.and_then(|example| example.get("contents")));
    let example_config = example.and_then(|example| example.get("config"));
    let mut members: Vec<(&str, Json)> = Vec::new();
    for key in SDK_MEMBERS {
        if let Some(value) = root.and_then(|root| root.get(key)) {
            let example = example_config.and_then(|example| example.get(key));
            members.push((key, unwrapped(Some(value), example)));
        }
    }
    let generation =
        root.and_then(|root| root.get("generationConfig")).into_iter().flat_map(Node::items);
    members.extend(generation.map(|item| (item.key().unwrap_or_default(), Json::from(item))));
    // Players of tapes compare `config` as the text of its JSON, so the order of its members counts.
    let place = |key: &str| {
        let mut keys = example_config.into_iter().flat_map(Node::items);
        keys.position(|item| item.key() == Some(key)).unwrap_or(usize::MAX)
    };
    members.sort_by_key(|(key, _)| place(key));
    let mut request_members = vec![("model", Json::from(model)), ("contents", contents)];
    // For a player of tapes an absent `config` is not an empty one.
    if !members.is_empty() || example_config.is_some() || example.is_none() {
        request_members.push(("config", Json::object(members)));
    }
    Json::object(request_members)
}

/// Unwraps a single text of a single turn to a plain string, as callers write it, unless the tape has it otherwise.
fn unwrapped(value: Option<Node<'_>>, example: Option<Node<'_>>) -> Json {
    let Some(value) = value else { return Json::raw("null") };
    let is_text = example.is_none_or(|example| example.kind() == NodeKind::String);
    let turn = match value.kind() {
        NodeKind::Array if value.len() == 1 => value.items().next(),
        _ => Some(value),
    };
    let single_text = |turn: Node<'_>| {
        let is_users = turn.get("role").and_then(Node::as_str).is_none_or(|role| role == "user");
        let parts = turn.get("parts").filter(|parts| is_users && parts.len() == 1)?;
        // A part with other members, such as a mark of thoughts, would lose them in a string.
        parts.items().next().filter(|part| part.len() == 1)?.get("text")?.as_str().map(quote)
    };
    turn.filter(|_| is_text).and_then(single_text).map_or_else(|| value.into(), Json::raw)
}
