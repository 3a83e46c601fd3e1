//! `session-incomplete`: a session that Flakestorm rejects.

use crate::check_document::ProblemCollector;
use document::session::Session;
use document::{Field, Node, NodeKind, RuleId};

rule! {
    /// A replay session requires a non-empty `id` and `input`, unless it is loaded from another file by `file`. The `tool` of
    /// its `tool_responses` must not be empty either.
    ///
    /// Flakestorm rejects the whole session, so its incident is no longer tested.
    SessionIncomplete {
        title: "The session is incomplete",
        fix: "Add the field that the message names: `id` identifies the session, `input` is the prompt for the agent.",
        before: "Refused" => "id: incident-001\ninput: \"\"",
        after: "Runs" => "id: incident-001\ninput: \"What is the capital of France?\"",
    }
}

pub(super) fn judge(session: &Session, findings: &mut ProblemCollector<'_>) {
    let node = findings.tree.node(session.node);
    if session.file.is_none() {
        needs(node, "id", &session.id, findings);
        needs(node, "input", &session.input, findings);
    }
    for response in &session.tool_responses {
        not_empty("tool", &response.tool, findings);
    }
}

fn needs(
    node: Node<'_>,
    key: &str,
    field: &Option<Field<String>>,
    findings: &mut ProblemCollector<'_>,
) {
    match node.get(key) {
        Some(value) if value.kind() != NodeKind::Null => not_empty(key, field, findings),
        _ => {
            findings.add_at(RuleId::SessionIncomplete, node, format!("The session has no `{key}`"));
        }
    }
}

fn not_empty(key: &str, field: &Option<Field<String>>, findings: &mut ProblemCollector<'_>) {
    // The reader has already reported a value that is not a string.
    let Some(field) = field.as_ref().filter(|field| field.value.is_empty()) else { return };
    let node = findings.tree.node(field.node);
    findings.add_at(RuleId::SessionIncomplete, node, format!("`{key}` is empty"));
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    fn judge(text: &str) -> String {
        found(RuleId::SessionIncomplete, "session.yaml", text).join("\n")
    }

    #[test]
    fn what_is_missing_or_empty_is_reported_once() {
        insta::assert_snapshot!(judge("id: a\ninput: ''\ntool_responses:\n  - tool: ''\n"), @"
        error 2:8 /input `input` is empty
        error 4:11 /tool_responses/0/tool `tool` is empty
        ");
        insta::assert_snapshot!(judge("id: ~\nexpected_failure: none\ntool_responses: []\n"), @"
        error 1:1  The session has no `id`
        error 1:1  The session has no `input`
        ");
        assert_eq!(judge("id: a\ninput: hello\ncontract: c\ntool_responses: []\n"), "");
    }

    #[test]
    fn a_session_from_another_file_needs_nothing_here() {
        let config = |session: &str| {
            format!(
                "version: '2.0'\nagent:\n  endpoint: x\ncontract:\n  name: c\n  invariants: []\nreplays:\n  sessions:\n    - {session}\n"
            )
        };
        assert_eq!(judge(&config("file: replays/a.yaml")), "");
        insta::assert_snapshot!(judge(&config("name: nobody")), @"
        error 9:7 /replays/sessions/0 The session has no `id`
        error 9:7 /replays/sessions/0 The session has no `input`
        ");
    }
}
