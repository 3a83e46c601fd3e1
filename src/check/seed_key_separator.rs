//! `seed-key-separator`: a part of a key contains the separator of keys.

use crate::check_document::ProblemCollector;
use document::seeds::Seeds;
use document::text::quoted;
use document::{Field, RuleId};

rule! {
    /// The parts of a key are joined with `:`, as in `schema:model:jobId:round`, and a part of this key contains a `:`. Two
    /// different seeds may then have the same key, and the wildcard of test mode, which compares the beginning and the end
    /// of keys, may use this seed for another model or another round.
    SeedKeySeparator {
        title: "A part of the key contains a colon",
        fix: "Replace `:` in this part, for example with `-`, here and in the code that requests the key.",
        before: "Is it round 2?" => "\"jobId\": \"refine:2\"",
        after: "It is not" => "\"jobId\": \"refine-2\"",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut ProblemCollector<'_>) {
    let mut part = |name: &str, field: &Option<Field<String>>| {
        let Some(Field { value, node }) = field.as_ref().filter(|f| f.value.contains(':')) else {
            return;
        };
        let text = format!("`{name}` is {}, but `:` separates the parts of a key", quoted(value));
        findings.add_at(RuleId::SeedKeySeparator, findings.tree.node(*node), text);
    };
    for seed in &seeds.seeds {
        part("schema", &seed.schema);
        part("model", &seed.model);
        part("jobId", &seed.job_id);
    }
    for seed in &seeds.hash_seeds {
        part("step", &seed.step);
        part("model", &seed.model);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn each_part_with_a_colon_is_reported() {
        let text = r#"{ "seeds": [
  { "schema": "critique", "model": "org:m", "jobId": "a:1", "response": "{}" },
  { "schema": "critique", "model": "m", "jobId": "a-1", "response": "{}" }
], "hashSeeds": [ { "step": "x:y", "model": "m", "userTextHash": "1a", "response": "{}" } ] }"#;
        insta::assert_snapshot!(found(RuleId::SeedKeySeparator, "a.seeds.json", text).join("\n"), @"
        warning 2:36 /seeds/0/model `model` is `org:m`, but `:` separates the parts of a key
        warning 2:54 /seeds/0/jobId `jobId` is `a:1`, but `:` separates the parts of a key
        warning 4:29 /hashSeeds/0/step `step` is `x:y`, but `:` separates the parts of a key
        ");
    }
}
