//! Messages in the form of chats, which most sources store: those of OpenAI and of Anthropic.

use std::borrow::Cow;

use super::RunTool;
use super::message::{PartContent, RunMessage, RunPart, RunRole, RunValue, ToolOutcome};
use crate::api::{BlockContent, ModelBlock, ToolCall, input_text};
use document::{Node, NodeKind};

/// Reads a message with a role and a content; `None` if its role is unknown.
pub(super) fn message(node: Node<'_>) -> Option<RunMessage<'_>> {
    message_of(word(node, "role"), node)
}

/// Reads a message whose role is stored elsewhere.
pub(super) fn message_of<'d>(role: &str, node: Node<'d>) -> Option<RunMessage<'d>> {
    let role = match role {
        "system" | "developer" => RunRole::System,
        "user" | "human" => RunRole::User,
        "assistant" | "model" | "ai" => RunRole::Assistant,
        "tool" | "function" => RunRole::Tool,
        _ => return None,
    };
    if role == RunRole::Tool
        && let Some(outcome) = outcome(node)
    {
        return Some(RunMessage::new(node, role, vec![RunPart::of_outcome(node, outcome)]));
    }
    let mut parts = content(node);
    for node in items(node, "tool_calls") {
        let call = tool_call(node);
        // Some programs store a call in the blocks as well.
        let is_same = |part: &RunPart<'_>| match &part.content {
            PartContent::ToolCall(other) => call.id.is_some() && other.id == call.id,
            _ => false,
        };
        if !parts.iter().any(is_same) {
            parts.push(RunPart::of_call(node, call));
        }
    }
    let role = if parts.iter().any(RunPart::is_outcome) { RunRole::Tool } else { role };
    Some(RunMessage::new(node, role, parts))
}

/// Reads the message of a tool; `None` if its content is blocks of results.
fn outcome(node: Node<'_>) -> Option<ToolOutcome<'_>> {
    let content = node.get("content");
    let is_result = |block: Node<'_>| word(block, "type") == "tool_result";
    if content.is_some_and(|content| content.items().any(is_result)) {
        return None;
    }
    let error = node.get("error").and_then(|error| text(error, "message"));
    // Inspect has no content beside an error, and sends the error.
    let content = content.filter(|content| error.is_none() || content.as_str() != Some(""));
    let id = node.get("tool_call_id").or_else(|| node.get("tool_call_ids")?.items().next());
    Some(ToolOutcome {
        call_id: id.and_then(Node::as_str).map(Cow::Borrowed),
        tool: text(node, "name").or_else(|| text(node, "function")),
        content: content.map(RunValue::read),
        is_error: node.get("is_error").and_then(Node::as_bool) == Some(true)
            || word(node, "status") == "error",
        error,
        ..ToolOutcome::default()
    })
}

/// Reads the content of a message.
pub(super) fn content(message: Node<'_>) -> Vec<RunPart<'_>> {
    message.get("content").map(parts).unwrap_or_default()
}

/// Reads the calls of tools in the list under a key.
pub(super) fn call_parts<'d>(node: Node<'d>, key: &str) -> impl Iterator<Item = RunPart<'d>> {
    items(node, key).map(|node| RunPart::of_call(node, tool_call(node)))
}

/// Reads a content: a text, or blocks.
pub(super) fn parts(content: Node<'_>) -> Vec<RunPart<'_>> {
    let blocks = match content.kind() {
        NodeKind::String => vec![content],
        _ => content.items().collect(),
    };
    blocks.into_iter().map(|node| RunPart { node, content: part(node) }).collect()
}

pub(super) fn part(node: Node<'_>) -> PartContent<'_> {
    let reasoning =
        first_text(node, &["text", "reasoning"]).filter(|_| word(node, "type") == "reasoning");
    if let Some(text) = reasoning {
        return PartContent::Reasoning(text.into());
    }
    match ModelBlock::read(node).content {
        BlockContent::Text(text) => PartContent::Text(text),
        BlockContent::Reasoning(text) => PartContent::Reasoning(text),
        BlockContent::ToolUse(call) => PartContent::ToolCall(call),
        BlockContent::ToolResult { call_id, content, is_error } => PartContent::ToolOutcome(
            ToolOutcome::given(call_id, content.map(RunValue::read), is_error),
        ),
        BlockContent::Image | BlockContent::Other => PartContent::Other,
    }
}

/// Reads a tool call: of OpenAI's chat completions, or with its members beside each other.
pub(super) fn tool_call(node: Node<'_>) -> ToolCall {
    let node = node.get("tool_call").unwrap_or(node);
    let is_object = |function: &Node<'_>| function.kind() == NodeKind::Object;
    let function = node.get("function").filter(is_object).unwrap_or(node);
    let names = ["name", "function", "function_name", "toolName"];
    let arguments = ["arguments", "args", "input", "parameters"];
    ToolCall {
        id: first_text(node, &["id", "tool_call_id", "call_id", "toolCallId"]).map(str::to_owned),
        name: first_text(function, &names).unwrap_or_default().to_owned(),
        input: arguments
            .iter()
            .find_map(|key| function.get(key))
            .map_or_else(|| "{}".into(), arguments_text),
    }
}

/// Returns arguments as JSON, which most sources store as text.
pub(super) fn arguments_text(node: Node<'_>) -> String {
    match node.as_str() {
        Some(json) if json.trim().is_empty() => "{}".to_owned(),
        Some(json) => json.to_owned(),
        None => input_text(node),
    }
}

/// Reads an offered tool: of any API, or a name alone.
pub(super) fn tool(node: Node<'_>) -> RunTool<'_> {
    if let Some(name) = node.as_str() {
        return RunTool { name: name.into(), description: None, schema: None };
    }
    let function = node.get("function").unwrap_or(node);
    let schemas = [
        "parameters",
        "input_schema",
        "inputSchema",
        "parametersJsonSchema",
        "parameters_json_schema",
        "schema",
    ];
    let schema = schemas.iter().find_map(|key| function.get(key));
    RunTool {
        name: text(function, "name").unwrap_or_default(),
        description: text(function, "description"),
        schema: schema.map(|schema| arguments_text(schema).into()),
    }
}

/// Returns the string under a key.
pub(super) fn text<'d>(node: Node<'d>, key: &str) -> Option<Cow<'d, str>> {
    node.get(key).and_then(Node::as_str).map(Cow::Borrowed)
}

pub(super) fn word<'d>(node: Node<'d>, key: &str) -> &'d str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

fn first_text<'d>(node: Node<'d>, keys: &[&str]) -> Option<&'d str> {
    keys.iter().find_map(|key| node.get(key)?.as_str())
}

/// Returns the items of the list under a key.
pub(super) fn items<'d>(node: Node<'d>, key: &str) -> impl Iterator<Item = Node<'d>> + Clone {
    node.get(key).into_iter().flat_map(Node::items)
}

/// Returns the values of a document: those of its list or lines, of the list under a key, or the root alone.
pub(super) fn values<'d>(root: Node<'d>, key: &str) -> Vec<Node<'d>> {
    match root.kind() {
        NodeKind::Array => root.items().collect(),
        _ if root.get(key).is_some_and(|list| list.kind() == NodeKind::Array) => {
            items(root, key).collect()
        }
        _ => vec![root],
    }
}
