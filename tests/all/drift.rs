//! `retake plugin`, `retake drift` and `retake serve --watch-drift`, from outside: what a suite sends beside what was recorded.
//!
//! The suite has 40 tests with pytest-recording and the SDK of OpenAI. Ten send something else in five ways; ten have another user agent.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::live::Running;
use crate::owner_mocks::{cache_folder, pass_over, prepare};
use crate::project::{Project, Run};

const TESTS: usize = 40;
const FILE: &str = "tests/test_orders.py";
const PACKAGES: &str = "pytest==9.2.0 pytest-recording==0.14.1 openai==1.109.1";

/// The tests: each sends what was recorded, with its own number.
const SUITE: &str = r#"import os
import openai
import pytest

TOOL = {"type": "function", "function": {"name": "lookup_order", "parameters": {"type": "object", "properties": {"order": {"type": "string"}}}}}

def body(n):
    prompt, model, order, limit, tool = "Answer in one sentence.", "gpt-4o-mini", f"ORD-{1000 + n}", 256, TOOL
    if os.environ.get("DRIFT"):
        if n < 2:
            tool = {"type": "function", "function": {**TOOL["function"], "strict": True}}
        elif n < 4:
            prompt = "Answer in one short sentence, and be polite."
        elif n < 6:
            model = "gpt-4.1-mini"
        elif n < 8:
            order = f"ORD-{5000 + n}"
        elif n < 10:
            limit = 5
    return {"model": model, "max_tokens": limit, "temperature": 0, "tools": [tool], "messages": [
        {"role": "system", "content": prompt}, {"role": "user", "content": f"Where is order {order} of the customer now?"}]}

@pytest.mark.vcr
@pytest.mark.parametrize("n", range(40))
def test_order(n):
    agent = "helpdesk/2" if os.environ.get("DRIFT") and 10 <= n < 20 else "helpdesk/1"
    client = openai.OpenAI(api_key="sk-own-key-of-the-user", max_retries=0, default_headers={"user-agent": agent})
    answer = client.chat.completions.create(**body(n))
    assert f"ORD-{1000 + n}" in answer.choices[0].message.content
"#;

/// The cassette of a test.
fn cassette(n: usize) -> String {
    let order = format!("ORD-{}", 1000 + n);
    let tool = json!({ "type": "function", "function": { "name": "lookup_order", "parameters": { "type": "object", "properties": { "order": { "type": "string" } } } } });
    let body = json!({
        "messages": [
            { "role": "system", "content": "Answer in one sentence." },
            { "role": "user", "content": format!("Where is order {order} of the customer now?") },
        ],
        "model": "gpt-4o-mini", "max_tokens": 256, "temperature": 0, "tools": [tool],
    });
    let answer = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_770_000_000, "model": "gpt-4o-mini",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": format!("{order} is on its way.") }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 60, "completion_tokens": 9, "total_tokens": 69 },
    });
    let texts = [body, answer].map(|value| Value::from(value.to_string()).to_string());
    format!(
        "interactions:\n- request:\n    body: {}\n    headers:\n      content-type:\n      - application/json\n      user-agent:\n      - helpdesk/1\n    \
         method: POST\n    uri: https://api.openai.com/v1/chat/completions\n  response:\n    body:\n      string: {}\n    headers:\n      \
         Content-Type:\n      - application/json\n    status:\n      code: 200\n      message: OK\nversion: 1\n",
        texts[0], texts[1]
    )
}

fn project() -> Project {
    let config = "import pytest\n\n@pytest.fixture(scope='module')\ndef vcr_config():\n    return {'filter_headers': ['authorization']}\n";
    let project =
        Project::new(&[("retake.toml", ""), ("tests/conftest.py", config), (FILE, SUITE)]);
    for n in 0..TESTS {
        project.write(&format!("tests/cassettes/test_orders/test_order[{n}].yaml"), cassette(n));
    }
    assert_eq!(project.run(&["plugin", "pytest", "--output", "retake_plugin.py"]).code, Some(0));
    project
}

