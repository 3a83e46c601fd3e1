//! Replay sessions of Flakestorm: one incident per YAML or JSON file, or inline in a configuration.
//!
//! Defined by Flakestorm's `ReplaySessionConfig`, read with PyYAML's `safe_load`, that is as YAML 1.1.

use super::field::Field;
use super::fields::{Fields, wrong_type};
use super::problems::ProblemList;
use super::tree::{Node, NodeId, NodeKind};

/// One replay session.
#[derive(Clone, Debug)]
pub struct Session {
    /// The mapping.
    pub node: NodeId,
    /// Required, unless `file` is set.
    pub id: Option<Field<String>>,
    /// The agent's input. Required, unless `file` is set.
    pub input: Option<Field<String>>,
    /// Name or path of a contract; Flakestorm uses `default` when it is missing.
    pub contract: Option<Field<String>>,
    /// The session is loaded from here, relative to the configuration's folder.
    pub file: Option<Field<String>>,
    /// A description for readers.
    pub name: Option<Field<String>>,
    /// Failure that is expected.
    pub expected_failure: Option<Field<String>>,
    /// As written.
    pub captured_at: Option<Field<String>>,
    /// `manual`, `langsmith` or `flakestorm_export`; Flakestorm uses `manual` when it is missing.
    pub source: Option<Field<String>>,
    /// The conversation so far: a list of objects.
    pub context: Option<NodeId>,
    /// The tools' answers, in order.
    pub tool_responses: Vec<ToolResponse>,
}

/// The answer of one tool.
#[derive(Clone, Debug)]
pub struct ToolResponse {
    /// The mapping.
    pub node: NodeId,
    /// The tool's name.
    pub tool: Option<Field<String>>,
    /// The answer: text, an object or null; Flakestorm accepts no other type.
    pub response: Option<(NodeId, NodeKind)>,
    /// HTTP status; 0 means no answer.
    pub status: Option<Field<i64>>,
    /// Milliseconds until the answer.
    pub latency_ms: Option<Field<i64>>,
}

impl Session {
    /// Reads a session, the root of its file or an element of a configuration. Wrong types are reported, and the
    /// rest is read; whether it is complete is checked elsewhere.
    pub(super) fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        let context = fields.list("context");
        for turn in context.into_iter().flat_map(Node::items) {
            // Flakestorm's `context` is a list of objects with any fields.
            if turn.kind() != NodeKind::Object {
                wrong_type(fields.problems, turn, NodeKind::Object.name());
            }
        }
        Self {
            node: node.id(),
            id: fields.text("id"),
            input: fields.text("input"),
            contract: fields.text("contract"),
            file: fields.text("file"),
            name: fields.text("name"),
            expected_failure: fields.text("expected_failure"),
            captured_at: fields.text("captured_at"),
            source: fields.text("source"),
            context: context.map(Node::id),
            tool_responses: fields.read_objects("tool_responses", ToolResponse::read),
        }
    }
}

impl ToolResponse {
    fn read(node: Node<'_>, problems: &mut ProblemList) -> Self {
        let mut fields = Fields::new(node, problems);
        Self {
            node: node.id(),
            tool: fields.required_text("tool"),
            // Any type is read, because the rule `tool-response-type` reports wrong ones.
            response: node.get("response").map(|response| (response.id(), response.kind())),
            status: fields.whole("status"),
            latency_ms: fields.whole("latency_ms"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::describe_problems;
    use crate::text::Source;
    use crate::{DocumentBody, read, text};

    #[test]
    fn what_yaml_reads_as_no_text_is_reported_with_its_reading() {
        let document = read(
            Source::new(
                "id: 12:30\ninput: \"Refund\"\ncontract: no\ncaptured_at: 2026-02-15\nname: 1_000\nsource: 0o17\n\
                 expected_failure: ~\ntool_responses:\n  - tool: 42\n    response: on\n    status: \"200\"\n",
            ),
            "a.yaml",
        );
        let DocumentBody::Session(session) = &document.body else { panic!("{:?}", document.body) };
        assert_eq!(text(&session.input), Some("Refund"));
        assert_eq!(text(&session.source), Some("0o17"));
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"
        1:5 yaml-typing at "/id": `id` is the number 750 to YAML 1.1, which PyYAML reads; a string is expected
        3:11 yaml-typing at "/contract": `contract` is the boolean false to YAML 1.1, which PyYAML reads; a string is expected
        4:14 yaml-typing at "/captured_at": `captured_at` is a date to YAML 1.1, which PyYAML reads; a string is expected
        5:7 yaml-typing at "/name": `name` is the number 1000 to YAML 1.1, which PyYAML reads; a string is expected
        9:11 yaml-typing at "/tool_responses/0/tool": `tool` is the number 42 to YAML 1.1, which PyYAML reads; a string is expected
        11:13 wrong-type at "/tool_responses/0/status": `status` is a string; a whole number is expected
        "#);
    }

    #[test]
    fn a_session_may_be_json() {
        let text = r#"{"id": "a", "input": "b", "context": [{"role": "user"}, "x"], "tool_responses": null}"#;
        let document = read(Source::new(text), "a.json");
        assert!(matches!(document.body, DocumentBody::Session(_)));
        insta::assert_snapshot!(describe_problems(&document.problems), @r#"1:57 wrong-type at "/context/1": The element is a string; an object is expected"#);
    }
}
