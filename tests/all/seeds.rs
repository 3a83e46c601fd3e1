//! Seeds on the command line: looked up as the provider does, and exported.

use serde_json::{Value, json};

use crate::project::{Project, recording};

const SEEDS: &str = r#"{ "seeds": [
  { "schema": "critique", "model": "router", "jobId": "refund-1", "round": 0, "response": "{\"score\":0.6}" },
  { "schema": "critique", "model": "router", "jobId": "refund-1", "round": 1, "response": "{\"score\":0.8}" }
], "hashSeeds": [ { "step": "critique", "model": "router", "userTextHash": "1n1e4y", "response": "{}" } ] }
"#;

const CALLS: &str =
    "seedMemoryTraceResponse('critique', 'router', 'refund-1', 0, JSON.stringify({ score: 0.7 }));
seedMemoryTraceResponse('critique', 'router', 'closing-1', 1, '[]');
seedMemoryTraceResponse('critique', MODEL, 'closing-1', 1, '[]');
";

fn project() -> Project {
    Project::new(&[
        ("tests/a.seeds.json", SEEDS),
        ("tests/b.test.ts", CALLS),
        ("tests/c.ts", "export const seedMemory = 1;\n"),
        ("node_modules/m/d.ts", CALLS),
        ("hello.txt", "hello"),
    ])
}

