//! `tool-response-type`: an answer of a tool that is neither text nor object.

use super::document::Findings;
use crate::format::session::Session;
use crate::format::{NodeKind, RuleId};

rule! {
    /// What a tool answered has to be a text, an object or null. The owner refuses a session with any other `response`: a
    /// list, a number, a boolean, or a date.
    ///
    /// In YAML this happens by itself: an unquoted `no`, `12:30` or `2026-02-15` is read as a boolean, a number, a date.
    ToolResponseType {
        title: "A tool's response has a type that is refused",
        fix: "Quote the value to make it text, or put it into an object.",
        before: "Refused" => "response: [berlin, paris]",
        after: "Accepted" => "response: { cities: [berlin, paris] }",
    }
}

pub(super) fn judge(session: &Session, findings: &mut Findings<'_>) {
    for response in &session.tool_responses {
        let Some((node, kind)) = response.response else {
            continue;
        };
        if matches!(kind, NodeKind::String | NodeKind::Object | NodeKind::Null) {
            continue;
        }
        let message = format!(
            "The response is {}, and has to be a string, an object or null",
            kind.name()
        );
        let node = findings.tree().node(node);
        findings.at(RuleId::ToolResponseType, node, message);
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

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
        error 8:26 /tool_responses/4/response The response is a list, and has to be a string, an object or null
        error 9:26 /tool_responses/5/response The response is a boolean, and has to be a string, an object or null
        error 10:26 /tool_responses/6/response The response is a number, and has to be a string, an object or null
        error 11:26 /tool_responses/7/response The response is a date, and has to be a string, an object or null
        ");
    }
}
