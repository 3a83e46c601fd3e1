//! `response-not-wrapped`: the answer stands where players don't look.

use super::document::Findings;
use crate::format::RuleId;
use crate::format::recording::{Recording, Shape};

rule! {
    /// The answer stands right under `response`, where players expect one more `response`.
    ///
    /// The recording loads without complaint, is matched and counted as used, and then answers `undefined`. A test fails
    /// far away from here, or passes for the wrong reason.
    ResponseNotWrapped {
        title: "The answer is not wrapped",
        fix: "Put the answer one level deeper, into `response.response`.",
        before: "Answers undefined" => "\"response\": {\n  \"content\": [ … ]\n}",
        after: "Answers" => "\"response\": { \"response\": {\n  \"content\": [ … ]\n} }",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut Findings<'_>) {
    let (Shape::Flat, Some(answer)) = (recording.shape, &recording.answer) else {
        return;
    };
    let node = findings.tree().node(answer.node);
    findings.at(
        RuleId::ResponseNotWrapped,
        node,
        "One more `response` is expected here; players answer `undefined` from this recording",
    );
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn a_flat_answer_is_told_at_its_brace() {
        let text = r#"{ "request": { "messages": [], "tools": [] },
  "response": { "content": [ { "type": "text", "text": "hi" } ], "stop_reason": "end_turn" },
  "recordedAt": "2025-12-02T16:48:07.310Z" }"#;
        insta::assert_snapshot!(found(RuleId::ResponseNotWrapped, "turn-1.json", text).join("\n"), @"error 2:15 /response One more `response` is expected here; players answer `undefined` from this recording");
    }
}