/// Runs the suite with a version of vcrpy, if it can be installed.
fn pytest(
    project: &Project,
    vcrpy: &str,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Option<Run> {
    let folder = cache_folder(&format!("drift-{vcrpy}"));
    // urllib3 2 needs a newer vcrpy than 6.
    let urllib3 = if vcrpy.starts_with('6') { "'urllib3<2'" } else { "" };
    let install = format!(
        "test -e installed || (timeout 60 python3 -m venv venv && timeout 300 venv/bin/python -m pip install -q --timeout 10 --retries 1 \
         vcrpy=={vcrpy} {urllib3} {PACKAGES} && touch installed)"
    );
    if !prepare(&folder, &install) {
        pass_over(&format!("vcrpy {vcrpy} with pytest"));
        return None;
    }
    let mut command = Command::new(folder.join("venv/bin/python"));
    command
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "retake_plugin"])
        .args(arguments);
    command
        .current_dir(project.path(""))
        .env("PYTHONPATH", project.path(""))
        .envs(variables.iter().copied());
    Some(Run::of(&command.output().unwrap()))
}

/// The causes that are not harmless, each with its verdict and its tests.
fn causes(report: &Value) -> Vec<String> {
    let causes = report["causes"].as_array().unwrap().iter();
    let causes = causes.filter(|cause| cause["verdict"] != "harmless").map(|cause| {
        let tests = cause["tests"].as_array().unwrap().iter().map(|test| {
            let test = test.as_str().unwrap();
            test.split(['[', ']']).nth(1).unwrap().to_owned()
        });
        let tests = tests.collect::<Vec<_>>().join(" ");
        format!(
            "{} {} {tests}",
            cause["verdict"].as_str().unwrap(),
            cause["subject"].as_str().unwrap()
        )
    });
    let mut causes: Vec<String> = causes.collect();
    causes.sort();
    causes
}

const CAUSES: [&str; 5] = [
    "matcher-too-loose message 6 7",
    "record-again model 4 5",
    "record-again offered-tool 0 1",
    "record-again prompt 2 3",
    "record-again value 8 9",
];

/// Writes a request and the end of a test with a plugin that needs no pytest, and prints what it wrote.
const WRITE: &str = r#"
import io, sys, threading, types
sys.modules["pytest"] = types.SimpleNamespace(hookimpl=lambda **_: lambda function: function)
import retake_plugin

def in_a_comprehension(client):
    return [client.send(part)
            for part in "ab"]

log = retake_plugin.RequestLog.__new__(retake_plugin.RequestLog)
log.root, log.file, log.lock, log.secrets = "/project", io.StringIO(), threading.RLock(), set()
text = "/project/a.py in /home/user/b.py"
log.write({"method": "POST", "url": "https://host/project/a", "body": text})
log.write({"reason": log.shortened(text)})
print(log.file.getvalue(), end="")
print(retake_plugin.after_assertions(in_a_comprehension, in_a_comprehension.__code__.co_firstlineno + 1))
"#;

#[test]
fn the_plugin_shortens_paths_of_reasons_and_of_no_request() {
    let project = project();
    project.write("write.py", WRITE);
    let request = r#"{"method": "POST", "url": "https://host/project/a", "body": "/project/a.py in /home/user/b.py"}"#;
    for (home, reason) in [("/home/user", "a.py in ~/b.py"), ("/", "a.py in /home/user/b.py")] {
        let mut python = Command::new("python3");
        python.arg("write.py").current_dir(project.path("")).env("HOME", home);
        let Ok(output) = python.output() else { return pass_over("Python") };
        let run = Run::of(&output);
        let expected = format!("{request}\n{{\"reason\": \"{reason}\"}}\nNone\n");
        assert_eq!(run.stdout, expected, "{}", run.stderr);
    }
}

