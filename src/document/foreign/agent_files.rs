//! Marks of the files that programs of agents write: in one of their first lines, or in the root.

use super::ForeignFormat;
use crate::members::{has, has_all, has_any, list, object};
use crate::{Node, NodeKind};

type Mark = fn(Node<'_>) -> bool;

/// Marks of a line.
const OF_LINES: [(ForeignFormat, Mark); 10] = [
    (ForeignFormat::Otlp, is_otlp),
    (ForeignFormat::Langfuse, is_observation),
    (ForeignFormat::Phoenix, is_phoenix_span),
    (ForeignFormat::Logfire, is_logfire_row),
    (ForeignFormat::InspectLog, is_inspect_log),
    (ForeignFormat::OpenAiAgents, is_agents_span),
    (ForeignFormat::Codex, is_codex_event),
    (ForeignFormat::GeminiCli, is_gemini_session),
    (ForeignFormat::CopilotCli, is_copilot_start),
    (ForeignFormat::ClaudeCode, is_claude_event),
];

/// Marks of a root.
const OF_ROOTS: [(ForeignFormat, Mark); 12] = [
    (ForeignFormat::Otlp, is_otlp),
    (ForeignFormat::Langfuse, is_langfuse_export),
    (ForeignFormat::Phoenix, is_phoenix_export),
    (ForeignFormat::Logfire, is_logfire_result),
    (ForeignFormat::InspectLog, is_inspect_log),
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

fn is_otlp(root: Node<'_>) -> bool {
    list(root, "resourceSpans").or_else(|| list(root, "resourceLogs")).is_some()
}

fn is_observation(value: Node<'_>) -> bool {
    let is_traced =
        has_all(value, &["traceId", "startTime"]) || has_all(value, &["trace_id", "start_time"]);
    let is_nested = has(value, "parentObservationId")
        || has(value, "parent_observation_id")
        || has(value, "level");
    is_traced && is_nested && has_all(value, &["id", "type", "input"])
}

fn is_langfuse_export(root: Node<'_>) -> bool {
    let traces = || first_values(root, "data").chain([root]);
    first_values(root, "data").next().is_some_and(is_observation)
        || traces()
            .any(|trace| first_values(trace, "observations").next().is_some_and(is_observation))
}

fn is_phoenix_span(value: Node<'_>) -> bool {
    let has_ids = |context| has_all(context, &["trace_id", "span_id"]);
    object(value, "context").is_some_and(has_ids)
        && has_all(value, &["name", "span_kind", "attributes"])
}

fn is_phoenix_export(root: Node<'_>) -> bool {
    first_values(root, "data").next().is_some_and(is_phoenix_span)
}

fn is_logfire_row(row: Node<'_>) -> bool {
    has_all(row, &["trace_id", "span_id", "start_timestamp", "attributes"])
}

fn is_logfire_result(root: Node<'_>) -> bool {
    let mut columns = list(root, "columns").into_iter().flat_map(Node::items);
    let is_ids = |column: Node<'_>| word(column, "name") == "span_id" && has(column, "values");
    columns.any(is_ids)
        || ["rows", "data"]
            .iter()
            .any(|key| first_values(root, key).next().is_some_and(is_logfire_row))
}

fn is_inspect_log(root: Node<'_>) -> bool {
    let is_task = |eval| has_any(eval, &["run_id", "eval_id", "task_id", "task"]);
    object(root, "eval").is_some_and(is_task)
        && has_any(root, &["plan", "results", "stats", "samples", "status"])
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
