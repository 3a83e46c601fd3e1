//! `seed-empty`: a seed with an empty response.

use crate::check_document::ProblemCollector;
use document::seeds::Seeds;
use document::{Field, RuleId};

rule! {
    /// The seed's `response` is empty. The provider treats an empty response as missing and continues the lookup: the test
    /// gets the answer of a later lookup step, usually the built-in fixture.
    SeedEmpty {
        title: "The seed's response is empty",
        fix: "Write the response that the test needs, or remove the seed.",
        before: "The fixture answers" => "\"response\": \"\"",
        after: "The seed answers" => "\"response\": \"{}\"",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut ProblemCollector<'_>) {
    let responses = seeds.seeds.iter().map(|seed| &seed.response);
    for response in responses.chain(seeds.hash_seeds.iter().map(|seed| &seed.response)) {
        let Some(Field { value, node }) = response else { continue };
        if value.is_empty() {
            findings.add_at(
                RuleId::SeedEmpty,
                findings.tree.node(*node),
                "The response is empty, so the lookup skips this seed",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn an_empty_response_is_reported_for_both_kinds_of_seed() {
        let text = r#"{ "seeds": [
  { "schema": "critique", "model": "m", "jobId": "j", "round": 0, "response": "" },
  { "schema": "critique", "model": "m", "jobId": "j", "round": 1, "response": " " }
], "hashSeeds": [ { "step": "critique", "model": "m", "userTextHash": "1a", "response": "" } ] }"#;
        insta::assert_snapshot!(found(RuleId::SeedEmpty, "a.seeds.json", text).join("\n"), @"
        warning 2:79 /seeds/0/response The response is empty, so the lookup skips this seed
        warning 4:89 /hashSeeds/0/response The response is empty, so the lookup skips this seed
        ");
    }
}
