//! `tool-response-type`: the response of a tool is not a string, an object or null.

use crate::check_document::ProblemCollector;
use document::session::Session;
use document::{NodeKind, RuleId};

rule! {
    /// The `response` of a tool must be a string, an object or null. Flakestorm rejects a session with any other type, such as
    /// a list, a number, a boolean or a date.
    ///
    /// In YAML this can happen unintentionally: an unquoted `no`, `12:30` or `2026-02-15` is read as a boolean, a number or a
    /// date.
    ToolResponseType {
        title: "The tool response has an unsupported type",
        fix: "Quote the value to make it a string, or put it into an object.",
        before: "Refused" => "response: [berlin, paris]",
        after: "Accepted" => "response: { cities: [berlin, paris] }",
    }
}

pub(super) fn judge(session: &Session, findings: &mut ProblemCollector<'_>) {
    for response in &session.tool_responses {
        let Some((node, kind)) = response.response else { continue };
        if matches!(kind, NodeKind::String | NodeKind::Object | NodeKind::Null) {
            continue;
        }
        let message =
            format!("Expected a string, an object or null as the response, found {}", kind.name());
        findings.add_at(RuleId::ToolResponseType, findings.tree.node(node), message);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn only_text_objects_and_null_are_responses() {
        let text = "id: a
input: hello
tool_responses:
  - { tool: t, response: fine }
  - { tool: t, response: { fine: 1 } }
  - { tool: t, response: null }
  - { tool: t }
  - { tool: t, response: [1] }
  - { tool: t, response: no }
  - { tool: t, response: 12:30 }
  - { tool: t, response: 2026-02-15 }
";
        insta::assert_snapshot!(found(RuleId::ToolResponseType, "session.yaml", text).join("\n"), @"
        error 8:26 /tool_responses/4/response Expected a string, an object or null as the response, found a list
        error 9:26 /tool_responses/5/response Expected a string, an object or null as the response, found a boolean
        error 10:26 /tool_responses/6/response Expected a string, an object or null as the response, found a number
        error 11:26 /tool_responses/7/response Expected a string, an object or null as the response, found a date
        ");
    }
}
