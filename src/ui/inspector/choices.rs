//! Words that a field mostly holds, to choose from.

use crate::format::Node;

/// Who speaks.
const ROLES: &[&str] = &["user", "assistant", "model", "system", "tool"];
/// Why a model stopped.
const STOP_REASONS: &[&str] = &["end_turn", "tool_use", "max_tokens", "stop_sequence"];
/// How much an invariant weighs.
const SEVERITIES: &[&str] = &["critical", "high", "medium", "low"];
/// What a block of a message is.
const BLOCKS: &[&str] = &["text", "tool_use", "tool_result"];

/// The words to choose from for a value, told by its key and by where it stands; empty for most. Others may be written,
/// too.
pub(super) fn choices(node: Node<'_>) -> &'static [&'static str] {
    let list = node.parent().and_then(Node::parent).and_then(Node::key);
    match (node.key(), list) {
        (Some("role"), _) => ROLES,
        (Some("stop_reason"), _) => STOP_REASONS,
        (Some("severity"), Some("invariants")) => SEVERITIES,
        (Some("type"), Some("invariants")) => crate::ops::check::INVARIANT_TYPES,
        (Some("type"), Some("content")) => BLOCKS,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Source;

    #[test]
    fn the_key_and_its_place_decide_the_choices() {
        let text =
            r#"{"type": "x", "invariants": [{"type": "regex"}], "messages": [{"role": "user"}]}"#;
        let document = crate::format::read(Source::new(text), "a.json");
        let words = |pointer| choices(document.tree.at_pointer(pointer).unwrap());
        assert!(words("/invariants/0/type").contains(&"latency"));
        assert_eq!(words("/messages/0/role"), ROLES);
        assert!(words("/type").is_empty() && words("").is_empty());
    }
}
