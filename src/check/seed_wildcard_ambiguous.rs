//! `seed-wildcard-ambiguous`: several seeds match a job that has no seed.

use std::collections::HashMap;

use super::phrases;
use crate::check_document::ProblemCollector;
use document::seeds::{Seeds, TraceSeed};
use document::{NodeId, RuleId, Severity, Syntax, text};

rule! {
    /// In test mode, a job without a seed gets the seed of another job with the same schema, model and round: the first one
    /// in the file, even if its response is empty. Here there is more than one, so the order of the seeds decides which
    /// response a test gets.
    ///
    /// This wildcard is for tests whose job ids are not known in advance; it is never used if all jobs have seeds. For calls
    /// in test code this is a note, because each call may be in a separate test.
    SeedWildcardAmbiguous {
        title: "The wildcard matches several seeds",
        fix: "Use fixed job ids with a seed for each, or keep one seed for each schema, model and round.",
        before: "A third job gets the seed of job-1" => "\"jobId\": \"job-1\", \"round\": 0\n\"jobId\": \"job-2\", \"round\": 0",
        after: "Unambiguous" => "\"jobId\": \"job-1\", \"round\": 0\n\"jobId\": \"job-2\", \"round\": 1",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut ProblemCollector<'_>) {
    let mut first_seeds: HashMap<(&str, &str, i64), (&str, NodeId)> = HashMap::new();
    for seed in &seeds.seeds {
        let Some((key, job)) = wildcard_key(seed) else { continue };
        let (first_job, first_seed) = *first_seeds.entry(key).or_insert((job, seed.node));
        // The same job again is a reused key, which has a rule of its own.
        if first_job == job {
            continue;
        }
        let first_seed = findings.tree.node(first_seed);
        let message = format!(
            "For a job without a seed, test mode uses {} and not this one: both have the same schema, model and round",
            phrases::format_place(first_seed)
        );
        let node = findings.tree.node(seed.node);
        let problem = findings.add_at(RuleId::SeedWildcardAmbiguous, node, message);
        if let Some(problem) = problem.filter(|_| first_seed.tree().syntax() == Syntax::Code) {
            problem.severity = Severity::Note;
        }
    }
}

/// Returns what the wildcard compares, and the job, which it does not compare. A seed with an empty response matches, too.
fn wildcard_key(seed: &TraceSeed) -> Option<((&str, &str, i64), &str)> {
    let key = (text(&seed.schema)?, text(&seed.model)?, seed.round.number()?);
    Some((key, text(&seed.job_id)?))
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn every_seed_but_the_first_is_reported() {
        let seed = |job: &str, round: u8, response: &str| {
            format!(
                r#"{{ "schema": "critique", "model": "m", "jobId": "{job}", "round": {round}, "response": "{response}" }}"#
            )
        };
        let seeds = [
            seed("a", 0, ""),
            seed("b", 0, "{}"),
            seed("c", 0, "{}"),
            seed("b", 0, "[]"),
            seed("c", 1, "{}"),
        ];
        let text = format!("{{ \"seeds\": [\n{}\n] }}", seeds.join(",\n"));
        insta::assert_snapshot!(found(RuleId::SeedWildcardAmbiguous, "a.seeds.json", &text).join("\n"), @"
        warning 3:1 /seeds/1 For a job without a seed, test mode uses `/seeds/0` and not this one: both have the same schema, model and round
        warning 4:1 /seeds/2 For a job without a seed, test mode uses `/seeds/0` and not this one: both have the same schema, model and round
        warning 5:1 /seeds/3 For a job without a seed, test mode uses `/seeds/0` and not this one: both have the same schema, model and round
        ");
    }
}
