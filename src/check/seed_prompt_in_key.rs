//! `seed-prompt-in-key`: a key that looks like the text of a prompt.

use crate::check_document::ProblemCollector;
use document::seeds::Seeds;
use document::text::quoted;
use document::{Field, RuleId};

rule! {
    /// A part of the key contains white space or is very long: it looks like the text of a prompt. Keys consist of the
    /// schema, the model, the job and the round, and should not contain text of a conversation.
    ///
    /// A key that contains the prompt is no longer found when the prompt changes, and it puts the user's text into logs.
    SeedPromptInKey {
        title: "The key seems to contain a prompt",
        fix: "Use a fixed id of the test as the job, such as `copy-refine-test-1`.",
        before: "Never found after the prompt changes" => "\"jobId\": \"Please make it shorter\"",
        after: "Still found" => "\"jobId\": \"make-shorter-1\"",
    }
}

/// Names and ids are shorter than this, in characters.
const MAX_KEY_CHARS: usize = 64;

pub(super) fn judge(seeds: &Seeds, findings: &mut ProblemCollector<'_>) {
    let mut part = |name: &str, field: &Option<Field<String>>| {
        let Some(Field { value, node }) = field else { return };
        let reason = if value.contains(char::is_whitespace) {
            "contains white space"
        } else if value.chars().nth(MAX_KEY_CHARS).is_some() {
            "is very long"
        } else {
            return;
        };
        let message = format!("`{name}` {reason} and looks like a prompt: {}", quoted(value));
        findings.add_at(RuleId::SeedPromptInKey, findings.tree.node(*node), message);
    };
    for seed in &seeds.seeds {
        part("schema", &seed.schema);
        part("model", &seed.model);
        part("jobId", &seed.job_id);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn words_and_long_parts_are_reported_and_ids_are_not() {
        let judge = |job: &str| {
            let text = format!(
                r#"{{ "seeds": [ {{ "schema": "critique", "model": "m", "jobId": "{job}", "response": "{{}}" }} ] }}"#
            );
            found(RuleId::SeedPromptInKey, "a.seeds.json", &text).join("\n")
        };
        insta::assert_snapshot!(judge("Make it shorter"), @"warning 1:61 /seeds/0/jobId `jobId` contains white space and looks like a prompt: `Make it shorter`");
        insta::assert_snapshot!(judge(&"makeitshorter".repeat(6)), @"warning 1:61 /seeds/0/jobId `jobId` is very long and looks like a prompt: `makeitshortermakeitshortermakeitshortermakeitshortermakeitsh…`");
        assert_eq!(judge("0b9c3a52-6ad5-4f4c-9a06-3d8a4f1f6f55"), "");
    }
}
