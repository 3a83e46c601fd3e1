//! `signature-outdated`: the stored signature does not match the request in the same file.

use std::collections::HashSet;

use super::phrases::format_list;
use crate::check_document::ProblemCollector;
use document::recording::Recording;
use document::signature::SignatureText;
use document::text::count;
use document::{RuleId, Severity};

rule! {
    /// The stored `signature` is different from the signature of the request in the same file. Players use the stored one, so
    /// the recording matches other requests than the one it was made from.
    ///
    /// If only `contextKeys` differ, this is a note: recorders store keys that they omit from the request, and most stored
    /// signatures of real projects are like this.
    SignatureOutdated {
        title: "The signature does not match the request",
        fix: "Compute the signature from the request again, or record the call again.",
        before: "Matches a request with one message" => "\"messages\": [ {…}, {…} ]\n…\n\"messageCount\": 1",
        after: "Matches its own request" => "\"messages\": [ {…}, {…} ]\n…\n\"messageCount\": 2",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    let Some(field) = &recording.signature else { return };
    let text = SignatureText::stored(&field.value);
    let value = SignatureText::of_request(&recording.request);
    let mut remarks: Vec<(&str, String)> = Vec::new();
    if text.tool_names != value.tool_names {
        let detail = differences(&text.tool_names, &value.tool_names, "the request offers");
        remarks.push(("toolNames", format!("`toolNames` {detail}")));
    }
    if let Some(message_count) = field.value.message_count
        && message_count != value.message_count
    {
        let messages = count(recording.request.messages.len(), "message");
        let detail = format!("`messageCount` is {message_count}, but the request has {messages}");
        remarks.push(("messageCount", detail));
    }
    let mut severity = Severity::Warning;
    if text.context_keys != value.context_keys {
        if remarks.is_empty() {
            severity = Severity::Note;
        }
        let detail = differences(&text.context_keys, &value.context_keys, "the context has");
        remarks.push(("contextKeys", format!("`contextKeys` {detail}")));
    }
    let Some((first, _)) = remarks.first() else { return };
    let signature = findings.tree.node(field.node);
    let node = signature.get(first).unwrap_or(signature);
    let message: Vec<&str> = remarks.iter().map(|(_, detail)| detail.as_str()).collect();
    if let Some(problem) = findings.add_at(RuleId::SignatureOutdated, node, message.join("; ")) {
        problem.severity = severity;
    }
}

/// Describes how a stored list of names differs from the present one, of which `owner` begins a sentence ("the request offers").
fn differences(stored_names: &[&str], present_names: &[&str], owner: &str) -> String {
    let difference = |names: &[&str], other_names: &[&str]| {
        let other_names: HashSet<&str> = other_names.iter().copied().collect();
        format_list(names.iter().filter(|name| !other_names.contains(**name)).copied())
    };
    let (extra_names, missing_names) =
        (difference(stored_names, present_names), difference(present_names, stored_names));
    match (extra_names.is_empty(), missing_names.is_empty()) {
        (true, true) if stored_names.len() == present_names.len() => {
            "is not sorted the way players sort it, so it never matches".to_owned()
        }
        (true, true) => {
            format!(
                "has {} names, but {owner} {}, some of them twice",
                stored_names.len(),
                present_names.len()
            )
        }
        (false, true) => format!("has more names than {owner}: {extra_names}"),
        (true, false) => format!("does not have {missing_names}, which {owner}"),
        (false, false) => format!("has {extra_names}, but {owner} {missing_names}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, recording};
    use document::RuleId;

    fn judge(tool_names: &str, message_count: u64, context_keys: &str) -> String {
        let signature = format!(
            r#", "signature": {{ "toolNames": {tool_names}, "messageCount": {message_count}, "contextKeys": {context_keys} }}"#
        );
        let tools = r#"[{ "name": "b" }, { "name": "a" }]"#;
        let text = recording(r#"{ "node": "x" }"#, tools, "[]", &signature);
        found(RuleId::SignatureOutdated, "turn-1.json", &text).join("\n")
    }

    #[test]
    fn every_difference_is_reported_and_context_keys_alone_are_a_note() {
        assert_eq!(judge(r#"["a", "b"]"#, 1, r#"["node"]"#), "");
        insta::assert_snapshot!(judge(r#"["a", "c"]"#, 3, "[]"), @"warning 8:71 /signature/toolNames `toolNames` has `c`, but the request offers `b`; `messageCount` is 3, but the request has 1 message; `contextKeys` does not have `node`, which the context has");
        insta::assert_snapshot!(judge(r#"["b", "a"]"#, 1, r#"["node"]"#), @"warning 8:71 /signature/toolNames `toolNames` is not sorted the way players sort it, so it never matches");
        insta::assert_snapshot!(judge(r#"["a", "a", "b"]"#, 1, r#"["node"]"#), @"warning 8:71 /signature/toolNames `toolNames` has 3 names, but the request offers 2, some of them twice");
        insta::assert_snapshot!(judge(r#"["a", "b"]"#, 1, r#"["node", "testName"]"#), @"note 8:117 /signature/contextKeys `contextKeys` has more names than the context has: `testName`");
    }
}
