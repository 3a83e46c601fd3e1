//! `model-mismatch`: a tape names two models.

use crate::check_document::ProblemCollector;
use document::RuleId;
use document::tape::Tape;
use document::text::quoted;

rule! {
    /// The tape's `meta.model` and `request.model` are different. A strict replay compares `request.model` and ignores
    /// `meta`, while lists display `meta.model`. A name with a prefix of the provider, `-latest`, a date or a version names the
    /// same model as the name without it.
    ModelMismatch {
        title: "The tape names two different models",
        fix: "Correct the wrong one; a replay compares `request.model`.",
        before: "Which one answered?" => "\"meta\": { \"model\": \"small\" },\n\"request\": { \"model\": \"large\" }",
        after: "One model" => "\"meta\": { \"model\": \"large\" },\n\"request\": { \"model\": \"large\" }",
    }
}

pub(super) fn judge(tape: &Tape, findings: &mut ProblemCollector<'_>) {
    let (Some(meta), Some(request)) = (&tape.model, &tape.request_model) else { return };
    if is_same_model(&meta.value, &request.value) {
        return;
    }
    let message = format!(
        "`request.model` is {}, but `meta.model` is {}",
        quoted(&request.value),
        quoted(&meta.value)
    );
    findings.add_at(RuleId::ModelMismatch, findings.tree.node(request.node), message);
}

/// Returns whether one of two names may be an alias of the other.
fn is_same_model(left: &str, right: &str) -> bool {
    let [(left, left_version), (right, right_version)] = [left, right].map(split_version);
    let is_alias = |version: &str| matches!(version, "" | "-latest");
    // An alias stands for whatever version is current.
    let is_open = is_alias(left_version) || is_alias(right_version);
    left == right && (is_open || left_version == right_version)
}

/// Splits a name, without its provider, before its version.
fn split_version(model: &str) -> (&str, &str) {
    /// Each digit is a zero. A longer one is before those that it ends with.
    const VERSIONS: [&str; 7] =
        ["-latest", "-0000-00-00", "-00000000", "@00000000", "-00-00", "-0000", "-000"];
    // Gateways write the provider before the name.
    let name = model.rsplit('/').next().unwrap_or(model);
    let digits = name.replace(|c: char| c.is_ascii_digit(), "0");
    let version = VERSIONS.into_iter().find(|version| digits.ends_with(version));
    name.split_at(name.len() - version.map_or(0, str::len))
}

#[cfg(test)]
mod tests {
    use crate::testing::{found, tape};
    use document::RuleId;

    #[test]
    fn two_models_are_reported_at_the_one_that_is_compared() {
        let judge = |meta: &str, request: &str| {
            found(RuleId::ModelMismatch, "tape.json", &tape(meta, request, "[]")).join("\n")
        };
        insta::assert_snapshot!(judge("small", "large"), @"warning 2:23 /request/model `request.model` is `large`, but `meta.model` is `small`");
        let same = [
            ("large", "large"),
            ("gpt-x-2026-01-01", "gpt-x"),
            ("claude-x-20260101", "claude-x"),
            ("claude-x@20260101", "claude-x-latest"),
            ("models/gemini-x-001", "gemini-x"),
            ("gpt-x-0613", "openai/gpt-x"),
            ("mistral-x-2601", "mistral-x-latest"),
            ("gpt-x", "gpt-x-2026-01-01"),
            ("a/b/m-preview-05-20", "m-preview"),
            ("openai/gpt-x-2026-01-01", "gpt-x-2026-01-01"),
        ];
        for (meta, request) in same {
            assert_eq!(judge(meta, request), "", "{meta} {request}");
        }
        let different = [
            ("gpt-x-mini", "gpt-x"),
            ("gpt-x-mini-2026-01-01", "gpt-x"),
            ("gpt-x-2026-01-01", "gpt-x-2026-02-02"),
            ("claude-x-5", "claude-x"),
            ("gpt-0613", "gpt-x-0613"),
            ("gpt-x", "models/"),
        ];
        for (meta, request) in different {
            assert_ne!(judge(meta, request), "", "{meta} {request}");
        }
    }
}
