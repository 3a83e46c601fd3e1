//! `retake import --from-langsmith…`, with a mock of LangSmith's API as it is documented.

use std::sync::mpsc::TryIter;

use serde_json::{Value, json};

use super::mock::{Mock, say};
use crate::project::{Project, Run};

const KEY: &str = "lsv2_pt_the-key-that-is-never-written";

fn run_of(id: &str, parent: Option<&str>, more: &Value) -> Value {
    let mut run = json!({ "id": id, "trace_id": "t1", "parent_run_id": parent, "name": id, "run_type": if parent.is_some() { "tool" } else { "chain" },
        "inputs": { "input": format!("Ask {id}") }, "outputs": { "output": "Said" }, "error": null, "session_id": "p1",
        "start_time": "2026-03-09T11:00:00", "end_time": "2026-03-09T11:00:02.500", "extra": { "odd": [null, "1e400"] } });
    for (key, value) in more.as_object().unwrap() {
        run[key] = value.clone();
    }
    run
}

/// The first line of each request and its body, as the mock got them.
fn printed(received: TryIter<'_, String>) -> String {
    let lines = received.map(|request| {
        assert!(request.to_ascii_lowercase().contains(&format!("x-api-key: {KEY}")), "{request}");
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        format!("{} {body}\n", head.lines().next().unwrap())
    });
    lines.collect()
}

fn import(project: &Project, mock: &Mock, arguments: &[&str]) -> Run {
    let mut command = project.command(&[&["import", "--to", "out"], arguments].concat());
    command.env("LANGSMITH_API_KEY", KEY).env("LANGSMITH_ENDPOINT", mock.url());
    let run = Run::of(&command.output().unwrap());
    assert!(!format!("{}{}", run.stdout, run.stderr).contains(KEY));
    run
}

