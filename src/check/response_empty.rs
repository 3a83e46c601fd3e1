//! `response-empty`: the answer is empty.

use crate::check_document::ProblemCollector;
use document::RuleId;
use document::recording::{MessageBlock, Recording};

rule! {
    /// The answer has no text and calls no tool. A machine that plays it does nothing.
    ///
    /// The usual cause is a call that failed or was interrupted while it was recorded.
    ResponseEmpty {
        title: "The answer is empty",
        fix: "Record the call again, or delete the recording if no answer is expected here.",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    let Some(answer) = &recording.answer else { return };
    // The reader has already reported a missing `content`.
    let Some(content) = findings.tree.node(answer.node).get("content") else { return };
    let is_silent = |block: &MessageBlock| matches!(block, MessageBlock::Text(text) if text.value.trim().is_empty());
    if answer.blocks.iter().all(is_silent) {
        findings.add_at(RuleId::ResponseEmpty, content, "The answer has no text and calls no tool");
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, recording};
    use document::RuleId;

    #[test]
    fn white_space_is_no_answer_and_a_tool_call_is_one() {
        let judge = |content: &str| {
            found(RuleId::ResponseEmpty, "turn-1.json", &recording("{}", "[]", content, "")).len()
        };
        assert_eq!(judge("[]"), 1);
        assert_eq!(judge(r#"[{ "type": "text", "text": " \n" }]"#), 1);
        assert_eq!(judge(r#"[{ "type": "text", "text": "yes" }]"#), 0);
        assert_eq!(judge(r#"[{ "type": "tool_use", "id": "t", "name": "go", "input": {} }]"#), 0);
    }
}
