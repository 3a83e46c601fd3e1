//! Common values of a field, offered as choices.

use document::Node;

/// Roles of messages.
const ROLES: &[&str] = &["user", "assistant", "model", "system", "tool"];
const STOP_REASONS: &[&str] = &["end_turn", "tool_use", "max_tokens", "stop_sequence"];
/// Severities of invariants.
const SEVERITIES: &[&str] = &["critical", "high", "medium", "low"];
/// Types of message blocks.
const BLOCK_TYPES: &[&str] = &["text", "tool_use", "tool_result"];

/// Returns the choices for a value, from its key and its place; empty for most values. Other values are allowed, too.
pub(super) fn choices(node: Node<'_>) -> &'static [&'static str] {
    // The list around it shows which object this is: `type` occurs in invariants and in the blocks of messages.
    match (node.key(), node.parent().and_then(Node::parent).and_then(Node::key)) {
        (Some("role"), _) => ROLES,
        (Some("stop_reason"), _) => STOP_REASONS,
        (Some("severity"), Some("invariants")) => SEVERITIES,
        (Some("type"), Some("invariants")) => author::contract::INVARIANT_TYPES,
        (Some("type"), Some("content")) => BLOCK_TYPES,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;

    #[test]
    fn the_key_and_its_place_decide_the_choices() {
        let text =
            r#"{"type": "x", "invariants": [{"type": "regex"}], "messages": [{"role": "user"}]}"#;
        let document = document::read(Source::new(text), "a.json");
        let words = |pointer| choices(document.tree.at_pointer(pointer).unwrap());
        assert!(words("/invariants/0/type").contains(&"latency"));
        assert_eq!(words("/messages/0/role"), ROLES);
        assert!(words("/type").is_empty() && words("").is_empty());
    }
}
