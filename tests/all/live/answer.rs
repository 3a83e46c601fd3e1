//! `retake answer`, with a script that plays the recording client's part.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};

use super::{PATIENCE, Running};
use crate::project::Project;

fn asked(id: &str, tool: &str) -> Value {
    json!({ "type": "llm_invocation_request", "requestId": id, "timestamp": "2026-03-09T11:02:17Z", "context": {},
        "messages": [{ "role": "user", "content": "x" }], "tools": [{ "name": tool, "description": "", "input_schema": {} }], "systemPrompt": "" })
}

fn recording(id: &str, tool: &str) -> String {
    json!({
        "request": asked(id, tool),
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
    project.write(
        &format!("queue/requests/{id}.json"),
        asked(id, tool).to_string(),
    );
    let path: PathBuf = project.path(&format!("queue/responses/{id}.json"));
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
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
    assert_eq!(
        (&line["served"], &line["how"]),
        (&json!("set/turn-1.json"), &json!("position"))
    );
    assert_eq!(answer.end().0, Some(0));
}

#[test]
fn once_answers_what_waits_and_tells_what_got_nothing() {
    let project = project();
    project.write("queue/requests/a.json", asked("a", "go").to_string());
    project.write("queue/requests/b.json", asked("b", "below").to_string());
    project.write("queue/requests/half.json", "{\"type\":");
    project.write("queue/requests/done.json", asked("done", "go").to_string());
    project.write("queue/responses/done.json", "{}");
    let once = [
        "answer",
        "queue",
        "--from",
        "set",
        "--mode",
        "signature",
        "--once",
        "--json",
    ];
    let run = project.run(&once);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let lines: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {} {}", line["event"], line["request"], line["nearest"]))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    "answered" "a" []
    "unanswered" "b" ["set/turn-2.json","set/turn-1.json"]
    "#);
    assert!(project.path("queue/responses/a.json").is_file());
    assert!(!project.path("queue/responses/b.json").exists());
    assert_eq!(project.read("queue/responses/done.json"), "{}");
    assert_eq!(
        project
            .run(&["answer", "nowhere", "--from", "set", "--once"])
            .code,
        Some(2)
    );
    assert_eq!(
        project
            .run(&["answer", "queue", "--from", "queue", "--once"])
            .code,
        Some(2)
    );
}
