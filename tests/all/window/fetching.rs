//! Runs that are fetched from LangSmith in the window, from a mock of its API, as a person does it.

use engine::live::langsmith::Account;
use serde_json::{Value, json};

use super::*;
use crate::live::mock::{Mock, say};

const KEY: &str = "lsv2_pt_the-key-that-is-never-shown";

const CONFIG: &str = "agent: { endpoint: http://localhost }
contract: { name: Helpdesk, invariants: [] }
replays:
  sessions:
    - file: replays/one.yaml
  sources:
    - type: langsmith
      project: help desk
      filter: { status: all, date_range: 2026-03-01, min_latency_ms: 2000 }
      auto_import: true
    - { type: langsmith_run, run_id: run-1 }
    - { type: somewhere, project: else }
";

fn run(id: &str, more: &Value) -> Value {
    let mut run = json!({ "id": id, "trace_id": id, "parent_run_id": null, "name": id, "run_type": "chain",
        "inputs": { "input": format!("Ask {id}") }, "outputs": { "output": "Said" }, "error": "Boom", "session_id": "p1",
        "start_time": "2026-03-09T11:00:00", "end_time": "2026-03-09T11:00:02.500", "extra": { "odd": [null, 1, {}] } });
    for (key, value) in more.as_object().unwrap() {
        run[key] = value.clone();
    }
    run
}

fn project() -> Project {
    let session = "id: one\ninput: Hi\ncontract: Helpdesk\ntool_responses: []\n";
    Project::new(&[("flakestorm.yaml", CONFIG), ("replays/one.yaml", session)])
}

/// Opens a project at the sessions desk, with this to get at LangSmith.
fn open(project: &Project, langsmith: Account) -> Window {
    let start =
        StartOptions { paths: vec![project.path("")], langsmith, ..StartOptions::default() };
    let mut window = Window::open(start, Vec::new());
    window.wait_until("the files", |window| window.rows().len() == 2);
    window.press_with(Modifiers::COMMAND, Key::Num4);
    window.wait_for("Contract: Helpdesk");
    window
}

fn account(mock: &Mock) -> Account {
    Account { endpoint: Some(mock.url()), key: Some(KEY.to_owned()) }
}

