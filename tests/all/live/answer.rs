//! `retake answer`, with a script that plays the recording client's part.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};

use super::{Running, TIMEOUT};
use crate::project::{Project, archive};

fn request(id: &str, tool: &str) -> Value {
    json!({ "type": "llm_invocation_request", "requestId": id, "timestamp": "2026-03-09T11:02:17Z", "context": {},
        "messages": [{ "role": "user", "content": "x" }], "tools": [{ "name": tool, "description": "", "input_schema": {} }], "systemPrompt": "" })
}

fn recording(id: &str, tool: &str) -> String {
    json!({
        "request": request(id, tool),
        "response": { "type": "llm_invocation_response", "requestId": id, "timestamp": "2026-03-09T11:02:18Z", "reasoning": "It fits",
            "response": { "content": [{ "type": "tool_use", "id": "tool-1", "name": tool, "input": { "b": 1, "a": 2 } }], "stop_reason": "tool_use" } },
        "recordedAt": "2026-03-09T11:02:18Z",
    })
    .to_string()
}

fn project() -> Project {
    Project::new(&[
        ("set/turn-1.json", &recording("r1", "go")),
        ("set/turn-2.json", &recording("r2", "stop")),
        ("set/below/turn-3.json", &recording("r3", "below")),
    ])
}

/// Writes a request and waits for its answer, as the recording client does.
fn client(project: &Project, id: &str, tool: &str) -> Value {
    project.write(&format!("queue/requests/{id}.json"), request(id, tool).to_string());
    let path: PathBuf = project.path(&format!("queue/responses/{id}.json"));
    let started = Instant::now();
    while started.elapsed() < TIMEOUT {
        if let Ok(text) = std::fs::read_to_string(&path) {
            // Whole at once: what is there can be read.
            return serde_json::from_str(&text).unwrap();
        }
        std::thread::yield_now();
    }
    panic!("no answer to {id}");
}

#[test]
fn a_client_that_waits_gets_the_answer_of_the_recording_that_matches() {
    let project = project();
    let mut answer = Running::start(&project, &["answer", "queue", "--from", "set", "--json"]);
    assert_eq!(answer.line()["event"], "gone");
    let mut response = client(&project, "req-7", "stop");
    assert_eq!(answer.line_of("answered")["served"], "set/turn-2.json");
    response["timestamp"] = "now".into();
    let content = json!([{ "type": "tool_use", "id": "tool-1", "name": "stop", "input": { "b": 1, "a": 2 } }]);
    assert_eq!(
        response,
        json!({ "type": "llm_invocation_response", "requestId": "req-7", "timestamp": "now", "reasoning": "It fits",
            "response": { "content": content, "stop_reason": "tool_use" } })
    );

    std::fs::remove_dir_all(project.path("queue")).unwrap();
    assert_eq!(answer.line_of("gone")["request"], Value::Null);
    let response = client(&project, "req-7", "other");
    assert_eq!(response["response"]["content"][0]["name"], "go");
    let line = answer.line_of("answered");
    assert_eq!((&line["served"], &line["how"]), (&json!("set/turn-1.json"), &json!("position")));
    assert_eq!(answer.end().0, Some(0));
}

#[test]
fn once_answers_pending_requests_and_reports_those_without_an_answer() {
    let project = project();
    project.write("queue/requests/a.json", request("a", "go").to_string());
    project.write("queue/requests/b.json", request("b", "below").to_string());
    project.write("queue/requests/half.json", "{\"type\":");
    project.write("queue/requests/done.json", request("done", "go").to_string());
    project.write("queue/responses/done.json", "{}");
    let once = ["answer", "queue", "--from", "set", "--mode", "signature", "--once", "--json"];
    let run = project.run(&once);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let printed: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {} {}", line["event"], line["request"], line["nearest"]))
        .collect();
    insta::assert_snapshot!(printed.join("\n"), @r#"
    "answered" "a" []
    "unanswered" "b" ["set/turn-2.json","set/turn-1.json"]
    "#);
    assert!(project.path("queue/responses/a.json").is_file());
    assert!(!project.path("queue/responses/b.json").exists());
    assert_eq!(project.read("queue/responses/done.json"), "{}");
    assert_eq!(project.run(&["answer", "nowhere", "--from", "set", "--once"]).code, Some(2));
    assert_eq!(project.run(&["answer", "queue", "--from", "queue", "--once"]).code, Some(2));
}

#[test]
fn the_calls_of_an_archive_answer_requests() {
    let project = project();
    project.write("a.har", archive(&[("go", "go", 200), ("stop", "stop", 200)]));
    project.write("queue/requests/req-7.json", request("req-7", "stop").to_string());
    let run = project.run(&["answer", "queue", "--from", "a.har", "--once"]);
    assert_eq!(run.code, Some(0), "{}", run.printed());
    assert!(run.stdout.contains("a.har#2"), "{}", run.printed());
    let response = project.read("queue/responses/req-7.json");
    let response: Value = serde_json::from_str(&response).unwrap();
    assert_eq!(response["response"]["content"][0]["name"], "stop");
}

#[test]
fn rules_of_the_project_answer_before_the_set() {
    let project = project();
    project.write(
        "retake.toml",
        "[[answer]]\nname = 'stops'\noffers = ['stop']\ntool = 'stop'\ninput = '{\"why\": 1}'\n\n\
         [[answer]]\nname = 'greets'\nsays = 'x'\noffers = ['other']\nrecording = 'set/below/turn-3.json'\nreasoning = 'So it is'\n\n\
         [[answer]]\nname = 'all'\ntext = 'x'\n",
    );
    for (id, tool) in [("a", "stop"), ("b", "other"), ("c", "go")] {
        project.write(&format!("queue/requests/{id}.json"), request(id, tool).to_string());
    }
    let printed = |arguments: &[&str]| {
        let run = project.run(arguments);
        let lines = run.stdout.lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            format!("{} {} {} {}\n", line["event"], line["request"], line["rule"], line["served"])
        });
        (run.code, lines.collect::<String>(), run.stderr)
    };
    let (code, lines, stderr) = printed(&["answer", "queue", "--rules", "--once", "--json"]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(lines, @r#"
    "answered" "a" "stops" null
    "answered" "b" "greets" null
    "unanswered" "c" null null
    "#);
    insta::assert_snapshot!(stderr, @"retake: retake.toml:14:1: The rule would answer every request: `node`, `offers` and `says` are missing");
    let answer = |id: &str| {
        let path = project.path(&format!("queue/responses/{id}.json"));
        let response: Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        format!("{} {}", response["reasoning"], response["response"])
    };
    insta::assert_snapshot!(answer("a"), @r#""Retake: rule stops" {"content":[{"id":"tool-1","input":{"why":1},"name":"stop","type":"tool_use"}],"stop_reason":"tool_use"}"#);
    insta::assert_snapshot!(answer("b"), @r#""So it is" {"content":[{"id":"tool-1","input":{"a":2,"b":1},"name":"below","type":"tool_use"}],"stop_reason":"tool_use"}"#);

    let both = ["answer", "queue", "--rules", "--from", "set", "--once", "--json"];
    let (code, lines, _) = printed(&both);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!(lines, @r#""answered" "c" null "set/turn-1.json""#);
    assert_eq!(project.run(&["answer", "queue", "--once"]).code, Some(2));
}
