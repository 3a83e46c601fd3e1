//! `response-not-wrapped`: the answer is not where players read it.

use crate::check_document::ProblemCollector;
use document::RuleId;
use document::recording::{AnswerShape, Recording};

rule! {
    /// The answer is directly in `response`, but players read it from `response.response`.
    ///
    /// The recording loads without an error, is matched and counted as used, and then returns `undefined`. The test fails
    /// later in another place, or passes for the wrong reason.
    ResponseNotWrapped {
        title: "The answer is not wrapped",
        fix: "Move the answer one level deeper, into `response.response`.",
        before: "Returns undefined" => "\"response\": {\n  \"content\": [ … ]\n}",
        after: "Returns the answer" => "\"response\": { \"response\": {\n  \"content\": [ … ]\n} }",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    let (AnswerShape::Flat, Some(answer)) = (recording.shape, &recording.answer) else { return };
    findings.add_at(
        RuleId::ResponseNotWrapped,
        findings.tree.node(answer.node),
        "The answer is not in `response.response`; players return `undefined` for this recording",
    );
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn a_flat_answer_is_reported_at_its_brace() {
        let text = r#"{ "request": { "messages": [], "tools": [] },
  "response": { "content": [ { "type": "text", "text": "hi" } ], "stop_reason": "end_turn" },
  "recordedAt": "2025-12-02T16:48:07.310Z" }"#;
        insta::assert_snapshot!(found(RuleId::ResponseNotWrapped, "turn-1.json", text).join("\n"), @"error 2:15 /response The answer is not in `response.response`; players return `undefined` for this recording");
    }
}
