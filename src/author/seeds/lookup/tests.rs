use proptest::prelude::*;

use super::*;
use crate::seeds::{SeedFile, seeds_of};
use document::read;
use document::text::Source;

fn file(path: &str, text: &str) -> SeedFile {
    SeedFile { path: path.into(), seeds: seeds_of(&read(Source::new(text), path)).into() }
}

fn memory(files: &[(&str, &str)]) -> Memory {
    Memory::new(files.iter().map(|(path, text)| file(path, text)))
}

/// Returns a call for `critique` of `router`.
fn request(job: &str, round: i64, mode: ProviderMode) -> SeedRequest {
    SeedRequest {
        schema: Some("critique".to_owned()),
        model: "router".to_owned(),
        job: Some(job.to_owned()),
        round,
        mode,
        ..SeedRequest::default()
    }
}

fn describe_answer(memory: &Memory, question: &SeedRequest) -> String {
    let answer = memory.lookup(question);
    let seed = |at: SeedIndex| {
        let place = memory.seed(at).mark.place;
        format!("{} at {}:{place}", memory.seed(at).key, memory.path(at))
    };
    let mut lines = vec![format!(
        "{:?} {} = {}",
        answer.step,
        answer.key.as_deref().unwrap_or("-"),
        answer.seed.map_or("-".to_owned(), |at| memory.seed(at).response.to_string()),
    )];
    for tried in &answer.tried {
        let StepResult { step, outcome, key, remark, .. } = tried;
        let key = key.as_deref().unwrap_or("-");
        lines.push(format!(
            "  {}: {} {key} {}",
            step.as_str(),
            outcome.as_str(),
            remark.as_deref().unwrap_or("")
        ));
    }
    lines.extend(
        answer
            .unused
            .iter()
            .map(|unused| format!("  left {}: {}", unused.why.as_str(), seed(unused.seed))),
    );
    lines.extend(answer.alternatives.iter().map(|would| match would {
        AlternativeSeed::Round(round, at) => format!("  round {round}: {}", seed(*at)),
        AlternativeSeed::Job(job, at) => format!("  job {job}: {}", seed(*at)),
    }));
    lines.join("\n")
}

const TS: &str = "seedMemoryTraceResponse('critique', 'router', 'a', 0, 'a0');
seedMemoryTraceResponse('critique', 'router', 'a', 1, 'a1');
seedMemoryTraceResponse('critique', 'router', 'b', 1, 'b1');
seedMemoryTraceResponse('critique', 'router', 'a', 0, 'a0 again');
seedMemoryTraceResponse('critique', 'router', 'c', 1, '');
seedMemoryTraceResponse('critique', 'router', job, 1, 'unknown');
seedMemoryResponse('critique', 'router', '2p', 'hashed');";

