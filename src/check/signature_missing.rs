//! `signature-missing`: a recording of the first version.

use crate::check_document::ProblemCollector;
use document::RuleId;
use document::recording::Recording;

rule! {
    /// The recording has no `signature`, like all recordings of the first version. Players compute it from the request each
    /// time, so the recording still matches; most recordings of older projects are like this.
    ///
    /// A stored signature shows what was compared at recording time, and does not change when the request is edited.
    SignatureMissing {
        title: "The recording has no signature",
        fix: "No change is necessary; new recordings have a signature.",
    }
}

pub(super) fn judge(recording: &Recording, findings: &mut ProblemCollector<'_>) {
    // The part that cannot be read may contain it.
    if recording.signature.is_some() || !findings.tree.is_well_formed() {
        return;
    }
    let Some(root) = findings.tree.root() else { return };
    // The reader has already reported a signature of the wrong type.
    if root.get("signature").is_none() {
        findings.add_at(
            RuleId::SignatureMissing,
            root,
            "The recording has no signature; players compute it from the request",
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, recording};
    use document::RuleId;

    #[test]
    fn the_first_version_is_noted() {
        let judge = |more: &str| {
            found(RuleId::SignatureMissing, "turn-1.json", &recording("{}", "[]", "[]", more))
                .join("\n")
        };
        insta::assert_snapshot!(judge(""), @"note 1:1  The recording has no signature; players compute it from the request");
        let text = recording("{}", "[]", "[]", "");
        let cut_text = text.trim_end().trim_end_matches('}');
        assert!(found(RuleId::SignatureMissing, "turn-1.json", cut_text).is_empty());
        assert_eq!(
            judge(r#", "signature": { "toolNames": [], "messageCount": 1, "contextKeys": [] }"#),
            ""
        );
    }
}
