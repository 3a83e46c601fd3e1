//! `seed-hash-key`: a seed of the deprecated kind.

use crate::check_document::ProblemCollector;
use document::seeds::{HashSeed, Seeds};
use document::text::visible;
use document::{RuleId, text};

rule! {
    /// The key of the seed is a hash of the first user message. This kind of key is deprecated: every change of the prompt
    /// changes the hash, two texts may have the same hash (it has 32 bits), and the key does not show what it is for.
    ///
    /// Trace keys consist of the schema, the model, the job and the round instead, and do not depend on the wording.
    SeedHashKey {
        title: "The seed's key is a hash of the prompt",
        fix: "Use a trace key: `seedMemoryTraceResponse(schema, model, jobId, round, response)`.",
        before: "Never found after the prompt changes" => "seedMemoryResponse(\"critique\", \"router\", \"1x9k2p\", response)",
        after: "Still found" => "seedMemoryTraceResponse(\"critique\", \"router\", \"refine-1\", 0, response)",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut ProblemCollector<'_>) {
    for seed in &seeds.hash_seeds {
        let node = findings.tree.node(seed.node);
        let text = "The key is a hash of the prompt, so it changes with every edit of the prompt";
        if let Some(problem) = findings.add_at(RuleId::SeedHashKey, node, text) {
            problem.help = Some(call(seed).into());
        }
    }
}

/// Writes the same seed as a call with a trace key; parts that the old key does not contain are placeholders.
fn call(seed: &HashSeed) -> String {
    let schema = match text(&seed.step) {
        // This is the only step whose schema has another name.
        Some("generate_candidates") => "copy_proposal",
        Some(step) => step,
        None => "…",
    };
    let model = text(&seed.model).unwrap_or("…");
    format!(
        "In test code: seedMemoryTraceResponse(\"{}\", \"{}\", jobId, round, response), with the job's fixed id and its \
         round, counted from 0.",
        visible(schema),
        visible(model)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{shown_with_help, with_facts};

    #[test]
    fn the_help_is_the_call_to_write_instead() {
        let text = r#"{ "seeds": [], "hashSeeds": [
  { "step": "generate_candidates", "model": "router", "userTextHash": "1a", "response": "{}" } ] }"#;
        let problems = with_facts("a.seeds.json", text, &crate::CheckFacts::default());
        insta::assert_snapshot!(shown_with_help(RuleId::SeedHashKey, &problems), @r#"
        warning 2:3 /hashSeeds/0 The key is a hash of the prompt, so it changes with every edit of the prompt
          In test code: seedMemoryTraceResponse("copy_proposal", "router", jobId, round, response), with the job's fixed id and its round, counted from 0.
        "#);
    }
}
