//! `response-empty`: nothing was answered.

use super::document::Findings;
use crate::format::RuleId;
use crate::format::recording::{Block, Recording};

rule! {
    /// The answer has no text and calls no tool. A machine that plays it takes no step.
    ///
    /// Mostly the call failed, or was cut off, while it was recorded.
    ResponseEmpty {
        title: "The answer is empty",
        fix: "Record the call again, or remove the recording if nothing should answer here.",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut Findings<'_>) {
    let Some(answer) = &recording.answer else {
        return;
    };
    // Without `content` the reader has told what is missing.
    let Some(content) = findings.tree().node(answer.node).get("content") else {
        return;
    };
    let silent = |block: &Block| matches!(block, Block::Text(text) if text.value.trim().is_empty());
    if answer.blocks.iter().all(silent) {
        findings.at(
            RuleId::ResponseEmpty,
            content,
            "The answer has no text and calls no tool",
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::{found, recording};

    #[test]
    fn white_space_is_no_answer_and_a_tool_call_is_one() {
        let judge = |content: &str| {
            found(
                RuleId::ResponseEmpty,
                "turn-1.json",
                &recording("{}", "[]", content, ""),
            )
            .len()
        };
        assert_eq!(judge("[]"), 1);
        assert_eq!(judge(r#"[{ "type": "text", "text": " \n" }]"#), 1);
        assert_eq!(judge(r#"[{ "type": "text", "text": "yes" }]"#), 0);
        assert_eq!(
            judge(r#"[{ "type": "tool_use", "id": "t", "name": "go", "input": {} }]"#),
            0
        );
    }
}