fn compare_suite(vcrpy: &str) {
    let project = project();
    let log = ["--retake-log", "log.jsonl"];
    let Some(run) = pytest(&project, vcrpy, &log, &[]) else { return };
    assert_eq!(run.code, Some(0), "{}", run.printed());
    let same = project.run(&["drift", "log.jsonl"]);
    assert_eq!(same.code, Some(0), "{}", same.printed());
    assert!(!project.read("log.jsonl").contains("sk-own"), "a key is in the log");

    let run = pytest(&project, vcrpy, &log, &[("DRIFT", "1")]).unwrap();
    // The recordings answer all the same.
    assert_eq!(run.code, Some(0), "{}", run.printed());
    let drift = project.run(&["drift", "log.jsonl", "--json"]);
    assert_eq!(drift.code, Some(1), "{}", drift.printed());
    let report = drift.json();
    assert_eq!(causes(&report), CAUSES, "{report:#}");
    assert_eq!(report["requests"]["all"], TESTS);
    assert_eq!(report["record_again"]["tests"].as_array().unwrap().len(), 8);
    assert_eq!(report["record_again"]["output_tokens"], 72);
    let harmless = report["causes"].as_array().unwrap().iter().find(|cause| {
        cause["verdict"] == "harmless" && cause["name"].as_str().unwrap().contains("helpdesk/2")
    });
    assert_eq!(harmless.unwrap()["tests"].as_array().unwrap().len(), 10, "{report:#}");
    let text = project.run(&["drift", "log.jsonl"]).stdout;
    assert!(text.starts_with("5 causes: 10 of 40 calls in 10 of 40 tests\n"), "{text}");
    let first = "tests/test_orders.py::test_order[0]\n";
    assert!(project.run(&["drift", "log.jsonl", "--tests"]).stdout.starts_with(first));
}

#[test]
fn a_suite_that_sends_something_else_is_grouped_by_cause() {
    compare_suite("9.4.2");
}

#[test]
fn the_plugin_works_with_the_oldest_vcrpy() {
    compare_suite("6.0.2");
}

#[test]
fn a_server_logs_the_same_drift() {
    let project = project();
    let arguments = ["serve", "tests/cassettes", "--instant", "--watch-drift", "served.jsonl"];
    let (serve, at) = Running::listening(&project, &arguments);
    let variables = [("DRIFT", "1"), ("OPENAI_BASE_URL", &*format!("http://{at}/v1"))];
    let Some(run) = pytest(&project, "9.4.2", &["--disable-recording"], &variables) else { return };
    assert_eq!(run.code, Some(0), "{}", run.printed());
    assert_eq!(serve.end().0, Some(0));
    assert!(!project.read("served.jsonl").contains("sk-own"), "a key is in the log");
    let drift = project.run(&["drift", "served.jsonl", "--json"]);
    assert_eq!(drift.code, Some(1), "{}", drift.printed());
    assert_eq!(causes(&drift.json()), CAUSES);
    let text = project.run(&["drift", "served.jsonl"]).stdout;
    assert!(text.starts_with("5 causes: 10 of 40 calls in 10 cassettes\n"), "{text}");
}

#[test]
fn what_is_no_log_or_not_whole_is_reported() {
    let project = project();
    let head = r#"{"retake": "pytest-log", "version": 1}"#;
    let request = r#"{"test": null, "cassette": "none.yaml", "call": 0, "method": "POST", "url": "/", "headers": {}, "body": null}"#;
    project.write("cut.jsonl", format!("{head}\n{request}\n{{\"test\n"));
    project.write("other.jsonl", "{}\n");
    for (file, message) in [
        ("missing.jsonl", "missing.jsonl"),
        ("other.jsonl", "other.jsonl: not a log of requests"),
        ("cut.jsonl", "cut.jsonl:3: EOF while parsing a string"),
    ] {
        let run = project.run(&["drift", file]);
        assert_eq!(run.code, Some(2), "{file}: {}", run.printed());
        assert!(run.stderr.contains(message), "{file}: {}", run.printed());
    }
    let cut = project.run(&["drift", "cut.jsonl"]).stdout;
    assert!(cut.contains("1 request not compared: none.yaml is no cassette"), "{cut}");
    assert!(cut.contains("the log has no end, so that the run was stopped"), "{cut}");
    // A file of another kind stays as it is.
    let run = project.run(&[
        "serve",
        "tests/cassettes",
        "--watch-drift",
        "other.jsonl",
        "--listen",
        "127.0.0.1:0",
    ]);
    assert_eq!((run.code, project.read("other.jsonl").as_str()), (Some(2), "{}\n"));
    assert!(Path::new(&project.path("retake_plugin.py")).is_file());
    let again = project.run(&["plugin", "pytest", "--output", "other.jsonl"]);
    assert_eq!((again.code, project.read("other.jsonl").as_str()), (Some(2), "{}\n"));
}
