//! `model-mismatch`: a tape names two models.

use super::document::ProblemCollector;
use crate::format::RuleId;
use crate::format::tape::Tape;
use crate::text::quoted;

rule! {
    /// The tape's `meta.model` and `request.model` are different. A strict replay compares `request.model` and ignores
    /// `meta`, while lists display `meta.model`.
    ModelMismatch {
        title: "The tape names two different models",
        fix: "Correct the wrong one; a replay compares `request.model`.",
        before: "Which one answered?" => "\"meta\": { \"model\": \"small\" },\n\"request\": { \"model\": \"large\" }",
        after: "One model" => "\"meta\": { \"model\": \"large\" },\n\"request\": { \"model\": \"large\" }",
    }
}

pub(super) fn judge(tape: &Tape, findings: &mut ProblemCollector<'_>) {
    let (Some(meta), Some(request)) = (&tape.model, &tape.request_model) else {
        return;
    };
    if meta.value == request.value {
        return;
    }
    let message = format!(
        "`request.model` is {}, but `meta.model` is {}",
        quoted(&request.value),
        quoted(&meta.value)
    );
    let node = findings.tree().node(request.node);
    findings.add_at(RuleId::ModelMismatch, node, message);
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::{found, tape};

    #[test]
    fn two_models_are_reported_at_the_one_that_is_compared() {
        let judge = |meta: &str, request: &str| {
            found(
                RuleId::ModelMismatch,
                "tape.json",
                &tape(meta, request, "[]"),
            )
            .join("\n")
        };
        insta::assert_snapshot!(judge("small", "large"), @"warning 2:23 /request/model `request.model` is `large`, but `meta.model` is `small`");
        assert_eq!(judge("large", "large"), "");
    }
}
