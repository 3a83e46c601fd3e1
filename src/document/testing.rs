//! Shared by the tests of readers: trees and problems as text.

use crate::text::visible;

use super::{Node, NodeKind, Problem, RuleId, Tree};

/// A tree on one line, as JSON-like text: strings decoded, everything else as written, aliases marked.
pub(super) fn outline(tree: &Tree) -> String {
    tree.root().map_or("nothing".to_owned(), value)
}

fn value(node: Node<'_>) -> String {
    let mark = if node.is_alias() { "*" } else { "" };
    let join_parts = |part: fn(Node<'_>) -> String| {
        let parts: Vec<String> = node.items().map(part).collect();
        parts.join(", ")
    };
    let text = match node.kind() {
        NodeKind::Array => format!("[{}]", join_parts(value)),
        NodeKind::Object => format!("{{{}}}", join_parts(member)),
        NodeKind::String => format!("{:?}", node.as_str().unwrap_or("no text")),
        NodeKind::Number => format!("{}", node.as_f64().unwrap_or(f64::NAN)),
        NodeKind::Bool => format!("{:?}", node.as_bool()),
        NodeKind::Null => "null".to_owned(),
        NodeKind::Timestamp => format!("@{}", node.raw()),
        NodeKind::Expression => format!("?{}", node.raw()),
    };
    format!("{mark}{text}")
}

fn member(node: Node<'_>) -> String {
    let key = visible(node.key().unwrap_or("no key"));
    format!("{key}: {}", value(node))
}

/// Every value with the text of its span, one a line, keys in front.
pub(super) fn spans(tree: &Tree) -> String {
    let line = |node: Node<'_>| {
        let key = node
            .key_span()
            .map(|span| tree.source().slice(span))
            .map_or(String::new(), |key| format!("{key:?} = "));
        format!("{} {key}{:?}", node.pointer(), node.raw())
    };
    let lines: Vec<String> = tree.nodes().map(line).collect();
    lines.join("\n")
}

/// Problems as text, one a line.
pub(super) fn describe_problems(problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let Problem { rule, place, pointer, message, .. } = problem;
        format!("{place} {rule} at \"{pointer}\": {message}")
    };
    let lines: Vec<String> = problems.iter().map(line).collect();
    lines.join("\n")
}

/// Panics unless every span is in the text, parts inside their parents.
pub(super) fn assert_spans_fit(tree: &Tree, problems: &[Problem]) {
    let text = tree.source().text();
    let mut rules = problems.iter().map(|problem| problem.rule);
    let has_twins = rules.any(|rule| rule == RuleId::DuplicateKey);
    for node in tree.nodes() {
        assert!(text.get(node.span().range()).is_some(), "{:?}", node.span());
        if let Some(key) = node.key_span() {
            assert!(text.get(key.range()).is_some(), "{key:?}");
            assert!(key.end <= node.span().start, "{key:?} {:?} in {text:?}", node.span());
        }
        if let Some(parent) = node.parent() {
            let (span, parent_span) = (node.span(), parent.span());
            assert!(
                parent_span.start <= span.start && span.end <= parent_span.end,
                "{span:?} in {parent_span:?} of {text:?}"
            );
        }
        // With a repeated key, a pointer means the last one, which need not contain such a value.
        assert!(has_twins || tree.at_pointer(&node.pointer()).is_some());
    }
    for problem in problems {
        assert!(text.get(problem.span.range()).is_some(), "{problem:?} in {text:?}");
    }
}
