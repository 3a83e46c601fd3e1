use proptest::prelude::*;

use super::*;
use crate::format::read;
use crate::ops::seeds::{File, seeds_of};
use crate::text::Source;

fn file(path: &str, text: &str) -> File {
    File {
        path: path.into(),
        seeds: seeds_of(&read(Source::new(text), path)).into(),
    }
}

fn memory(files: &[(&str, &str)]) -> Memory {
    Memory::new(files.iter().map(|(path, text)| file(path, text)))
}

/// A call for `critique` of `router`.
fn asks(job: &str, round: i64, mode: Mode) -> Question {
    Question {
        schema: Some("critique".to_owned()),
        model: "router".to_owned(),
        job: Some(job.to_owned()),
        round,
        mode,
        ..Question::default()
    }
}

fn told(memory: &Memory, question: &Question) -> String {
    let answer = memory.lookup(question);
    let seed = |at: At| {
        let place = memory.seed(at).mark.place;
        format!("{} at {}:{place}", memory.seed(at).key, memory.path(at))
    };
    let mut lines = vec![format!(
        "{:?} {} = {}",
        answer.step,
        answer.key.as_deref().unwrap_or("-"),
        answer
            .seed
            .map_or("-".to_owned(), |at| memory.seed(at).response.to_string()),
    )];
    for tried in &answer.tried {
        let Tried {
            step,
            outcome,
            key,
            remark,
            ..
        } = tried;
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
            .left
            .iter()
            .map(|left| format!("  left {}: {}", left.why.as_str(), seed(left.seed))),
    );
    lines.extend(answer.would.iter().map(|would| match would {
        Would::Round(round, at) => format!("  round {round}: {}", seed(*at)),
        Would::Job(job, at) => format!("  job {job}: {}", seed(*at)),
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
    let question = Question {
        step: Some("critique".to_owned()),
        user_text: Some("a".to_owned()),
        ..asks("a", 0, Mode::Test)
    };
    insta::assert_snapshot!(told(&memory, &question), @"
    Some(Exact) critique:router:a:0 = a0 again
      exact: answers critique:router:a:0 
      wildcard: not-reached critique:router:…:0 The only seed that fits
      hash: not-reached critique:router:2p 
      fixture: not-reached critique 
      left seeded-again: critique:router:a:0 at a.test.ts:1:1
      left later-step: critique:router:2p at a.test.ts:7:1
    ");
}

#[test]
fn the_wildcard_takes_the_first_inserted_in_test_mode_only() {
    let memory = memory(&[("a.test.ts", TS)]);
    insta::assert_snapshot!(told(&memory, &asks("c", 1, Mode::Test)), @"
    Some(Wildcard) critique:router:a:1 = a1
      exact: empty critique:router:c:1 
      wildcard: answers critique:router:…:1 First inserted of 2 that fit
      hash: not-reached - The user text is not given
      fixture: not-reached critique 
      left inserted-later: critique:router:b:1 at a.test.ts:3:1
      left empty: critique:router:c:1 at a.test.ts:5:1
      job a: critique:router:a:1 at a.test.ts:2:1
      job b: critique:router:b:1 at a.test.ts:3:1
    ");
    insta::assert_snapshot!(told(&memory, &asks("c", 1, Mode::Live)), @"
    Some(Fixture) critique = -
      exact: empty critique:router:c:1 
      wildcard: not-asked critique:router:…:1 Only in test mode, where the first of 2 seeds would answer
      hash: not-asked - The user text is not given
      fixture: answers critique 
      left empty: critique:router:c:1 at a.test.ts:5:1
      job a: critique:router:a:1 at a.test.ts:2:1
      job b: critique:router:b:1 at a.test.ts:3:1
    ");
}

#[test]
fn without_schema_or_job_only_hash_and_fixture_are_left() {
    let memory = memory(&[("a.test.ts", TS)]);
    let question = Question {
        schema: None,
        step: Some("generate_candidates".to_owned()),
        user_text: Some("b".to_owned()),
        ..asks("a", 0, Mode::Test)
    };
    insta::assert_snapshot!(told(&memory, &question), @"
    Some(Fixture) copy_proposal = -
      exact: not-asked - The call has no schema
      wildcard: not-asked - The call has no schema
      hash: not-seeded generate_candidates:router:2q Nothing for step generate_candidates
      fixture: answers copy_proposal
    ");
    let question = Question {
        schema: Some("other".to_owned()),
        job: None,
        ..asks("a", 0, Mode::Test)
    };
    insta::assert_snapshot!(told(&memory, &question), @"
    None - = -
      exact: not-asked - The call has no job
      wildcard: not-asked - The call has no job
      hash: not-asked - The user text is not given
      fixture: not-seeded - The provider has none for this schema
    ");
}

#[test]
fn files_are_seeded_in_the_order_of_their_paths() {
    let files = [
        (
            "b.test.ts",
            "seedMemoryTraceResponse('critique', 'router', 'a', 1, 'of b')",
        ),
        ("a.test.ts", TS),
    ];
    let memory = memory(&files);
    // The key keeps the place it got first, and gets the last response.
    insta::assert_snapshot!(told(&memory, &asks("z", 1, Mode::Test)), @"
    Some(Wildcard) critique:router:a:1 = of b
      exact: not-seeded critique:router:z:1 
      wildcard: answers critique:router:…:1 First inserted of 2 that fit
      hash: not-reached - The user text is not given
      fixture: not-reached critique 
      left seeded-again: critique:router:a:1 at a.test.ts:2:1
      left inserted-later: critique:router:b:1 at a.test.ts:3:1
      job a: critique:router:a:1 at b.test.ts:1:1
      job b: critique:router:b:1 at a.test.ts:3:1
    ");
}

/// The provider, as short as it can be written.
fn naive(seeds: &[(String, String)], question: &Question) -> (Option<Step>, Option<String>) {
    let mut map: Vec<(String, String)> = Vec::new();
    for (key, response) in seeds {
        match map.iter_mut().find(|(known, _)| known == key) {
            Some((_, value)) => value.clone_from(response),
            None => map.push((key.clone(), response.clone())),
        }
    }
    let get = |wanted: &str| {
        map.iter()
            .find(|(key, value)| key == wanted && !value.is_empty())
    };
    if let (Some(schema), Some(job)) = (&question.schema, &question.job) {
        let exact = format!("{schema}:{}:{job}:{}", question.model, question.round);
        if let Some((_, value)) = get(&exact) {
            return (Some(Step::Exact), Some(value.clone()));
        }
        if question.mode == Mode::Test {
            let (prefix, suffix) = (
                format!("{schema}:{}:", question.model),
                format!(":{}", question.round),
            );
            let fits = |(key, value): &&(String, String)| {
                !value.is_empty() && key.starts_with(&prefix) && key.ends_with(&suffix)
            };
            if let Some((_, value)) = map.iter().find(fits) {
                return (Some(Step::Wildcard), Some(value.clone()));
            }
        }
    }
    if let Some(text) = &question.user_text {
        let mut hash = 0i64;
        for unit in text.encode_utf16() {
            hash = i64::from((hash * 31 + i64::from(unit)) as i32);
        }
        let step = question.step.as_deref().unwrap_or("unknown");
        // The texts asked for here have short hashes.
        let hash = char::from_digit(hash as u32 % 36, 36).unwrap();
        if let Some((_, value)) = get(&format!("{step}:{}:{hash}", question.model)) {
            return (Some(Step::Hash), Some(value.clone()));
        }
    }
    match question.schema.as_deref().or(question.step.as_deref()) {
        Some("critique" | "intent_parse") => (Some(Step::Fixture), None),
        _ => (None, None),
    }
}

fn any_part() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "critique", "unknown", "a:b", "1", "m:1", ""])
        .prop_map(str::to_owned)
}

proptest! {
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
        let mode = if test_mode { Mode::Test } else { Mode::Live };
        let question = Question { schema, model, job, round, mode, step, user_text };
        let memory = memory(&[("a.test.ts", &text)]);
        let answer = memory.lookup(&question);
        let response = answer.seed.map(|at| memory.seed(at).response.to_string());
        prop_assert_eq!((answer.step, response), naive(&flat, &question), "{}", text);
        prop_assert!(answer.left.iter().all(|left| Some(left.seed) != answer.seed));
    }
}
