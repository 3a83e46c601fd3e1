//! What the programs that own files of mocks do with them, httpmock and aimock: they play them after edits, redaction and stabilizing, and
//! answer generated requests as Retake says.

use std::ffi::OsStr;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::live::{Reply, Running, send_request};
use crate::owner_play::{compare_played, seed};
use crate::project::Project;

const CHAT: &str = "POST /v1/chat/completions";

/// Two calls of a chat, the second one streamed, as httpmock records them.
const HTTPMOCK: &str = r#"when:
  path: /v1/chat/completions
  method: POST
  body: '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Weather for ada@lovelace.org?"}]}'
then:
  status: 200
  header:
  - name: content-type
    value: application/json
  body: '{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion","created":1748853271,"model":"gpt-4o-mini","choices":[{"index":0,"message":{"role":"assistant","content":"It rains."},"finish_reason":"stop"}]}'
---
when:
  path: /v1/chat/completions
  method: POST
  body: '{"model":"gpt-4o-mini","stream":true,"messages":[{"role":"user","content":"And tomorrow?"}]}'
then:
  status: 200
  header:
  - name: content-type
    value: text/event-stream
  body: |+
    data: {"id":"chatcmpl-B9MBt2FhSUnDvDQ4ixtDFrYFJBwmy","object":"chat.completion.chunk","created":1748853272,"model":"gpt-4o-mini","choices":[{"index":0,"delta":{"role":"assistant","content":"It rains"}}]}

    data: {"id":"chatcmpl-B9MBt2FhSUnDvDQ4ixtDFrYFJBwmy","object":"chat.completion.chunk","created":1748853272,"model":"gpt-4o-mini","choices":[{"index":0,"delta":{"content":" again."},"finish_reason":"stop"}]}

    data: [DONE]

"#;

/// A text, a call of a tool and an error of aimock.
const AIMOCK: &str = r#"{
  "fixtures": [
    {
      "match": { "userMessage": "Weather for ada@lovelace.org" },
      "response": { "content": "It rains." }
    },
    {
      "match": { "userMessage": "tomorrow" },
      "response": { "toolCalls": [{ "name": "forecast", "arguments": "{\"city\":\"it rains\"}", "id": "call_zxJw3Pq8R1" }] }
    },
    {
      "match": { "userMessage": "too often" },
      "response": { "error": { "message": "It rains errors", "type": "rate_limit_error" }, "status": 429 }
    }
  ]
}
"#;

/// Runs a shell script in a folder that later runs reuse; `false` where it fails, as without a registry.
pub(crate) fn prepare(folder: &Path, script: &str) -> bool {
    // Tests that run side by side share a folder.
    static LOCK: Mutex<()> = Mutex::new(());
    let _guard = LOCK.lock();
    std::fs::create_dir_all(folder).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

pub(crate) fn cache_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

pub(crate) fn pass_over(owner: &str) {
    let _ = writeln!(std::io::stderr(), "{owner} cannot be installed here: it read no file");
}

/// Starts an owner. Returns the address that it prints.
fn start(mut command: Command) -> (Running, SocketAddr) {
    command.env("NO_COLOR", "1");
    let mut running = Running::spawn(command);
    loop {
        let line = running.text_line();
        assert_ne!(line, "", "the owner ended");
        if let Some((_, address)) = line.trim().split_once("http://") {
            return (running, address.parse().unwrap());
        }
    }
}

/// Changes the text of an answer, replaces the address of a person, and makes ids and times stable. Returns the placeholder of the
/// person.
fn change(project: &Project, file: &str) -> String {
    for arguments in [
        &["edit", file, "--replace", "rains", "snows"][..],
        &["redact", file],
        &["stabilize", file],
    ] {
        let run = project.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.stdout, run.stderr);
    }
    let text = project.read(file);
    assert!(!text.contains("rains") && !text.contains("lovelace"), "{text}");
    let (_, person) = text.split_once("Weather for ").unwrap();
    person.split(['"', '?']).next().unwrap().to_owned()
}

