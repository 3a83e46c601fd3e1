//! `signature-missing`: a recording of the first version.

use super::document::Findings;
use crate::format::RuleId;
use crate::format::recording::Recording;

rule! {
    /// The recording stores no `signature`, as all of the first version. Players compute one from its request each time, so it
    /// still matches; most recordings of older projects are like this.
    ///
    /// A stored signature says what was compared at recording time, and stays the same when the request is edited.
    SignatureMissing {
        title: "The recording stores no signature",
        fix: "Nothing has to be done; recordings made anew store one.",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut Findings<'_>) {
    if recording.signature.is_some() {
        return;
    }
    let Some(root) = findings.tree().root() else {
        return;
    };
    // A signature of the wrong type has been told by the reader.
    if root.get("signature").is_none() {
        findings.at(
            RuleId::SignatureMissing,
            root,
            "Stores no signature; players compute it from the request",
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::{found, recording};

    #[test]
    fn the_first_version_is_noted() {
        let judge = |more: &str| {
            found(
                RuleId::SignatureMissing,
                "turn-1.json",
                &recording("{}", "[]", "[]", more),
            )
            .join("\n")
        };
        insta::assert_snapshot!(judge(""), @"note 1:1  Stores no signature; players compute it from the request");
        assert_eq!(
            judge(r#", "signature": { "toolNames": [], "messageCount": 1, "contextKeys": [] }"#),
            ""
        );
    }
}
