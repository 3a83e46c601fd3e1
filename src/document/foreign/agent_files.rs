//! Marks of the files that programs of agents write: by a value of their lines, or by the root.

use super::ForeignFormat;
use crate::members::{has, has_all, has_any, list, object};
use crate::{Node, NodeKind};

type Mark = fn(Node<'_>) -> bool;

/// Marks of one of the first lines. What is in the files of several programs comes last.
const OF_LINES: [(ForeignFormat, Mark); 3] = [
    (ForeignFormat::OpenAiAgents, is_agents_span),
    (ForeignFormat::Codex, is_codex_event),
    (ForeignFormat::ClaudeCode, is_claude_event),
];

/// Returns the format of a file by one of its lines.
pub(super) fn of_line(line: Node<'_>) -> Option<ForeignFormat> {
    OF_LINES.iter().find(|(_, has_mark)| has_mark(line)).map(|(format, _)| *format)
}

fn has_type(node: Node<'_>, kind: &str) -> bool {
    node.get("type").and_then(Node::as_str) == Some(kind)
}

fn is_claude_event(line: Node<'_>) -> bool {
    has_all(line, &["sessionId", "type"]) || has_type(line, "summary") && has(line, "leafUuid")
}

fn is_codex_event(line: Node<'_>) -> bool {
    has_any(line, &["record_type"])
        || has(line, "payload")
            && ["session_meta", "response_item"].iter().any(|kind| has_type(line, kind))
}

fn is_agents_span(line: Node<'_>) -> bool {
    let kind = line.get("object").and_then(Node::as_str);
    kind == Some("trace") && has(line, "workflow_name")
        || kind == Some("trace.span") && object(line, "span_data").is_some()
}

/// Returns the format of a document by its root, or by the first value of its list.
pub(super) fn of_root(root: Node<'_>) -> Option<ForeignFormat> {
    let first = match root.kind() {
        NodeKind::Array => root.items().next(),
        _ => list(root, "data").and_then(|values| values.items().next()),
    };
    first.filter(|first| is_agents_span(*first)).map(|_| ForeignFormat::OpenAiAgents)
}
