//! `signature-unmatchable`: context keys are stored, and the shipped client computes none.

use super::document::Findings;
use super::words::listed;
use crate::format::RuleId;
use crate::format::recording::Recording;

rule! {
    /// The stored `contextKeys` are not empty. The clients that are shipped compute an empty list for every request, and
    /// compare the two as soon as either has a key: this recording can never be served by its signature.
    ///
    /// In hybrid mode it is still served by position, with a warning in the log. The documented behaviour is to compare the
    /// sorted keys of the request's context; a client that does so can match it.
    SignatureUnmatchable {
        title: "No shipped player can match the signature",
        fix: "Empty the stored `contextKeys`, unless the tests run a client that computes them.",
        before: "Never matches" => "\"contextKeys\": [ \"testFile\", \"testName\" ]",
        after: "Matches" => "\"contextKeys\": []",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut Findings<'_>) {
    let Some(field) = &recording.signature else {
        return;
    };
    let keys = &field.value.context_keys;
    if keys.is_empty() {
        return;
    }
    let message = format!(
        "`contextKeys` has {}, and shipped players compute none",
        listed(keys.iter().map(String::as_str))
    );
    let signature = findings.tree().node(field.node);
    let node = signature.get("contextKeys").unwrap_or(signature);
    findings.at(RuleId::SignatureUnmatchable, node, message);
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::{found, recording};

    #[test]
    fn any_stored_context_key_is_told() {
        let judge = |keys: &str| {
            let signature = format!(
                r#", "signature": {{ "toolNames": [], "messageCount": 1, "contextKeys": {keys} }}"#
            );
            let text = recording(r#"{ "testName": "x" }"#, "[]", "[]", &signature);
            found(RuleId::SignatureUnmatchable, "turn-1.json", &text).join("\n")
        };
        insta::assert_snapshot!(judge(r#"["testName"]"#), @"warning 8:109 /signature/contextKeys `contextKeys` has `testName`, and shipped players compute none");
        assert_eq!(judge("[]"), "");
    }
}