fn send_question(address: SocketAddr, is_stream: bool, question: &str) -> Reply {
    // The keys are in the order of the recorded request: httpmock compares its bytes.
    let stream = if is_stream { r#""stream":true,"# } else { "" };
    let body = format!(
        r#"{{"model":"gpt-4o-mini",{stream}"messages":[{{"role":"user","content":{}}}]}}"#,
        json!(question)
    );
    send_request(address, CHAT, &body)
}

fn message(reply: &Reply) -> Value {
    reply.json()["choices"][0]["message"].clone()
}

/// Number of generated files that each owner plays; the variable `RETAKE_PLAYED_MOCKS` sets another number.
const FILES: &str = "150";

/// Builds httpmock's owner; `None` where it cannot be.
pub(crate) fn httpmock() -> Option<PathBuf> {
    static LOCK: Mutex<()> = Mutex::new(());
    let _lock = LOCK.lock();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/owner/httpmock");
    let folder = cache_folder("httpmock");
    let build = format!(
        "timeout 300 cargo build --quiet --locked --target-dir . --manifest-path '{}'",
        own.join("Cargo.toml").display()
    );
    prepare(&folder, &build).then(|| folder.join("debug/httpmock-owner"))
}

/// Installs aimock; `None` where it cannot be.
pub(crate) fn aimock() -> Option<PathBuf> {
    static LOCK: Mutex<()> = Mutex::new(());
    let _lock = LOCK.lock();
    let folder = cache_folder("aimock");
    let install = "test -e node_modules/.bin/llmock || timeout 120 npm install --ignore-scripts --no-audit --no-fund --no-save @copilotkit/aimock@1.43.0";
    prepare(&folder, install).then(|| folder.join("node_modules/.bin/llmock"))
}

/// Compares what an owner answers to generated requests with what Retake says that it answers.
fn compare(owner: &str, program: &[&OsStr]) {
    let count = std::env::var("RETAKE_PLAYED_MOCKS").unwrap_or_else(|_| FILES.to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/owner/play_mocks.py");
    let mut command = Command::new("python3");
    command.arg(script).args([owner, &count, &seed()]).args(program);
    compare_played(owner, command, count.parse().unwrap());
}

#[test]
fn httpmock_answers_as_retake_says() {
    let Some(program) = httpmock() else { return pass_over("httpmock") };
    compare("httpmock", &[program.as_os_str()]);
}

#[test]
fn aimock_answers_as_retake_says() {
    let Some(program) = aimock() else { return pass_over("aimock") };
    let project = Project::new(&[("none.json", r#"{"fixtures":[]}"#)]);
    let none = project.path("none.json");
    let [node, port, zero, file] = ["node", "-p", "0", "-f"].map(OsStr::new);
    compare("aimock", &[node, program.as_os_str(), port, zero, file, none.as_os_str()]);
}

#[test]
fn httpmock_plays_changed_mocks() {
    let Some(program) = httpmock() else { return pass_over("httpmock") };
    let file = "tests/cassettes/openai/weather.yaml";
    let project = Project::new(&[(file, HTTPMOCK)]);
    let person = change(&project, file);
    let mut command = Command::new(program);
    command.arg(project.path(file));
    let (_owner, address) = start(command);
    let whole = send_question(address, false, &format!("Weather for {person}?"));
    assert_eq!(message(&whole)["content"], "It snows.", "{whole:?}");
    let json = whole.json();
    let id = json["id"].as_str().unwrap();
    assert!(id.starts_with("chatcmpl-") && id != "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT");
    assert_eq!(json["created"], 0);
    let streamed = send_question(address, true, "And tomorrow?");
    let texts = streamed.events();
    let texts = texts.iter().map(|e| e["choices"][0]["delta"]["content"].as_str().unwrap());
    assert_eq!(texts.collect::<String>(), "It snows again.", "{streamed:?}");
    assert!(streamed.text().ends_with("data: [DONE]\n\n"), "{streamed:?}");
    let missed = send_question(address, false, "Weather for ada@lovelace.org?");
    assert_eq!(missed.status, 404, "{missed:?}");
}

#[test]
fn aimock_plays_changed_fixtures() {
    let Some(program) = aimock() else { return pass_over("aimock") };
    let file = "fixtures/weather.json";
    let project = Project::new(&[(file, AIMOCK)]);
    let person = change(&project, file);
    let mut command = Command::new("node");
    command.arg(program).args(["-p", "0", "--validate-on-load", "-f"]);
    command.arg(project.path(file));
    let (_owner, address) = start(command);
    let text = send_question(address, false, &format!("Weather for {person}?"));
    assert_eq!(message(&text)["content"], "It snows.", "{text:?}");
    let called = message(&send_question(address, false, "And tomorrow?"));
    let function = &called["tool_calls"][0]["function"];
    assert_eq!(
        (&function["name"], &function["arguments"]),
        (&json!("forecast"), &json!(r#"{"city":"it snows"}"#)),
        "{called}"
    );
    let error = send_question(address, false, "I write too often");
    assert_eq!((error.status, &error.json()["error"]["message"]), (429, &json!("It snows errors")));
    let missed = send_question(address, false, "Weather for ada@lovelace.org?");
    assert_eq!(missed.status, 404, "{missed:?}");
}