fn lookup(arguments: &[&str]) -> (Option<i32>, Value) {
    let base = ["lookup", "--seeds", "tests", "--model", "router", "--json"];
    let run = project().run(&[&base, arguments].concat());
    (run.code, run.json())
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn each_step_of_the_lookup_answers_in_its_turn() {
    let (code, answer) = lookup(&["--schema", "critique", "--job", "refund-1"]);
    assert_eq!(code, Some(0));
    assert_eq!(
        keys(&answer),
        [
            "column",
            "expression",
            "key",
            "line",
            "path",
            "pointer",
            "response",
            "schema_version",
            "shadowed",
            "step",
            "tried",
            "unknown",
            "would_match"
        ]
    );
    assert_eq!(answer["step"], "exact");
    assert_eq!(answer["key"], "critique:router:refund-1:0");
    assert_eq!((&answer["path"], &answer["pointer"]), (&json!("tests/b.test.ts"), &json!("/0")));
    assert_eq!(answer["response"], "{\"score\":0.7}");
    assert_eq!(answer["shadowed"][0]["path"], "tests/a.seeds.json");
    assert_eq!(answer["shadowed"][0]["why"], "seeded-again");
    assert_eq!(answer["unknown"][0]["key"], "critique:{MODEL}:closing-1:1");

    let other_job = ["--schema", "critique", "--job", "refund-2", "--round", "1"];
    let (code, answer) = lookup(&[&other_job[..], &["--test-mode"]].concat());
    assert_eq!((code, &answer["step"]), (Some(0), &json!("wildcard")));
    assert_eq!(answer["pointer"], "/seeds/1");
    assert_eq!(answer["would_match"].as_array().unwrap().len(), 2);

    let (code, answer) = lookup(&other_job);
    assert_eq!((code, &answer["step"]), (Some(0), &json!("fixture")));
    assert_eq!(
        (&answer["key"], &answer["path"], &answer["response"]),
        (&json!("critique"), &Value::Null, &Value::Null)
    );

    let (code, answer) = lookup(&["--step", "critique", "--user-text", "hello.txt"]);
    assert_eq!((code, &answer["step"]), (Some(0), &json!("hash")));
    assert_eq!(answer["pointer"], "/hashSeeds/0");

    let (code, answer) = lookup(&["--schema", "other", "--job", "refund-1"]);
    assert_eq!((code, &answer["step"]), (Some(1), &json!("none")));
    assert_eq!(answer["tried"].as_array().unwrap().len(), 4);
}

#[test]
fn people_read_what_answers_and_what_does_not() {
    let question = [
        "--schema",
        "critique",
        "--model",
        "router",
        "--job",
        "new",
        "--round",
        "1",
        "--test-mode",
    ];
    let run = project().run(&[&["lookup", "--seeds", "tests"], &question[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    insta::assert_snapshot!(run.stdout, @r#"
    Wildcard, test mode only: critique:router:refund-1:1
      tests/a.seeds.json:3:3

    {"score":0.8}

      1 Exact key                         not seeded     critique:router:new:1
    > 2 Wildcard, test mode only          answers        critique:router:…:1  First inserted of 2 matching seeds
      3 Hash of the user text, deprecated not reached    unknown:router:0  No user text given, so the empty text is hashed
      4 Built-in fixture                  not reached    critique

    Shadowed
      critique:router:closing-1:1  fits the wildcard too, inserted later (tests/b.test.ts:2:1)

    Would have matched exactly
      job refund-1, same round (tests/a.seeds.json:3:3)
      job closing-1, same round (tests/b.test.ts:2:1)

    Skipped: the key is known only when the code runs
      critique:{MODEL}:closing-1:1 (tests/b.test.ts:3:1)
    "#);
    let run = project().run(&["lookup", "--seeds", "gone", "--model", "m"]);
    assert_eq!((run.code, &*run.stdout), (Some(2), ""));
}

#[test]
fn seeds_are_written_as_the_provider_would_hold_them() {
    let project = project();
    let run = project.run(&["export", "seeds", "tests", "--to", "-", "--format", "ts"]);
    insta::assert_snapshot!(run.stdout, @r#"
    seedMemoryTraceResponse("critique", "router", "refund-1", 0, JSON.stringify({ score: 0.7 }));
    seedMemoryTraceResponse("critique", "router", "refund-1", 1, JSON.stringify({ score: 0.8 }));
    seedMemoryResponse("critique", "router", "1n1e4y", JSON.stringify({}));
    seedMemoryTraceResponse("critique", "router", "closing-1", 1, JSON.stringify([]));
    "#);
    insta::assert_snapshot!(run.stderr, @"retake: Skipped, because its value is known only when the code runs: critique:{MODEL}:closing-1:1 at tests/b.test.ts:3:1");
    assert_eq!(run.code, Some(1));

    let export = ["export", "seeds", "tests/a.seeds.json", "--to", "tests/new.seeds.json"];
    assert_eq!(project.run(&export).code, Some(0));
    assert_eq!(project.run(&export).code, Some(0), "the same text again changes nothing");
    let written = project.read("tests/new.seeds.json");
    assert_eq!(
        serde_json::from_str::<Value>(&written).unwrap(),
        serde_json::from_str::<Value>(SEEDS).unwrap()
    );
}

#[test]
fn nothing_is_overwritten_unasked() {
    let project = project();
    project.write("out.seeds.json", "{ \"seeds\": [] }\n");
    let export = ["export", "seeds", "tests/a.seeds.json", "--to", "out.seeds.json"];
    let before = project.snapshot();
    let run = project.run(&export);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stdout.contains("-{ \"seeds\": [] }") && run.stderr.contains("--force"),
        "{} {}",
        run.stdout,
        run.stderr
    );
    assert_eq!(project.snapshot(), before);
    assert_eq!(project.run(&[&export[..], &["--force"]].concat()).code, Some(0));
}

#[test]
fn recordings_become_seeds() {
    let project = Project::new(&[
        ("set/turn-1.json", &recording("req-1", "")),
        ("set/turn-2.json", &recording("req-2", "")),
    ]);
    let run = project.run(&["export", "seeds", "set", "--model", "router", "--to", "set.test.ts"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let written = project.read("set.test.ts");
    insta::assert_snapshot!(written, @r#"
    seedMemoryTraceResponse("transition_to_b", "router", "set", 0, JSON.stringify({}));
    seedMemoryTraceResponse("transition_to_b", "router", "set", 1, JSON.stringify({}));
    "#);

    let run = project.run(&["export", "seeds", "set", "--to", "x.seeds.json"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("set it with --model"), "{}", run.stderr);
    assert!(!project.path("x.seeds.json").exists());
}

#[test]
fn calls_in_test_code_are_checked_with_their_places() {
    let run = project().run(&["check", ".", "--json"]);
    let report = run.json();
    let printed: Vec<String> = report["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let text = |field: &str| it[field].as_str().unwrap().to_owned();
            format!(
                "{}:{}:{} {} {}",
                text("path"),
                it["line"],
                it["column"],
                text("severity"),
                text("rule")
            )
        })
        .collect();
    insta::assert_snapshot!(printed.join("\n"), @"
    ./tests/a.seeds.json:2:3 note seed-key-reused
    ./tests/a.seeds.json:4:19 warning seed-hash-key
    ./tests/b.test.ts:1:1 note seed-key-reused
    ");
    assert_eq!(report["summary"]["files"], 2, "other code is not counted");
}