/// Opens the form by the palette, and names a run in it.
fn name_run(window: &mut Window, run: &str) {
    window.press_with(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    window.type_text("from langsmith");
    window.press(Key::Enter);
    window.wait_for("Requests");
    window.type_text(run);
}

/// The first line of each request and its body, as the mock got them.
fn printed(mock: &Mock) -> String {
    let lines = mock.received.try_iter().map(|request| {
        let lower = request.to_ascii_lowercase();
        assert!(lower.contains(&format!("x-api-key: {KEY}")), "{request}");
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let first = head.lines().next().unwrap();
        let line = format!("{} {body}", first.trim_end_matches(" HTTP/1.1"));
        format!("{}\n", line.trim_end())
    });
    lines.collect()
}

/// Says a value.
fn json(stream: &mut std::net::TcpStream, value: &Value) {
    say(stream, "200 OK", "", value.to_string().as_bytes());
}

/// Everything the window says, which is never the key.
fn shown(window: &Window) -> String {
    let shown = window.texts().join("\n");
    assert!(!shown.contains(KEY), "{shown}");
    shown
}

#[test]
fn a_run_is_fetched_by_its_address_and_saved_like_any_incident() {
    let project = project();
    let mut tries = 0;
    let mock = Mock::start(move |request, stream| {
        tries += 1;
        let tool = json!({ "parent_run_id": "run-1", "trace_id": "run-1", "run_type": "tool", "error": null });
        match tries {
            1 => say(stream, "429 Busy", "Retry-After: 0\r\n", b""),
            2 => say(stream, "503 Down", "Retry-After: 0\r\n", b"<html>"),
            _ if request.starts_with("GET") => {
                let secret = json!({ "inputs": { "input": "Ask ada@private.dev" } });
                json(stream, &run("run-1", &secret));
            }
            4 => json(
                stream,
                &json!({ "runs": [run("lookup", &tool), null, 7], "cursors": { "next": "more" } }),
            ),
            _ => json(stream, &json!({ "runs": [run("refund", &tool)], "cursors": null })),
        }
    });
    let mut window = open(&project, account(&mock));
    name_run(&mut window, "https://smith.langchain.com/o/7/projects/p/9/r/run-1?x=1");
    assert!(window.shows("run run-1"));
    assert!(window.shows("GET /api/v1/runs/run-1"), "{}", shown(&window));
    assert!(window.shows(&mock.url()));
    assert!(window.shows("No network"));
    assert_eq!(printed(&mock), "");
    window.press(Key::Enter);
    window.wait_until("the draft", |window| window.says("LangSmith export, 1 draft"));
    insta::assert_snapshot!(printed(&mock), @r#"
    GET /api/v1/runs/run-1
    GET /api/v1/runs/run-1
    GET /api/v1/runs/run-1
    POST /api/v1/runs/query {"trace":"run-1","session":["p1"],"limit":100}
    POST /api/v1/runs/query {"trace":"run-1","session":["p1"],"limit":100,"cursor":"more"}
    "#);
    assert!(shown(&window).contains("Decide 1 value first"));
    window.press_with(Modifiers::COMMAND, Key::E);
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_for("Save 1 session");
    window.press_with(Modifiers::COMMAND, Key::S);
    window.wait_until("the file", |_| project.path("replays/run-1.yaml").exists());
    let saved = std::fs::read_to_string(project.path("replays/run-1.yaml")).unwrap();
    insta::assert_snapshot!(saved, @r#"
    id: run-1
    name: run-1
    source: langsmith
    captured_at: "2026-03-09T11:00:00"
    input: Ask redacted-1@example.com
    context:
      - provenance: langsmith_run
        run_id: run-1
        latency_ms: 2500
        outputs: {output: Said}
    tool_responses:
      - tool: lookup
        response: Said
        latency_ms: 2500
      - tool: refund
        response: Said
        latency_ms: 2500
    expected_failure: Boom
    contract: Helpdesk
    "#);
}

#[test]
fn a_source_of_the_configuration_is_fetched_page_by_page_as_it_says() {
    let project = project();
    let mock = Mock::start(|request, stream| match request {
        request if request.starts_with("GET /api/v1/sessions") => {
            json(stream, &json!([{ "id": "p1", "name": "help desk" }]));
        }
        request if request.contains("\"trace\"") => json(stream, &json!({ "runs": [] })),
        request if request.contains("\"cursor\"") => {
            json(stream, &json!({ "runs": [run("c", &json!({}))], "cursors": { "next": null } }));
        }
        _ => {
            let fast = json!({ "end_time": "2026-03-09T11:00:00.100" });
            let runs = [run("a", &json!({})), run("b", &fast)];
            json(stream, &json!({ "runs": runs, "cursors": { "next": "c1" } }));
        }
    });
    let mut window = open(&project, account(&mock));
    assert!(window.shows("Fetch from run-1…"));
    assert!(!window.shows("Fetch from else…"));
    window.click(Role::Button, "Fetch from help desk…");
    assert!(window.shows("GET /api/v1/sessions?name=help%20desk&limit=2"));
    assert!(window.shows("2026-03-01 00:00 UTC, on"), "{}", shown(&window));
    assert_eq!(printed(&mock), "");
    window.click(Role::Button, "Fetch");
    window.wait_for("LangSmith export, 2 drafts");
    insta::assert_snapshot!(printed(&mock), @r#"
    GET /api/v1/sessions?name=help%20desk&limit=2
    POST /api/v1/runs/query {"session":["p1"],"is_root":true,"start_time":"2026-03-01T00:00:00Z","limit":100}
    POST /api/v1/runs/query {"trace":"a","session":["p1"],"limit":100}
    POST /api/v1/runs/query {"session":["p1"],"is_root":true,"start_time":"2026-03-01T00:00:00Z","limit":100,"cursor":"c1"}
    POST /api/v1/runs/query {"trace":"c","session":["p1"],"limit":100}
    "#);
}

#[test]
fn what_goes_wrong_says_what_to_do_and_leaves_the_form_filled() {
    let project = project();
    let mut answers = [
        ("401 No", "", &b""[..]),
        ("404 No", "", b"{}"),
        ("302 Elsewhere", "Location: http://127.0.0.1:1/\r\n", b""),
        ("200 OK", "", b"<html>"),
        ("200 OK", "", b"{\"id\": 7}"),
        ("429 Busy", "Retry-After: 0\r\n", b""),
    ]
    .into_iter();
    let mut last = None;
    let mock = Mock::start(move |_, stream| {
        last = answers.next().or(last);
        let (status, headers, body) = last.unwrap();
        say(stream, status, headers, body);
    });
    let mut window = open(&project, account(&mock));
    name_run(&mut window, "run-1");
    let mut status_text = String::new();
    for fault in
        ["status 401", "status 404", "status 302", "not JSON", "not a run", "after 5 tries"]
    {
        window.click(Role::Button, "Fetch");
        window.wait_until(fault, |window| window.says(fault));
        let texts = window.texts();
        let at = texts.iter().position(|text| text.contains(fault)).unwrap();
        status_text += &format!("{} {}\n", texts[at], texts[at + 1]);
        assert!(window.shows("GET /api/v1/runs/run-1"));
    }
    insta::assert_snapshot!(status_text, @"
    LangSmith does not accept the key in LANGSMITH_API_KEY (status 401). Set a key of the workspace that contains the runs, and restart Retake.
    LangSmith has no run with this ID (status 404). Check the ID, and that the key belongs to the workspace of the run.
    LangSmith responds with status 302. Check that LANGSMITH_ENDPOINT is the address of LangSmith's API.
    LangSmith's response is not JSON: A value is expected, not `<`. Check that LANGSMITH_ENDPOINT is the address of LangSmith's API.
    LangSmith's response is not a run. Check that LANGSMITH_ENDPOINT is the address of LangSmith's API.
    LangSmith still responds with status 429 after 5 tries. LangSmith is limiting requests. Wait a minute, then fetch again.
    ");
    let mut window = open(&project, Account { endpoint: None, key: None });
    name_run(&mut window, "run-1");
    assert!(window.shows("https://api.smith.langchain.com"));
    assert!(shown(&window).contains("LANGSMITH_API_KEY is not set. Set it and restart Retake."));
    window.press(Key::Enter);
    assert!(window.shows("Cannot fetch: LANGSMITH_API_KEY is not set."));
}

#[test]
fn a_fetch_is_shown_in_the_status_line_and_can_be_stopped() {
    let project = project();
    let (release, held) = mpsc::channel::<()>();
    let mock = Mock::start(move |_, stream| {
        let _ = held.recv();
        json(stream, &run("run-1", &json!({})));
    });
    let mut window = open(&project, account(&mock));
    name_run(&mut window, "run-1");
    window.press(Key::Enter);
    window.wait_for("Network: LangSmith");
    assert!(!window.shows("No network"));
    window.press(Key::Escape);
    assert!(!window.shows("Requests"));
    window.click(Role::Link, "Fetching from LangSmith: waiting for the first response");
    window.wait_for("Requests");
    window.click(Role::Button, "Cancel");
    window.wait_for("No network");
    assert!(window.shows("Requests"));
    drop(release);
    assert!(!window.says("LangSmith export"));
}
