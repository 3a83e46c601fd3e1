//! `seed-hash-key`: a seed of the deprecated kind.

use super::document::Findings;
use crate::format::seeds::{HashSeed, Seeds};
use crate::format::{RuleId, text};
use crate::text::visible;

rule! {
    /// The seed is keyed by a hash of the first user message. This kind is deprecated: any change of the prompt's wording
    /// changes the hash, two texts may share one (it has 32 bits), and nobody can read from the key what it is for.
    ///
    /// Trace keys name the schema, the model, the job and the round instead, and outlive a new wording.
    SeedHashKey {
        title: "The seed is keyed by a hash of the prompt",
        fix: "Seed it by its trace: `seedMemoryTraceResponse(schema, model, jobId, round, response)`.",
        before: "Lost with the next wording" => "seedMemoryResponse(\"critique\", \"router\", \"1x9k2p\", response)",
        after: "Stays" => "seedMemoryTraceResponse(\"critique\", \"router\", \"refine-1\", 0, response)",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut Findings<'_>) {
    for seed in &seeds.hash_seeds {
        let node = findings.tree().node(seed.node);
        let message = "The key is a hash of the prompt, which a new wording changes";
        if let Some(problem) = findings.at(RuleId::SeedHashKey, node, message) {
            problem.help = Some(call(seed).into());
        }
    }
}

/// The same seed as a call in the trace form, as far as the old key tells.
fn call(seed: &HashSeed) -> String {
    let schema = match text(&seed.step) {
        // The one step whose schema has another name.
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
    use crate::ops::check::testing::{shown_with_help, with_facts};

    #[test]
    fn the_help_is_the_call_to_write_instead() {
        let text = r#"{ "seeds": [], "hashSeeds": [
  { "step": "generate_candidates", "model": "router", "userTextHash": "1a", "response": "{}" } ] }"#;
        let problems = with_facts("a.seeds.json", text, &crate::ops::check::Facts::default());
        insta::assert_snapshot!(shown_with_help(RuleId::SeedHashKey, &problems), @r#"
        warning 2:3 /hashSeeds/0 The key is a hash of the prompt, which a new wording changes
          In test code: seedMemoryTraceResponse("copy_proposal", "router", jobId, round, response), with the job's fixed id and its round, counted from 0.
        "#);
    }
}
