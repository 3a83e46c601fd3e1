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
    let stored = SignatureText::stored(&field.value);
    let computed = SignatureText::of_request(&recording.request);
    let mut reported: Vec<(&str, String)> = Vec::new();
    if stored.tool_names != computed.tool_names {
        let how = differences(&stored.tool_names, &computed.tool_names, "the request offers");
        reported.push(("toolNames", format!("`toolNames` {how}")));
    }
    if let Some(message_count) = field.value.message_count
        && message_count != computed.message_count
    {
        let messages = count(recording.request.messages.len(), "message");
        let how = format!("`messageCount` is {message_count}, but the request has {messages}");
        reported.push(("messageCount", how));
    }
    let mut severity = Severity::Warning;
    if stored.context_keys != computed.context_keys {
        if reported.is_empty() {
            severity = Severity::Note;
        }
        let how = differences(&stored.context_keys, &computed.context_keys, "the context has");
        reported.push(("contextKeys", format!("`contextKeys` {how}")));
    }
    let Some((first, _)) = reported.first() else { return };
    let signature = findings.tree.node(field.node);
    let node = signature.get(first).unwrap_or(signature);
    let message: Vec<&str> = reported.iter().map(|(_, how)| how.as_str()).collect();
    if let Some(problem) = findings.add_at(RuleId::SignatureOutdated, node, message.join("; ")) {
        problem.severity = severity;
    }
}

/// Describes how a stored list of names differs from the present one, of which `owner` begins a sentence ("the request offers").
fn differences(stored: &[&str], present: &[&str], owner: &str) -> String {
    let only = |these: &[&str], those: &[&str]| {
        let those: HashSet<&str> = those.iter().copied().collect();
        format_list(these.iter().filter(|name| !those.contains(**name)).copied())
    };
    let (gone, new) = (only(stored, present), only(present, stored));
    match (gone.is_empty(), new.is_empty()) {
        (true, true) if stored.len() == present.len() => {
            "is not sorted the way players sort it, so it never matches".to_owned()
        }
        (true, true) => {
            format!("has {} names, but {owner} {}, some of them twice", stored.len(), present.len())
        }
        (false, true) => format!("has more names than {owner}: {gone}"),
        (true, false) => format!("does not have {new}, which {owner}"),
        (false, false) => format!("has {gone}, but {owner} {new}"),
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
