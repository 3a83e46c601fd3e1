//! Values of traces, which are stored as they are or as JSON in a text.

use std::borrow::Cow;

use super::chat::{self, word};
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use super::trace::ToolSpan;
use super::{AgentRun, RunTool};
use document::text::Source;
use document::{Node, NodeKind, json};

/// Reads a value: that of the JSON in a text, else itself. What is read belongs to no document, because that of the text is dropped.
pub(super) fn with_value<T>(node: Node<'_>, read: impl FnOnce(Node<'_>) -> T) -> T {
    let tree = node.as_str().and_then(|text| json::parse_container(&Source::new(text)));
    match tree.as_ref().and_then(|tree| tree.root()) {
        Some(root) => read(root),
        None => read(node),
    }
}

/// Reads a message of any trace: with content or parts, alone or in an envelope.
pub(super) fn message(node: Node<'_>) -> Option<RunMessage<'_>> {
    let node = opened(node);
    let role = ["role", "type"].iter().find_map(|key| node.get(key)?.as_str())?;
    message_of(role, node)
}

/// Reads a message whose role may be stored elsewhere.
pub(super) fn message_of<'d>(role: &str, node: Node<'d>) -> Option<RunMessage<'d>> {
    if node.get("parts").is_none() && node.get("contents").is_none() {
        return chat::message_of(role, node);
    }
    let mut message = chat::message_of(role, node)?;
    let parts = ["parts", "contents"].iter().find_map(|key| node.get(key));
    let read = |node| Some(RunPart { node, content: part(node)? });
    let is_call = |part: &RunPart<'_>| matches!(part.content, PartContent::ToolCall(_));
    let calls = std::mem::take(&mut message.parts).into_iter().filter(is_call);
    message.parts = parts.into_iter().flat_map(Node::items).filter_map(read).chain(calls).collect();
    if message.parts.iter().any(RunPart::is_outcome) {
        message.role = RunRole::Tool;
    }
    Some(message)
}

