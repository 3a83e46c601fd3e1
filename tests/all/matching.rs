//! `retake match`, from outside: what a set answers, what it does not, and why.

use crate::project::{Project, Run, recording};

/// A set of two, and a queue in which three requests wait; the last offers another tool.
fn project() -> Project {
    let (one, two) = (recording("req-1", ""), recording("req-2", ""));
    let keys = r#", "signature": { "toolNames": ["transition_to_b"], "messageCount": 1, "contextKeys": ["testName"] }"#;
    let waiting = |id: &str, tool: &str| {
        format!(
            r#"{{ "type": "llm_invocation_request", "requestId": "{id}", "context": {{ "currentNode": "start" }},
  "messages": [ {{ "role": "user", "content": "Hello" }} ], "tools": [ {{ "name": "{tool}" }} ] }}"#
        )
    };
    Project::new(&[
        ("retake.toml", ""),
        ("set/turn-1.json", &one),
        ("set/turn-10.json", &recording("req-10", keys)),
        ("set/turn-2.json", &two.replace("\"b\"", "\"c\"")),
        ("set/notes.txt", "no recording"),
        ("set/below/turn-0.json", &one),
        (
            "queue/requests/req-7.json",
            &waiting("req-7", "transition_to_b"),
        ),
        (
            "queue/requests/req-8.json",
            &waiting("req-8", "transition_to_b"),
        ),
        (
            "queue/requests/req-9.json",
            &waiting("req-9", "transition_to_c"),
        ),
        (
            "a.dygram",
            "machine \"A\"\ntask start;\ntask b;\ntask c;\nstart -> b;\nstart -> c;\n",
        ),
    ])
}

fn told(run: &Run) -> String {
    let code = run.code.unwrap_or(-1);
    format!("{code}\n{}---\n{}", run.stdout, run.stderr)
}

fn played(project: &Project, requests: &str, more: &[&str]) -> Run {
    let arguments = ["match", "--recordings", "set", "--requests", requests];
    project.run(&[&arguments, more].concat())
}

#[test]
fn a_queue_is_played_and_told_for_people() {
    let project = project();
    insta::assert_snapshot!(told(&played(&project, "queue", &[])), @"");
    assert_eq!(played(&project, "queue", &["--strict"]).code, Some(1));
}

#[test]
fn a_call_that_finds_nothing_is_told_in_the_words_of_the_client() {
    let project = project();
    let run = played(
        &project,
        "queue/requests/req-9.json",
        &["--mode", "signature"],
    );
    insta::assert_snapshot!(told(&run), @"");
    // What was printed is a log of a failed run.
    project.write("failed.log", &run.stdout);
    let again = played(&project, "failed.log", &["--mode", "signature"]);
    insta::assert_snapshot!(told(&again), @"");
}

#[test]
fn a_set_checks_itself() {
    let run = played(&project(), "set", &[]);
    insta::assert_snapshot!(told(&run), @"");
}

#[test]
fn the_nodes_of_a_machine_ask() {
    let run = played(
        &project(),
        "a.dygram",
        &["--mode", "signature", "--nearest", "0"],
    );
    insta::assert_snapshot!(told(&run), @"");
}

#[test]
fn as_json_each_call_has_what_people_see() {
    let run = played(&project(), "queue", &["--json"]);
    let json = run.json();
    assert_eq!(run.code, Some(0));
    let call = &json["calls"][2];
    let pretty = serde_json::to_string_pretty(&[
        &call["request"],
        &call["outcome"],
        &call["recording"],
        &call["index"],
        &call["reused"],
        &call["verdict"],
        &call["rejected"][0],
        &call["rejected_count"],
        &json["unused"],
        &json["ambiguous"],
        &json["error"],
        &json["verdict"],
    ]);
    insta::assert_snapshot!(pretty.unwrap(), @"");
    let run = played(&project(), "queue", &["--json", "--mode", "signature"]);
    assert_eq!(run.code, Some(1));
    let error = run.json()["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("No matching recording found for request"));
}

#[test]
fn the_browser_goes_on_past_the_end_and_the_others_do_not() {
    let project = project();
    let play = |client: &str| {
        let more = ["--mode", "sequential", "--client", client, "--json"];
        let run = project.run(
            &[
                &["match", "--recordings", "set/below", "--requests", "queue"],
                &more[..],
            ]
            .concat(),
        );
        let json = run.json();
        format!(
            "{:?} {} {}",
            run.code, json["calls"][1]["verdict"], json["error"]
        )
    };
    insta::assert_snapshot!(play("shipped"), @"");
    insta::assert_snapshot!(play("browser"), @"");
    insta::assert_snapshot!(play("documented"), @"");
}

#[test]
fn what_cannot_be_played_is_told() {
    let project = project();
    project.write("set/broken.json", "{ \"request\": ");
    project.write("queue/requests/half.json", "{ \"type\": \"llm");
    project.write("empty.txt", "all is well");
    insta::assert_snapshot!(played(&project, "queue", &["--nearest", "0"]).stderr, @"");
    assert_eq!(played(&project, "queue", &[]).code, Some(2));
    insta::assert_snapshot!(told(&played(&project, "empty.txt", &[])), @"");
    insta::assert_snapshot!(told(&played(&project, "nowhere", &[])), @"");
    let file = [
        "match",
        "--recordings",
        "set/turn-1.json",
        "--requests",
        "queue",
    ];
    insta::assert_snapshot!(told(&project.run(&file)), @"");
}
