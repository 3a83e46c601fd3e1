//! What the commands for tapes promise a script.

use std::io::Read as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::project::{Project, recording};

const TAPE: &str = r#"{ "meta": { "model": "m", "recordedAt": "2026-01-18T16:00:00Z" },
  "request": { "model": "m", "contents": "[{\"a\":1}]", "config": {} },
  "stream": [ { "delayNs": 1500000.5, "text": "It \ud83d" }, { "delayNs": 0, "text": "" },
    { "delayNs": 700000, "text": "\ude00 goes\u001b[2J" }, { "delayNs": -5, "text": "." } ] }"#;

fn project() -> Project {
    Project::new(&[("retake.toml", ""), ("tape.json", TAPE)])
}

#[test]
fn play_writes_the_text_byte_for_byte() {
    let run = project().run(&["play", "tape.json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "It 😀 goes\u{1b}[2J.");
    assert!(run.stderr.contains("retake: 1 chunk without a valid delay"), "{}", run.stderr);
    let run = project().run(&["play", "retake.toml"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("Expected a tape"), "{}", run.stderr);
    assert_eq!(project().run(&["play", "tape.json", "--speed", "0"]).code, Some(2));
}

#[test]
fn play_says_when_each_chunk_was_planned_and_when_it_came() {
    let lines = |more: &[&str]| {
        let run = project().run(&[&["play", "tape.json", "--jsonl"], more].concat());
        let lines = run
            .stdout
            .lines()
            .map(|line| line.replace("\\ud83d", "HIGH").replace("\\ude00", "LOW"));
        lines.map(|line| serde_json::from_str(&line).unwrap()).collect::<Vec<Value>>()
    };
    let planned = |lines: &[Value]| {
        lines.iter().map(|line| line["planned_ns"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let recorded = lines(&[]);
    assert_eq!(planned(&recorded), [1_500_001, 1_500_001, 2_200_001, 2_200_001]);
    for (index, line) in recorded.iter().enumerate() {
        assert_eq!(line["index"], json!(index));
        assert!(line["actual_ns"].as_u64() >= line["planned_ns"].as_u64());
    }
    assert_eq!(recorded[2]["text"], json!("LOW goes\u{1b}[2J"));
    assert_eq!(planned(&lines(&["--whole-ms"])), [1_000_000, 1_000_000, 1_000_000, 1_000_000]);
    assert_eq!(planned(&lines(&["--speed", "0.5"]))[0], 3_000_001);
    assert_eq!(planned(&lines(&["--instant"])), [0; 4]);
    assert_eq!(planned(&lines(&["--skip-over", "0.001"]))[3], 700_000);
}

#[test]
fn play_does_not_mind_a_closed_pipe() {
    let project = project();
    let mut child = project
        .command(&["play", "tape.json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn verify_shows_each_difference_with_its_place() {
    let project = project();
    project.write("same.json", r#"{"model":"m","contents":"[{\"a\":1}]","config":{}}"#);
    project.write(
        "other.json",
        r#"{"model":"m","contents":"[{\"a\": 1}]","config":{},"requestId":"r"}"#,
    );
    let same = project.run(&["verify", "tape.json", "--request", "same.json"]);
    assert_eq!(
        (same.code, same.stdout.as_str(), same.stderr.as_str()),
        (Some(0), "", "The tape answers the request\n")
    );
    let other = project.run(&["verify", "tape.json", "--request", "other.json"]);
    assert_eq!(other.code, Some(1));
    insta::assert_snapshot!(other.stdout + &other.stderr, @"
    other.json:1:25: /contents: Equal in meaning, different in bytes at line 1, column 7 of the text: `1}]` in the tape, ` 1}]` in the request (tape.json:2:42)
    other.json:1:64: ignored: /requestId: `requestId` is not compared (tape.json:2:14)
    The tape does not answer the request: 1 difference; 1 difference ignored
    ");
    let loose =
        project.run(&["verify", "tape.json", "--request", "other.json", "--loose", "--json"]);
    assert_eq!(loose.code, Some(0));
    let printed = loose.json();
    assert_eq!(
        (&printed["matches"], &printed["mode"], &printed["shape"]),
        (&json!(true), &json!("loose"), &json!("contents"))
    );
    assert_eq!(printed["ignored"][1]["kind"], json!("extra"));
    assert_eq!(printed["ignored"][0]["request"], json!({ "line": 1, "column": 25 }));
    assert_eq!(project.run(&["verify", "tape.json", "--request", "none.json"]).code, Some(2));
}

#[test]
fn export_makes_tapes_of_recordings_streams_and_texts() {
    let project = Project::new(&[
        ("retake.toml", ""),
        ("set/a/turn-1.json", &recording("req-1", "")),
        ("set/b/turn-1.json", &recording("req-2", "")),
        ("set/package.json", "{}"),
        (
            "answer.sse",
            "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n",
        ),
        ("answer.txt", "It goes. Soon."),
        ("request.json", "{\"model\": \"m\", \"contents\": \"c\"}"),
    ]);
    let run = project.run(&["export", "tape", "set", "--to", "tapes"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, "tapes/a/turn-1.json\ntapes/b/turn-1.json\n");
    let export = |path: &str, more: &[&str]| {
        project.run(
            &[&["export", "tape", path, "--to", "tape.json", "--recorded-at", "t"], more].concat(),
        )
    };
    let run =
        export("answer.txt", &["--cut", "sentence", "--request", "request.json", "--model", "m"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let tape = project.read("tape.json");
    insta::assert_snapshot!(tape, @r#"
    {
      "meta": {
        "label": "answer",
        "model": "m",
        "recordedAt": "t",
        "comment": "The timing is estimated: 500 ms to the first chunk, then 250 characters a second."
      },
      "request": {
        "model": "m",
        "contents": "c"
      },
      "stream": [
        {
          "delayNs": 500000000,
          "text": "It goes. "
        },
        {
          "delayNs": 20000000,
          "text": "Soon."
        }
      ]
    }
    "#);
    let refused = export("answer.sse", &[]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stdout.starts_with(
            "--- tape.json
"
        ),
        "{}",
        refused.stdout
    );
    assert_eq!(project.read("tape.json"), tape);
    let forced = export("answer.sse", &["--force"]);
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);
    let played = project.run(&["play", "tape.json", "--instant"]);
    assert_eq!((played.stdout.as_str(), played.stderr.as_str()), ("Hi", ""));
    assert_eq!(project.run(&["check", "tapes", "tape.json"]).code, Some(0));
}

#[test]
fn a_new_tape_has_the_request_that_its_player_loads_or_that_the_tapes_beside_it_have() {
    let history = r#"{"meta": {"model": "m", "recordedAt": "t"}, "request": {"model": "m", "systemPrompt": "s", "history": []}, "stream": []}"#;
    let project = Project::new(&[
        ("retake.toml", ""),
        ("set/turn-1.json", &recording("req-1", "")),
        ("answer.txt", "It goes."),
        ("old/a.json", history),
        ("old/b.json", history),
        ("old/c.json", &history.replace("\"history\": []", "\"contents\": \"\"")),
    ]);
    let keys = |from: &str, to: &str| {
        let run = project.run(&["export", "tape", from, "--to", to, "--model", "m"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let tape: serde_json::Value = serde_json::from_str(&project.read(to)).unwrap();
        let keys = tape["request"].as_object().unwrap().iter();
        let kind = |value: &serde_json::Value| match value {
            serde_json::Value::String(_) => "text",
            serde_json::Value::Array(_) => "list",
            _ => "object",
        };
        let mut keys: Vec<_> = keys.map(|(key, it)| format!("{key} {}", kind(it))).collect();
        keys.sort();
        keys.join(", ")
    };
    let contents = "config object, contents text, model text";
    assert_eq!(keys("set/turn-1.json", "new/a.json"), contents);
    assert_eq!(keys("answer.txt", "b.json"), contents);
    let history = "history list, model text, systemPrompt text";
    assert_eq!(keys("set/turn-1.json", "old/d.json"), history);
    assert_eq!(keys("answer.txt", "old/e.json"), history);
    let printed = project.run(&["check", "--json"]).json();
    let all = printed["problems"].as_array().unwrap().iter();
    let refused = all.filter(|it| it["rule"] == "request-incomplete");
    let mut paths: Vec<_> = refused.map(|it| it["path"].as_str().unwrap().to_owned()).collect();
    paths.sort();
    assert_eq!(paths, ["./old/a.json", "./old/b.json", "./old/d.json", "./old/e.json"]);
}

#[test]
fn export_draws_the_calls_of_a_run_against_a_set() {
    let call =
        |name: &str| crate::project::recording_offering(name, &["transition_to_close"]).to_string();
    let project = Project::new(&[("set/a.json", &*call("a")), ("set/b.json", &*call("b"))]);
    let strip = ["export", "strip", "--requests", "set", "--to", "-", "--recordings"];
    let run = project.run(&[&strip[..], &["set"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let svg = roxmltree::Document::parse(&run.stdout).unwrap();
    let marks = svg.descendants().filter(|node| node.attribute("class") == Some("mark"));
    // Two calls and two recordings.
    assert_eq!(marks.count(), 4);
    let run = project.run(&[&strip[..], &["nowhere"]].concat());
    assert_eq!(run.code, Some(2));
    let map = project.run(&["export", "map", "set", "--to", "-"]);
    assert_eq!(map.code, Some(2));
    assert!(map.stderr.contains("No recording names the machine"), "{}", map.stderr);
}

#[test]
fn export_draws_a_tape_and_leaves_what_is_there() {
    let project = project();
    let export = |more: &[&str]| project.run(&[&["export", "picture", "tape.json"], more].concat());
    let run = export(&["--to", "-"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let svg = roxmltree::Document::parse(&run.stdout).unwrap();
    let marks = svg.descendants().filter(|node| node.attribute("class") == Some("mark"));
    assert_eq!(marks.count(), 4);
    assert_eq!(export(&["--to", "a.svg", "--colors", "dark"]).code, Some(0));
    assert!(std::fs::read(project.path("a.svg")).unwrap().starts_with(b"<svg"));
    let run = export(&["--to", "a.svg", "--until", "1"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--force replaces it"), "{}", run.stderr);
    let run = export(&["--to", "a.gif"]);
    assert!(run.stderr.contains("must end in .svg"), "{}", run.stderr);
}