#[test]
fn an_exact_key_answers_and_what_it_replaced_is_left_behind() {
    let memory = memory(&[("a.test.ts", TS)]);
    let question = SeedRequest {
        step: Some("critique".to_owned()),
        user_text: Some("a".to_owned()),
        ..request("a", 0, ProviderMode::Test)
    };
    insta::assert_snapshot!(describe_answer(&memory, &question), @"
    Some(Exact) critique:router:a:0 = a0 again
      exact: answers critique:router:a:0 
      wildcard: not-reached critique:router:…:0 The only matching seed
      hash: not-reached critique:router:2p 
      fixture: not-reached critique 
      left seeded-again: critique:router:a:0 at a.test.ts:1:1
      left later-step: critique:router:2p at a.test.ts:7:1
    ");
}

#[test]
fn the_wildcard_takes_the_first_inserted_in_test_mode_only() {
    let memory = memory(&[("a.test.ts", TS)]);
    insta::assert_snapshot!(describe_answer(&memory, &request("c", 1, ProviderMode::Test)), @"
    Some(Wildcard) critique:router:a:1 = a1
      exact: empty critique:router:c:1 
      wildcard: answers critique:router:…:1 First inserted of 3 matching seeds
      hash: not-reached unknown:router:0 No user text given, so the empty text is hashed
      fixture: not-reached critique 
      left inserted-later: critique:router:b:1 at a.test.ts:3:1
      left empty: critique:router:c:1 at a.test.ts:5:1
      job a: critique:router:a:1 at a.test.ts:2:1
      job b: critique:router:b:1 at a.test.ts:3:1
    ");
    insta::assert_snapshot!(describe_answer(&memory, &request("c", 1, ProviderMode::Live)), @"
    Some(Fixture) critique = -
      exact: empty critique:router:c:1 
      wildcard: not-asked critique:router:…:1 Only in test mode, where the first of 3 seeds would answer
      hash: not-seeded unknown:router:0 No user text given, so the empty text is hashed
      fixture: answers critique 
      left empty: critique:router:c:1 at a.test.ts:5:1
      job a: critique:router:a:1 at a.test.ts:2:1
      job b: critique:router:b:1 at a.test.ts:3:1
    ");
}

#[test]
fn without_schema_or_job_only_hash_and_fixture_are_left() {
    let memory = memory(&[("a.test.ts", TS)]);
    let question = SeedRequest {
        schema: None,
        step: Some("generate_candidates".to_owned()),
        user_text: Some("b".to_owned()),
        ..request("a", 0, ProviderMode::Test)
    };
    insta::assert_snapshot!(describe_answer(&memory, &question), @"
    Some(Fixture) copy_proposal = -
      exact: not-asked - The call has no schema
      wildcard: not-asked - The call has no schema
      hash: not-seeded generate_candidates:router:2q No seed for step generate_candidates
      fixture: answers copy_proposal
    ");
    let question = SeedRequest {
        schema: Some("other".to_owned()),
        job: None,
        ..request("a", 0, ProviderMode::Test)
    };
    insta::assert_snapshot!(describe_answer(&memory, &question), @"
    None - = -
      exact: not-asked - The call has no job
      wildcard: not-asked - The call has no job
      hash: not-seeded unknown:router:0 No user text given, so the empty text is hashed
      fixture: not-seeded other The provider has no fixture for it and throws an error
    ");
}

#[test]
fn the_wildcard_stops_at_the_first_key_that_fits_even_when_it_is_empty() {
    let memory = memory(&[(
        "a.test.ts",
        "seedMemoryTraceResponse('critique', 'router', 'a', 0, '');
seedMemoryTraceResponse('critique', 'router', 'b', 0, '{}');",
    )]);
    insta::assert_snapshot!(describe_answer(&memory, &request("c", 0, ProviderMode::Test)), @"
    Some(Fixture) critique = -
      exact: not-seeded critique:router:c:0 
      wildcard: empty critique:router:…:0 First inserted of 2 matching seeds; the others are not tried
      hash: not-seeded unknown:router:0 No user text given, so the empty text is hashed
      fixture: answers critique 
      left empty: critique:router:a:0 at a.test.ts:1:1
      left inserted-later: critique:router:b:0 at a.test.ts:2:1
      job b: critique:router:b:0 at a.test.ts:2:1
    ");
    insta::assert_snapshot!(describe_answer(&memory, &request("c", 0, ProviderMode::Live)), @"
    Some(Fixture) critique = -
      exact: not-seeded critique:router:c:0 
      wildcard: not-asked critique:router:…:0 Only in test mode, where the first matching seed is empty
      hash: not-seeded unknown:router:0 No user text given, so the empty text is hashed
      fixture: answers critique 
      job b: critique:router:b:0 at a.test.ts:2:1
    ");
}

#[test]
fn the_fixture_is_that_of_the_schema_the_step_or_the_job_and_else_the_generic_one() {
    let memory = memory(&[]);
    let fixture = |schema: &str, step: &str, job: &str| {
        let filled = |part: &str| (!part.is_empty()).then(|| part.to_owned());
        let answer = memory.lookup(&SeedRequest {
            schema: filled(schema),
            step: filled(step),
            job: filled(job),
            model: "router".to_owned(),
            ..SeedRequest::default()
        });
        let key = answer.key.as_deref().unwrap_or("throws");
        format!("{schema}/{step}/{job}: {key}")
    };
    let all = [
        fixture("", "", ""),
        fixture("v2", "critique", ""),
        fixture("critique", "test", ""),
        fixture("generate_candidates", "", ""),
        fixture("", "generate_candidates", ""),
        fixture("", "test", ""),
        fixture("", "other", "critique"),
        fixture("", "", "run-critique-7"),
        fixture("", "", "run-7"),
    ];
    insta::assert_snapshot!(all.join("\n"), @"
    //: v2
    v2/critique/: v2
    critique/test/: critique
    generate_candidates//: throws
    /generate_candidates/: copy_proposal
    /test/: decision_collapse
    /other/critique: throws
    //run-critique-7: critique
    //run-7: v2
    ");
}

#[test]
fn without_a_user_text_the_empty_text_is_hashed_and_other_hashes_are_counted() {
    let memory = memory(&[(
        "a.test.ts",
        "seedMemoryResponse('critique', 'router', '2p', 'of a text');
seedMemoryResponse('critique', 'router', '0', 'of no text');
seedMemoryResponse('other', 'router', '2p', 'of another step');",
    )]);
    let question = SeedRequest {
        schema: None,
        step: Some("critique".to_owned()),
        ..request("a", 0, ProviderMode::Live)
    };
    insta::assert_snapshot!(describe_answer(&memory, &question), @"
    Some(Hash) critique:router:0 = of no text
      exact: not-asked - The call has no schema
      wildcard: not-asked - The call has no schema
      hash: answers critique:router:0 No user text given, so the empty text is hashed; 1 seed has another hash
      fixture: not-reached critique
    ");
}

#[test]
fn files_are_seeded_in_the_order_of_their_paths() {
    let files = [
        ("b.test.ts", "seedMemoryTraceResponse('critique', 'router', 'a', 1, 'of b')"),
        ("a.test.ts", TS),
    ];
    let memory = memory(&files);
    // The key keeps the place it got first, and gets the last response.
    insta::assert_snapshot!(describe_answer(&memory, &request("z", 1, ProviderMode::Test)), @"
    Some(Wildcard) critique:router:a:1 = of b
      exact: not-seeded critique:router:z:1 
      wildcard: answers critique:router:…:1 First inserted of 3 matching seeds
      hash: not-reached unknown:router:0 No user text given, so the empty text is hashed
      fixture: not-reached critique 
      left seeded-again: critique:router:a:1 at a.test.ts:2:1
      left inserted-later: critique:router:b:1 at a.test.ts:3:1
      left inserted-later: critique:router:c:1 at a.test.ts:5:1
      job a: critique:router:a:1 at b.test.ts:1:1
      job b: critique:router:b:1 at a.test.ts:3:1
    ");
}

/// Returns the provider, as short as it can be written.
fn naive(
    seeds: &[(String, String)],
    question: &SeedRequest,
) -> (Option<LookupStep>, Option<String>) {
    let mut map: Vec<(String, String)> = Vec::new();
    for (key, response) in seeds {
        match map.iter_mut().find(|(other, _)| other == key) {
            Some((_, value)) => value.clone_from(response),
            None => map.push((key.clone(), response.clone())),
        }
    }
    let get = |name: &str| map.iter().find(|(key, value)| key == name && !value.is_empty());
    let filled = |part: &Option<String>| part.clone().filter(|part| !part.is_empty());
    let (schema, job, step) =
        (filled(&question.schema), filled(&question.job), filled(&question.step));
    if let (Some(schema), Some(job)) = (&schema, &job) {
        let exact = format!("{schema}:{}:{job}:{}", question.model, question.round);
        if let Some((_, value)) = get(&exact) {
            return (Some(LookupStep::Exact), Some(value.clone()));
        }
        if question.mode == ProviderMode::Test {
            let (prefix, suffix) =
                (format!("{schema}:{}:", question.model), format!(":{}", question.round));
            let fits =
                |(key, _): &&(String, String)| key.starts_with(&prefix) && key.ends_with(&suffix);
            if let Some((_, value)) = map.iter().find(fits)
                && !value.is_empty()
            {
                return (Some(LookupStep::Wildcard), Some(value.clone()));
            }
        }
    }
    let mut hash = 0i64;
    for unit in question.user_text.as_deref().unwrap_or("").encode_utf16() {
        hash = i64::from((hash * 31 + i64::from(unit)) as i32);
    }
    // The texts used here have short hashes.
    let hash = char::from_digit(hash as u32 % 36, 36).unwrap();
    let hash_step = step.as_deref().unwrap_or("unknown");
    if let Some((_, value)) = get(&format!("{hash_step}:{}:{hash}", question.model)) {
        return (Some(LookupStep::Hash), Some(value.clone()));
    }
    let of_step = step.as_deref().map(|step| match step {
        "generate_candidates" => "copy_proposal",
        "test" => "decision_collapse",
        step => step,
    });
    let of_job = match job.as_deref() {
        Some("critique" | "not-critique-2") => "critique",
        Some("generate_candidates") => "copy_proposal",
        _ => "v2",
    };
    match schema.as_deref().or(of_step).unwrap_or(of_job) {
        "critique" | "copy_proposal" | "decision_collapse" | "v2" => {
            (Some(LookupStep::Fixture), None)
        }
        _ => (None, None),
    }
}

fn any_part() -> impl Strategy<Value = String> {
    let parts = vec![
        "a",
        "b",
        "critique",
        "not-critique-2",
        "generate_candidates",
        "test",
        "v2",
        "unknown",
        "a:b",
        "0",
        "1",
        "m:1",
        "",
    ];
    prop::sample::select(parts).prop_map(str::to_owned)
}

proptest! {
    #![proptest_config(document::text::cases(256))]

    #[test]
    fn lookup_is_that_of_the_provider(
        seeds in prop::collection::vec((any::<bool>(), any_part(), any_part(), any_part(), 0i64..3, prop::sample::select(vec!["", "x", "y", "z"])), 0..12),
        (schema, model, job, step) in (prop::option::of(any_part()), any_part(), prop::option::of(any_part()), prop::option::of(any_part())),
        round in 0i64..3,
        test_mode: bool,
        // The control characters 1 to 35 hash to one digit.
        user_text in prop::option::of("[\u{1}-\u{23}]"),
    ) {
        let (mut text, mut flat) = (String::new(), Vec::new());
        for (trace, a, b, c, round, response) in &seeds {
            let quote = |part: &str| serde_json::Value::from(part).to_string();
            let (qa, qb, qc, qr) = (quote(a), quote(b), quote(c), quote(response));
            if *trace {
                text += &format!("seedMemoryTraceResponse({qa}, {qb}, {qc}, {round}, {qr});\n");
                flat.push((format!("{a}:{b}:{c}:{round}"), (*response).to_owned()));
            } else {
                text += &format!("seedMemoryResponse({qa}, {qb}, {qc}, {qr});\n");
                flat.push((format!("{a}:{b}:{c}"), (*response).to_owned()));
            }
        }
        let mode = if test_mode { ProviderMode::Test } else { ProviderMode::Live };
        let question = SeedRequest { schema, model, job, round, mode, step, user_text };
        let memory = memory(&[("a.test.ts", &text)]);
        let answer = memory.lookup(&question);
        let response = answer.seed.map(|at| memory.seed(at).response.to_string());
        prop_assert_eq!((answer.step, response), naive(&flat, &question), "{}", text);
        prop_assert!(answer.unused.iter().all(|unused| Some(unused.seed) != answer.seed));
    }
}
