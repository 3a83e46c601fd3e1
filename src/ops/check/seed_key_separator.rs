//! `seed-key-separator`: a part of a key holds the sign that parts keys.

use super::document::Findings;
use crate::format::seeds::Seeds;
use crate::format::{Field, RuleId};
use crate::text::quoted;

rule! {
    /// Keys are put together with `:`, as `schema:model:jobId:round`, and a part of this one holds a `:` itself. Two seeds
    /// that differ may then have one key, and the wildcard of the tests, which looks at how a key begins and ends, may take
    /// this one for another model's or another round's.
    SeedKeySeparator {
        title: "A part of the key holds a colon",
        fix: "Write the part without `:`, with `-` for example, here and where the key is asked for.",
        before: "Is it round 2?" => "\"jobId\": \"refine:2\"",
        after: "It is not" => "\"jobId\": \"refine-2\"",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut Findings<'_>) {
    let mut part = |name: &str, field: &Option<Field<String>>| {
        let Some(Field { value, node }) = field.as_ref().filter(|field| field.value.contains(':'))
        else {
            return;
        };
        let message = format!("`{name}` is {}, and `:` is what parts keys", quoted(value));
        let node = findings.tree().node(*node);
        findings.at(RuleId::SeedKeySeparator, node, message);
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
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

    #[test]
    fn each_part_with_a_colon_is_told() {
        let text = r#"{ "seeds": [
  { "schema": "critique", "model": "org:m", "jobId": "a:1", "response": "{}" },
  { "schema": "critique", "model": "m", "jobId": "a-1", "response": "{}" }
], "hashSeeds": [ { "step": "x:y", "model": "m", "userTextHash": "1a", "response": "{}" } ] }"#;
        insta::assert_snapshot!(found(RuleId::SeedKeySeparator, "a.seeds.json", text).join("\n"), @"
        warning 2:36 /seeds/0/model `model` is `org:m`, and `:` is what parts keys
        warning 2:54 /seeds/0/jobId `jobId` is `a:1`, and `:` is what parts keys
        warning 4:29 /hashSeeds/0/step `step` is `x:y`, and `:` is what parts keys
        ");
    }
}