#[test]
fn a_run_comes_with_its_tools_from_several_pages_of_its_trace() {
    let project = Project::new(&[]);
    let mut page = 0;
    let mock = Mock::start(move |request, stream| {
        let run = run_of("run-1", None, &json!({ "error": "Boom" }));
        let answer = if request.starts_with("GET /api/v1/runs/run-1 ") {
            run
        } else {
            page += 1;
            match page {
                1 => {
                    json!({ "runs": [run, run_of("tool-a", Some("run-1"), &json!({}))], "cursors": { "next": "more" } })
                }
                _ => {
                    json!({ "runs": [run_of("tool-b", Some("run-1"), &json!({ "error": "No", "outputs": null })), null], "cursors": { "next": null } })
                }
            }
        };
        let answer = answer.to_string().replace("\"1e400\"", "1e400");
        say(stream, "200 OK", "", answer.as_bytes());
    });
    let run = import(&project, &mock, &["--from-langsmith", "run-1"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "out/run-1.yaml\n"), "{}", run.stderr);
    insta::assert_snapshot!(printed(mock.received.try_iter()), @r#"
    GET /api/v1/runs/run-1 HTTP/1.1 
    POST /api/v1/runs/query HTTP/1.1 {"trace":"t1","session":["p1"],"limit":100}
    POST /api/v1/runs/query HTTP/1.1 {"trace":"t1","session":["p1"],"limit":100,"cursor":"more"}
    "#);
    insta::assert_snapshot!(project.read("out/run-1.yaml"), @r#"
    id: run-1
    name: run-1
    source: langsmith
    captured_at: "2026-03-09T11:00:00"
    input: Ask run-1
    context:
      - provenance: langsmith_run
        run_id: run-1
        latency_ms: 2500
        outputs: {output: Said}
    tool_responses:
      - tool: tool-a
        response: Said
        latency_ms: 2500
      - tool: tool-b
        response: "No"
        status: 500
        latency_ms: 2500
    expected_failure: Boom
    "#);
}

#[test]
fn a_project_is_fetched_by_its_filters_and_a_busy_server_is_called_again() {
    let project = Project::new(&[]);
    let mut tries = 0;
    let mock = Mock::start(move |request, stream| {
        tries += 1;
        let busy = "Retry-After: 0\r\n";
        let slow = json!({ "id": "slow", "trace_id": "slow", "error": "Boom" });
        let fast = json!({ "id": "fast", "trace_id": "fast", "error": "Boom", "end_time": "2026-03-09T11:00:00.100" });
        match tries {
            1 => return say(stream, "429 Busy", busy, b""),
            2 => return say(stream, "503 Down", busy, b"<html>"),
            _ => {}
        }
        let answer = match request {
            request if request.starts_with("GET /api/v1/sessions?name=help%20desk") => {
                json!([{ "id": "p1", "name": "help desk" }])
            }
            request if request.contains("\"trace\"") => json!({ "runs": [], "cursors": null }),
            request if request.contains("\"cursor\"") => {
                json!({ "runs": [run_of("slow-2", None, &slow), run_of("x", None, &slow)], "cursors": { "next": "c2" } })
            }
            _ => {
                json!({ "runs": [run_of("x", None, &slow), run_of("x", None, &fast)], "cursors": { "next": "c1" } })
            }
        };
        say(stream, "200 OK", "", answer.to_string().as_bytes());
    });
    let filters = [
        "--from-langsmith-project",
        "help desk",
        "--filter-status",
        "error",
        "--since",
        "2026-03-01",
        "--until",
        "2026-04-01",
        "--min-latency-ms",
        "1000",
        "--limit",
        "2",
    ];
    let run = import(&project, &mock, &filters);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    insta::assert_snapshot!(run.stdout, @"
    out/slow.yaml
    out/slow-2.yaml
    ");
    insta::assert_snapshot!(printed(mock.received.try_iter()), @r#"
    GET /api/v1/sessions?name=help%20desk&limit=2 HTTP/1.1 
    GET /api/v1/sessions?name=help%20desk&limit=2 HTTP/1.1 
    GET /api/v1/sessions?name=help%20desk&limit=2 HTTP/1.1 
    POST /api/v1/runs/query HTTP/1.1 {"session":["p1"],"is_root":true,"error":true,"start_time":"2026-03-01T00:00:00Z","filter":"lt(start_time, \"2026-04-01T00:00:00Z\")","limit":100}
    POST /api/v1/runs/query HTTP/1.1 {"trace":"slow","session":["p1"],"limit":100}
    POST /api/v1/runs/query HTTP/1.1 {"session":["p1"],"is_root":true,"error":true,"start_time":"2026-03-01T00:00:00Z","filter":"lt(start_time, \"2026-04-01T00:00:00Z\")","limit":100,"cursor":"c1"}
    POST /api/v1/runs/query HTTP/1.1 {"trace":"slow","session":["p1"],"limit":100}
    "#);
}

#[test]
fn what_cannot_be_fetched_is_reported_and_nothing_is_written() {
    let project = Project::new(&[]);
    let failed = |status: &'static str, headers: &'static str, body: &'static [u8]| {
        let mock = Mock::start(move |_, stream| say(stream, status, headers, body));
        let run = import(&project, &mock, &["--from-langsmith", "run/1"]);
        format!("{:?} {}", run.code, run.stderr)
    };
    let all = [
        failed("401 No", "", b""),
        failed("404 No", "", b"{}"),
        failed("500 Down", "Retry-After: 0\r\n", b""),
        failed("302 Elsewhere", "Location: http://127.0.0.1:1/\r\n", b""),
        failed("200 OK", "", b"<html>"),
        failed("200 OK", "", b"{\"id\": 7}"),
    ];
    insta::assert_snapshot!(all.concat(), @"
    Some(2) retake: LangSmith does not accept the key in LANGSMITH_API_KEY (status 401)
    Some(2) retake: LangSmith has no run with this ID (status 404)
    Some(2) retake: LangSmith still responds with status 500 after 5 tries
    Some(2) retake: LangSmith responds with status 302
    Some(2) retake: LangSmith's response is not JSON: A value is expected, not `<`
    Some(2) retake: LangSmith's response is not a run
    ");
    let mut command = project.command(&["import", "--from-langsmith", "a", "--to", "out"]);
    let run = Run::of(&command.env_remove("LANGSMITH_API_KEY").output().unwrap());
    assert_eq!(
        (run.code, run.stderr.as_str()),
        (Some(2), "retake: LANGSMITH_API_KEY is not set\n")
    );
    let mut command = project.command(&["import", "--from-langsmith", "a", "--to", "out"]);
    command.env("LANGSMITH_API_KEY", KEY).env("LANGSMITH_ENDPOINT", "http://example.com");
    let run = Run::of(&command.output().unwrap());
    insta::assert_snapshot!(run.stderr, @"retake: LANGSMITH_ENDPOINT would send the key unencrypted; it must begin with https");
    assert!(!project.path("out").exists());
}

#[test]
fn fetched_runs_pass_the_same_secrets_check_as_files() {
    let project = Project::new(&[]);
    let mock = Mock::start(|request, stream| {
        let secret = format!("Use ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
        let run = run_of("run-1", None, &json!({ "inputs": { "input": secret } }));
        let answer = if request.starts_with("GET") { run } else { json!({ "runs": [] }) };
        say(stream, "200 OK", "", answer.to_string().as_bytes());
    });
    let run = import(&project, &mock, &["--from-langsmith", "run-1"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("a GitHub token"), "{}", run.stderr);
    assert!(!project.path("out/run-1.yaml").exists());
    let run = import(&project, &mock, &["--from-langsmith", "run-1", "--redact", "all"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(project.read("out/run-1.yaml").contains("[redacted-github-token-1]"));
}
