//! `tool-not-offered`: the answer calls a tool that the request does not offer.

use std::collections::HashSet;

use super::document::ProblemCollector;
use super::phrases::format_list;
use crate::format::recording::{MessageBlock, Recording, ToolUse};
use crate::format::{RuleId, text};
use crate::text::quoted;

rule! {
    /// The answer calls a tool that the request in the same recording does not offer. The machine that plays it has no such
    /// tool, so the call fails or has no effect.
    ///
    /// Possible causes are an edit by hand, a renamed node, or a model that invented a name.
    ToolNotOffered {
        title: "The answer calls a tool that was not offered",
        fix: "Correct the tool's name in the answer, or record the call again.",
        before: "The call has no effect" => "\"tools\": [ { \"name\": \"transition_to_done\" } ]\n…\n{ \"type\": \"tool_use\", \"name\": \"transition_to_end\" }",
        after: "The tool is called" => "\"tools\": [ { \"name\": \"transition_to_done\" } ]\n…\n{ \"type\": \"tool_use\", \"name\": \"transition_to_done\" }",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    let Some(answer) = &recording.answer else {
        return;
    };
    let names = || {
        recording
            .request
            .tools
            .iter()
            .filter_map(|tool| text(&tool.name))
    };
    let offered: HashSet<&str> = names().collect();
    for block in &answer.blocks {
        let MessageBlock::ToolUse(ToolUse {
            name: Some(name), ..
        }) = block
        else {
            continue;
        };
        if !offered.contains(&*name.value) {
            let called = quoted(&name.value);
            let offers = if offered.is_empty() {
                "no tools".to_owned()
            } else {
                format_list(names())
            };
            let message = format!("The answer calls {called}, but the request offers {offers}");
            let node = findings.tree().node(name.node);
            findings.add_at(RuleId::ToolNotOffered, node, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::{found, recording};

    #[test]
    fn the_call_is_reported_with_what_was_offered() {
        let calls =
            r#"[{ "type": "tool_use", "id": "t", "name": "transition_to_c", "input": {} }]"#;
        let judge = |tools: &str| {
            found(
                RuleId::ToolNotOffered,
                "turn-1.json",
                &recording("{}", tools, calls, ""),
            )
            .join("\n")
        };
        insta::assert_snapshot!(judge(r#"[{ "name": "transition_to_a" }, { "name": "transition_to_b" }]"#), @"warning 6:70 /response/response/content/0/name The answer calls `transition_to_c`, but the request offers `transition_to_a`, `transition_to_b`");
        insta::assert_snapshot!(judge("[]"), @"warning 6:70 /response/response/content/0/name The answer calls `transition_to_c`, but the request offers no tools");
        assert_eq!(judge(r#"[{ "name": "transition_to_c" }]"#), "");
    }
}
