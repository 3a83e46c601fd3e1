//! Marks of the files that programs of agents write: in one of their first lines, or in the root.

use super::ForeignFormat;
use crate::members::{has, has_all, list, object};
use crate::{Node, NodeKind};

type Mark = fn(Node<'_>) -> bool;

/// Marks of a line.
const OF_LINES: [(ForeignFormat, Mark); 5] = [
    (ForeignFormat::OpenAiAgents, is_agents_span),
    (ForeignFormat::Codex, is_codex_event),
    (ForeignFormat::GeminiCli, is_gemini_session),
    (ForeignFormat::CopilotCli, is_copilot_start),
    (ForeignFormat::ClaudeCode, is_claude_event),
];

/// Marks of a root.
const OF_ROOTS: [(ForeignFormat, Mark); 7] = [
    (ForeignFormat::OpenAiAgents, is_agents_export),
    (ForeignFormat::GeminiCli, is_gemini_session),
    (ForeignFormat::OpencodeSession, is_opencode_session),
    (ForeignFormat::MiniSweAgent, is_mini_trajectory),
    (ForeignFormat::SweAgent, is_swe_trajectory),
    (ForeignFormat::Atif, is_atif),
    (ForeignFormat::AiSdk, has_ai_sdk_messages),
];

/// Returns the format of a file by one of its lines.
pub(super) fn of_line(line: Node<'_>) -> Option<ForeignFormat> {
    OF_LINES.iter().find(|(_, has_mark)| has_mark(line)).map(|(format, _)| *format)
}

/// Returns the format of a document by its root.
pub(super) fn of_root(root: Node<'_>) -> Option<ForeignFormat> {
    OF_ROOTS.iter().find(|(_, has_mark)| has_mark(root)).map(|(format, _)| *format)
}

fn word<'d>(node: Node<'d>, key: &str) -> &'d str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

/// Returns the first values of a list, or of the one under a key.
fn first_values<'d>(root: Node<'d>, key: &str) -> impl Iterator<Item = Node<'d>> {
    let values = if root.kind() == NodeKind::Array { Some(root) } else { list(root, key) };
    values.into_iter().flat_map(Node::items).take(10)
}

fn is_claude_event(line: Node<'_>) -> bool {
    has_all(line, &["sessionId", "type"])
        || word(line, "type") == "summary" && has(line, "leafUuid")
}

fn is_codex_event(line: Node<'_>) -> bool {
    has(line, "record_type")
        || has(line, "payload") && matches!(word(line, "type"), "session_meta" | "response_item")
}

fn is_gemini_session(line: Node<'_>) -> bool {
    has_all(line, &["sessionId", "projectHash", "startTime"])
}

fn is_copilot_start(line: Node<'_>) -> bool {
    word(line, "type") == "session.start" && object(line, "data").is_some()
}

fn is_agents_span(line: Node<'_>) -> bool {
    match word(line, "object") {
        "trace" => has(line, "workflow_name"),
        "trace.span" => object(line, "span_data").is_some(),
        _ => false,
    }
}

fn is_agents_export(root: Node<'_>) -> bool {
    first_values(root, "data").next().is_some_and(is_agents_span)
}

fn is_opencode_session(root: Node<'_>) -> bool {
    let is_message = |message: Node<'_>| object(message, "info").is_some() && has(message, "parts");
    object(root, "info").is_some_and(|info| word(info, "id").starts_with("ses"))
        && list(root, "messages").is_some_and(|messages| messages.items().take(1).all(is_message))
}

fn is_mini_trajectory(root: Node<'_>) -> bool {
    word(root, "trajectory_format").starts_with("mini-swe-agent")
        && list(root, "messages").is_some()
}

fn is_swe_trajectory(root: Node<'_>) -> bool {
    let is_message = |message: Node<'_>| {
        has(message, "role") && has(message, "content") && has(message, "agent")
    };
    list(root, "history").is_some_and(|history| history.items().next().is_some_and(is_message))
}

fn is_atif(root: Node<'_>) -> bool {
    word(root, "schema_version").starts_with("ATIF-") && list(root, "steps").is_some()
}

/// Returns whether one of the first messages has parts as only the AI SDK writes them. Those of the interface have types, and those of
/// Gemini's API none.
fn has_ai_sdk_messages(root: Node<'_>) -> bool {
    let is_ui = |message: Node<'_>| {
        let has_types =
            |parts: Node<'_>| !parts.is_empty() && parts.items().all(|part| has(part, "type"));
        has_all(message, &["id", "role"]) && list(message, "parts").is_some_and(has_types)
    };
    let is_of_tool = |part: Node<'_>| {
        has(part, "toolCallId") && matches!(word(part, "type"), "tool-call" | "tool-result")
    };
    let has_tools = |message: Node<'_>| {
        has(message, "role")
            && list(message, "content").is_some_and(|parts| parts.items().any(is_of_tool))
    };
    first_values(root, "messages").any(|message| is_ui(message) || has_tools(message))
}
