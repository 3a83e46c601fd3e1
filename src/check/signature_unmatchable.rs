//! `signature-unmatchable`: context keys are stored, but released clients compute none.

use super::phrases::format_list;
use crate::check_document::ProblemCollector;
use document::RuleId;
use document::recording::Recording;

rule! {
    /// The stored `contextKeys` are not empty. Released clients compute an empty list for every request, and compare the two
    /// lists if either has a key: this recording can never be matched by its signature.
    ///
    /// In hybrid mode it is still served by position, with a warning in the log. According to the documentation, clients
    /// compare the sorted keys of the request's context; a client that does this can match the recording.
    SignatureUnmatchable {
        title: "No released player can match the signature",
        fix: "Write an empty list as `contextKeys`, unless the tests use a client that computes them.",
        before: "Never matches" => "\"contextKeys\": [ \"testFile\", \"testName\" ]",
        after: "Matches" => "\"contextKeys\": []",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    let Some(field) = &recording.signature else { return };
    let keys = &field.value.context_keys;
    if keys.is_empty() {
        return;
    }
    let message = format!(
        "`contextKeys` has {}, but released players compute none",
        format_list(keys.iter().map(String::as_str))
    );
    let signature = findings.tree.node(field.node);
    let node = signature.get("contextKeys").unwrap_or(signature);
    findings.add_at(RuleId::SignatureUnmatchable, node, message);
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, recording};
    use document::RuleId;

    #[test]
    fn any_stored_context_key_is_reported() {
        let judge = |keys: &str| {
            let signature = format!(
                r#", "signature": {{ "toolNames": [], "messageCount": 1, "contextKeys": {keys} }}"#
            );
            let text = recording(r#"{ "testName": "x" }"#, "[]", "[]", &signature);
            found(RuleId::SignatureUnmatchable, "turn-1.json", &text).join("\n")
        };
        insta::assert_snapshot!(judge(r#"["testName"]"#), @"warning 8:109 /signature/contextKeys `contextKeys` has `testName`, but released players compute none");
        assert_eq!(judge("[]"), "");
    }
}
