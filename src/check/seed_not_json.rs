//! `seed-not-json`: a seed whose response does not parse.

use crate::check_document::ProblemCollector;
use document::seeds::Seeds;
use document::text::Source;
use document::{Field, RuleId, json};

rule! {
    /// The seed's `response` is not valid JSON. The caller of the provider parses responses as JSON: the test fails there, or
    /// falls back to something else.
    ///
    /// Most responses are made by `JSON.stringify` in test code; one that is written by hand easily misses a quote.
    SeedNotJson {
        title: "The seed's response is not valid JSON",
        fix: "Write the response as JSON; in test code, use `JSON.stringify(…)`.",
        before: "Does not parse" => "\"response\": \"{ best: 1 }\"",
        after: "Parses" => "\"response\": \"{ \\\"best\\\": 1 }\"",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut ProblemCollector<'_>) {
    let responses = seeds.seeds.iter().map(|seed| &seed.response);
    for response in responses.chain(seeds.hash_seeds.iter().map(|seed| &seed.response)) {
        let Some(Field { value, node }) = response else { continue };
        // `seed-empty` reports it.
        if value.is_empty() {
            continue;
        }
        let (_, problems) = json::parse(&Source::new(value.as_str()));
        let fault = problems.iter().find(|problem| problem.rule.hides_content());
        let Some(fault) = fault else { continue };
        let message =
            format!("The response is not valid JSON, at {} in it: {}", fault.place, fault.message);
        findings.add_at(RuleId::SeedNotJson, findings.tree.node(*node), message);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn what_does_not_parse_is_reported_with_the_fault() {
        let judge = |response: &str| {
            let text = format!(
                r#"{{ "seeds": [ {{ "schema": "critique", "model": "m", "jobId": "j", "response": "{response}" }} ] }}"#
            );
            found(RuleId::SeedNotJson, "a.seeds.json", &text).join("\n")
        };
        insta::assert_snapshot!(judge(r#"{ best: 1 }"#), @"warning 1:78 /seeds/0/response The response is not valid JSON, at 1:3 in it: The key `best` is not in double quotes");
        insta::assert_snapshot!(judge("It says sorry."), @"warning 1:78 /seeds/0/response The response is not valid JSON, at 1:1 in it: `It` is not a JSON value; text needs double quotes");
        for response in ["", r#"{ \"best\": 1 }"#, r#"\"text\""#, "12"] {
            assert_eq!(judge(response), "", "{response}");
        }
    }
}