/// Returns a message without the envelope in which frameworks serialize it.
fn opened(node: Node<'_>) -> Node<'_> {
    let is_message = |node: &Node<'_>| node.get("role").is_some() || node.get("type").is_some();
    ["kwargs", "message"].iter().find_map(|key| node.get(key).filter(is_message)).unwrap_or(node)
}

fn part(node: Node<'_>) -> Option<PartContent<'_>> {
    let node = node.get("message_content").unwrap_or(node);
    let content = || ["content", "text"].iter().find_map(|key| chat::text(node, key));
    Some(match word(node, "type") {
        "text" => PartContent::Text(content()?),
        "reasoning" | "thinking" => PartContent::Reasoning(content()?),
        "tool_call" => PartContent::ToolCall(chat::tool_call(node)),
        "tool_call_response" => PartContent::ToolOutcome(ToolOutcome {
            call_id: chat::text(node, "id"),
            tool: chat::text(node, "name"),
            content: ["response", "result"]
                .iter()
                .find_map(|key| node.get(key))
                .map(RunValue::read),
            ..ToolOutcome::default()
        }),
        _ => PartContent::Other,
    })
}

/// Reads the messages of a request: a list, one under a key, or the text of a user.
pub(super) fn sent(node: Node<'_>) -> Vec<RunMessage<'_>> {
    with_value(node, |value| {
        let messages: Vec<_> = match value.kind() {
            NodeKind::Array => value.items().flat_map(in_lists).filter_map(message).collect(),
            NodeKind::Object => {
                let lists = chat::items(value, "messages").flat_map(in_lists);
                lists.filter_map(message).collect()
            }
            _ => Vec::from_iter(text_message(value, RunRole::User)),
        };
        messages.into_iter().map(|message| message.placed_at(node)).collect()
    })
}

/// Returns the items of a list in a list, as one request of several has them.
fn in_lists(node: Node<'_>) -> Vec<Node<'_>> {
    if node.kind() == NodeKind::Array { node.items().collect() } else { vec![node] }
}

/// Reads an answer: a message, the first of several, one among the choices of an API, or a text.
pub(super) fn answer(node: Node<'_>) -> Option<RunMessage<'_>> {
    with_value(node, |value| {
        let first = match value.kind() {
            NodeKind::Array => value.items().next()?,
            _ => chat::items(value, "choices").next().unwrap_or(value),
        };
        let read = match first.kind() {
            NodeKind::Object => message(first).or_else(|| message_of("assistant", opened(first))),
            _ => text_message(first, RunRole::Assistant),
        };
        let is_message = |read: &RunMessage<'_>| {
            !read.parts.is_empty() || opened(first).get("content").is_some()
        };
        let read = read.filter(is_message)?;
        Some(RunMessage { role: RunRole::Assistant, ..read }.placed_at(node))
    })
}

fn text_message(node: Node<'_>, role: RunRole) -> Option<RunMessage<'_>> {
    let text = node.as_str().filter(|text| !text.is_empty())?;
    Some(RunMessage::of_text(node, role, text))
}

/// Reads the tools under a key.
pub(super) fn tools<'n>(node: Node<'_>) -> Option<Vec<RunTool<'n>>> {
    with_value(node, |value| {
        let list = value.get("tools").filter(|list| list.kind() == NodeKind::Array)?;
        Some(list.items().map(tool).collect())
    })
}

/// Reads an offered tool, with its schema in a text or not.
pub(super) fn tool<'n>(node: Node<'_>) -> RunTool<'n> {
    let schema = node.get("tool").and_then(|tool| tool.get("json_schema"));
    with_value(schema.unwrap_or(node), |value| chat::tool(value).into_owned())
}

/// Returns the text of a text, or the JSON of another value.
pub(super) fn value_text(node: Node<'_>) -> Cow<'_, str> {
    match RunValue::read(node) {
        RunValue::Text(text) | RunValue::Json(text) => text,
    }
}

/// Names under which programs store what a user wrote, and their results.
const INPUTS: [&str; 7] = ["input", "question", "query", "prompt", "user_input", "text", "message"];
const RESULTS: [&str; 6] = ["output", "answer", "text", "result", "response", "content"];

/// Reads what a run was given: a text under one of the usual names, else messages.
fn given(node: Node<'_>) -> Vec<RunMessage<'_>> {
    let text = with_value(node, |value| {
        let named = || INPUTS.iter().find_map(|key| value.get(key)?.as_str());
        let text = value.as_str().or_else(named).filter(|text| !text.is_empty());
        text.map(str::to_owned)
    });
    match text {
        Some(text) => vec![RunMessage::of_text(place_of_text(node), RunRole::User, text)],
        None => listed(node),
    }
}

/// Returns the value of the document that holds the text that a run was given.
fn place_of_text(node: Node<'_>) -> Node<'_> {
    let named = INPUTS.iter().find_map(|key| node.get(key).filter(|text| text.as_str().is_some()));
    named.unwrap_or(node)
}

/// Reads the messages in a list, or in one under a key.
fn listed(node: Node<'_>) -> Vec<RunMessage<'_>> {
    const LISTS: [&str; 3] = ["messages", "chat_history", "input"];
    let filled = |key: &&str| node.get(key).filter(|list| !list.is_empty());
    let list = LISTS.iter().find_map(filled).unwrap_or(node);
    let is_text = with_value(list, |value| value.as_str().is_some());
    let messages = if is_text { Vec::new() } else { sent(list) };
    messages.into_iter().filter(|message| !message.parts.is_empty()).collect()
}

/// Returns the text of the result of a run.
fn result<'n>(node: Node<'_>) -> Option<Cow<'n, str>> {
    with_value(node, |value| {
        let named = || RESULTS.iter().find_map(|key| value.get(key)?.as_str()).map(str::to_owned);
        let last = || message(value.get("messages")?.items().last()?)?.text();
        value.as_str().map(str::to_owned).or_else(last).or_else(named).map(Cow::Owned)
    })
}

impl<'d> AgentRun<'d> {
    /// Completes a run as [`Self::finish_trace`] does, with what its outermost span was given and returned: that is the conversation or the
    /// result where no call shows them.
    pub(super) fn finish_with_outermost(
        &mut self,
        tools: Vec<ToolSpan<'d>>,
        input: Option<Node<'d>>,
        output: Option<Node<'d>>,
    ) {
        let is_of_user = |message: &RunMessage<'_>| message.role == RunRole::User;
        self.given = input.map(given).unwrap_or_default();
        if !self.calls.iter().any(|call| self.sent(call).iter().any(is_of_user)) {
            let returned = output.map(listed).unwrap_or_default();
            let is_whole = returned.iter().any(is_of_user);
            self.messages = if is_whole { returned } else { self.given.clone() };
        }
        self.finish_trace(tools);
        if self.final_answer().is_none() && self.errors.is_empty() {
            self.result = output.and_then(result);
        }
    }
}
