//! `retake import --as`, from outside.

use serde_json::json;

use crate::project::{Project, Run, recording};

/// A call that a tool answers, and one that was refused.
fn incident() -> String {
    let call = |sent: &str, status: u16, body: &serde_json::Value| {
        let sent = json!({ "model": "m", "messages": [{ "role": "user", "content": sent }] });
        json!({
            "request": { "method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "headers": {}, "body": sent.to_string() },
            "response": { "status": { "code": status, "message": "" }, "headers": {}, "body": { "string": body.to_string() } },
        })
    };
    let function = json!({ "name": "refund", "arguments": "{\"to\": \"ada@private.dev\"}" });
    let message = json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "t1", "type": "function", "function": function }] });
    let answer =
        json!({ "choices": [{ "index": 0, "message": message, "finish_reason": "tool_calls" }] });
    let error = json!({ "error": { "message": "Slow down", "type": "rate_limit_error" } });
    let calls = [call("Refund ada@private.dev", 200, &answer), call("And today?", 429, &error)];
    json!({ "interactions": calls, "version": 1 }).to_string()
}

fn project() -> Project {
    Project::new(&[("retake.toml", ""), ("incident.json", &incident())])
}

const TEST: [&str; 2] = ["--test", "tests/test_a.py::TestB::test_c[d/e]"];
const PATH: &str = "tests/cassettes/test_a/TestB.test_c[d-e].yaml";

#[test]
fn a_fixture_is_written_once_its_secrets_are_decided_and_can_be_undone() {
    let project = project();
    let import = |more: &[&str]| {
        project.run(&[&["import", "incident.json", "--as", "vcrpy"], &TEST[..], more].concat())
    };
    let run = import(&[]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    let place = "Contains what looks like an e-mail address (…@private.dev) at /interactions/0/request/body";
    assert!(run.stderr.contains(place), "{}", run.stderr);
    let run = import(&["--redact", "all"]);
    assert_eq!((run.code, run.stdout.trim()), (Some(0), PATH), "{}", run.stderr);
    let text = project.read(PATH);
    assert!(!text.contains("private.dev"), "{text}");
    let (_, placeholder) = text.split_once("Refund ").unwrap();
    let placeholder = placeholder.split('\\').next().unwrap();
    assert_eq!(text.matches(placeholder).count(), 2, "{text}");
    let run = import(&["--keep", "all"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("A different file exists"), "{}", run.stderr);
    assert_eq!(project.read(PATH), text);
    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert!(!project.path(PATH).exists());
}

#[test]
fn below_the_folder_of_cassettes_a_file_is_where_the_test_looks_for_it() {
    let project = project();
    for (folder, path) in [
        ("tests/cassettes", PATH),
        ("tests/cassettes/", PATH),
        ("out", "out/TestB.test_c[d-e].yaml"),
    ] {
        let options = ["--as", "vcrpy", "--redact", "all", "--to", folder];
        let run = project.run(&[&["import", "incident.json"], &options[..], &TEST].concat());
        assert_eq!((run.code, run.stdout.trim()), (Some(0), path), "{}", run.stderr);
    }
}

#[test]
fn each_target_is_written_and_most_are_read_again() {
    let project = project();
    for (target, ending, calls) in [
        ("vcrpy", "yaml", 2),
        ("parsed-body", "yaml", 2),
        ("cassetter", "yaml", 2),
        ("ruby-vcr", "yml", 2),
        ("go-vcr", "yaml", 2),
        ("httpmock", "yaml", 2),
        // Of its entries only an error has a side of HTTP to list.
        ("aimock", "json", 1),
        ("recording", "json", 0),
        ("tape", "json", 0),
        ("seeds", "seeds.json", 0),
    ] {
        let folder = format!("out/{target}");
        let run = project.run(&[
            "import",
            "incident.json",
            "--as",
            target,
            "--to",
            &folder,
            "--keep",
            "all",
        ]);
        assert_eq!(run.code, Some(0), "{target}: {}", run.stderr);
        let path = format!("{folder}/incident.{ending}");
        assert_eq!(run.stdout.trim(), path);
        let list = project.run(&["list", &path, "--json"]).json();
        let listed = list["items"][0]["calls"].as_array().map_or(0, Vec::len);
        assert_eq!(listed, calls, "{target}: {list}");
    }
}

#[test]
fn the_target_and_the_name_follow_the_project() {
    let project = project();
    project.write("tests/vcr/test_x.yml", incident());
    let import = |more: &[&str]| {
        let test = ["--test", "tests/test_a.py::test_b", "--keep", "all"];
        project.run(&[&["import", "incident.json", "--as", "auto"], &test[..], more].concat())
    };
    let run = import(&["--call", "2", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let document = run.json();
    assert_eq!(document["target"], "vcrpy");
    assert_eq!(document["files"][0]["path"], "tests/vcr/test_b.yml");
    assert!(!project.read("tests/vcr/test_b.yml").contains("ada"));
    project.write("recordings/a.json", recording("a", ""));
    let run = import(&[]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("one of vcrpy, recording"), "{}", run.stderr);
}

#[test]
fn what_is_missing_is_named_at_once() {
    let project = Project::new(&[("a.json", &recording("a", ""))]);
    let run = project.run(&["import", "a.json", "--as", "vcrpy", "--to", "a.yaml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("the API (--api), the model (--model)"), "{}", run.stderr);
    let run = project.run(&["import", "a.json", "--as", "vcrpy", "--to", "a.yaml", "--call", "2"]);
    assert!(run.stderr.contains("--call 2; there is 1 call"), "{}", run.stderr);
}

const TRANSCRIPT: &str = r#"{"type":"user","sessionId":"s","uuid":"1","parentUuid":null,"isSidechain":false,"timestamp":"2026-03-09T11:02:17.000Z","message":{"role":"user","content":"Where is it?"}}
{"type":"assistant","sessionId":"s","uuid":"2","parentUuid":"1","isSidechain":false,"timestamp":"2026-03-09T11:02:18.000Z","message":{"id":"msg_1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"On its way."}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}}
"#;

#[test]
fn a_transcript_becomes_a_cassette_of_the_api_of_its_model() {
    let project = Project::new(&[("retake.toml", ""), ("run.jsonl", TRANSCRIPT)]);
    let arguments =
        ["import", "run.jsonl", "--as", "vcrpy", "--to", "out.v1/", "--max-tokens", "9"];
    let run = project.run(&arguments);
    assert_eq!((run.code, run.stdout.trim()), (Some(0), "out.v1/run.yaml"), "{}", run.stderr);
    assert!(run.stderr.contains("Anthropic messages is assumed"), "{}", run.stderr);
    let text = project.read("out.v1/run.yaml");
    assert!(text.contains("https://api.anthropic.com/v1/messages"), "{text}");
    let pasted = arguments.map(|word| if word == "run.jsonl" { "-" } else { word });
    let stdin = std::fs::File::open(project.path("run.jsonl")).unwrap();
    let run = Run::of(&project.command(&pasted).stdin(stdin).output().unwrap());
    assert_eq!((run.code, run.stdout.trim()), (Some(0), "out.v1/incident.yaml"), "{}", run.stderr);
    assert_eq!(project.read("out.v1/incident.yaml"), text);
}

#[test]
fn transcripts_in_folders_are_compared_and_a_broken_line_is_reported() {
    let project = Project::new(&[
        ("a/run.jsonl", TRANSCRIPT),
        ("b/run.jsonl", &TRANSCRIPT.replace("On its way", "Lost")),
        ("c/run.jsonl", &format!("{TRANSCRIPT}{{\"type\"")),
    ]);
    let run = project.run(&["diff", "a", "b"]);
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stdout.contains("Lost"), "{}", run.stdout);
    assert_eq!(project.run(&["check", "a"]).code, Some(0));
    let run = project.run(&["check", "c"]);
    assert!(run.stdout.contains("c/run.jsonl:3:8"), "{}{}", run.stdout, run.stderr);
}

#[test]
fn calls_of_several_files_in_one_fixture_are_noted() {
    let project = Project::new(&[("runs/a.jsonl", TRANSCRIPT), ("runs/b.jsonl", TRANSCRIPT)]);
    let import = |source| {
        let target = ["--as", "vcrpy", "--to", "out.yaml", "--max-tokens", "9", "--dry-run"];
        project.run(&[&["import", source], &target[..]].concat()).stderr
    };
    let note = "The calls of several files are in one fixture";
    assert!(import("runs").contains(note), "{}", import("runs"));
    assert!(!import("runs/a.jsonl").contains(note));
}

#[test]
fn a_value_is_chosen_by_its_place_its_kind_or_a_list_of_names() {
    let project = project();
    project.write("names.txt", "Today");
    let import = |more: &[&str]| {
        project.run(
            &[&["import", "incident.json", "--as", "vcrpy", "--to", "a.yaml"][..], more].concat(),
        )
    };
    let (place, file_place) =
        ("/interactions/0/request/body", "a.yaml:/interactions/0/request/body");
    for (arguments, code) in [
        (&["--redact", place][..], 0),
        (&["--redact", file_place, "--force"], 0),
        (&["--redact", "b.yaml:/interactions/0/request/body"], 1),
        (&["--redact", "/interactions"], 1),
        (&["--redact", "phone"], 1),
        (&["--redact", "email", "--force"], 0),
        (&["--redact", "email", "--names", "names.txt", "--force"], 1),
        (&["--redact", "email", "--redact", "name", "--names", "names.txt", "--force"], 0),
    ] {
        let run = import(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?} {}", run.stderr);
    }
    let text = project.read("a.yaml");
    assert!(!text.contains("private.dev") && !text.contains("today"), "{text}");
}

#[test]
fn what_has_no_effect_or_cannot_be_written_is_refused() {
    let status = incident().replace("429", "100000000000000000000000");
    let project = Project::new(&[
        ("run.jsonl", TRANSCRIPT),
        ("status.json", &status),
        ("broken.json", "{\"a\": 1,\n \"b\": }"),
    ]);
    for (arguments, reason) in [
        (&["run.jsonl", "--name", "x"][..], "--name is only for sessions"),
        (&["run.jsonl", "--contract", "x"], "--contract is only for sessions"),
        (&["run.jsonl", "--add-to-config"], "--add-to-config is only for sessions"),
        (&["run.jsonl", "--max-tokens", "0"], "0 is not in 1.."),
        (&["status.json"], "The stored status of call 2 is none of HTTP"),
        (&["broken.json"], "it is JSON that cannot be parsed (line 2, column 2: "),
    ] {
        let target = ["--as", "vcrpy", "--to", "out.yaml", "--keep", "all"];
        let run = project.run(&[&["import"], arguments, &target[..]].concat());
        assert_eq!(run.code, Some(2), "{arguments:?} {}", run.stderr);
        assert!(run.stderr.contains(reason), "{arguments:?} {}", run.stderr);
    }
    let played = ["match", "--recordings", "run.jsonl", "--requests", "run.jsonl"];
    for (arguments, reason) in [
        (&played[..], ", which no client plays; `retake import --as` makes"),
        (&["source", "run.jsonl"], "Expected a recording, found a transcript of Claude Code"),
        (&["import", "broken.json", "--to", "out"], "(line 2, column 2: "),
    ] {
        let run = project.run(arguments);
        assert!(run.stderr.contains(reason), "{arguments:?} {}", run.stderr);
    }
}

/// A span of a call, and a record of a log with its messages.
fn telemetry() -> [String; 2] {
    let attribute =
        |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let attributes = ["gen_ai.operation.name", "gen_ai.request.model"]
        .map(|key| attribute(key, if key.ends_with("model") { "gpt-5" } else { "chat" }));
    let span = json!({ "traceId": "t", "spanId": "s", "name": "chat", "startTimeUnixNano": "1764000000000000000", "endTimeUnixNano": "1764000001000000000", "attributes": attributes });
    let record = |name: &str, body: serde_json::Value| json!({ "traceId": "t", "spanId": "s", "eventName": name, "attributes": [], "body": body });
    let texts =
        |key: &str, text: &str| json!({ "kvlistValue": { "values": [attribute(key, text)] } });
    let message = json!({ "kvlistValue": { "values": [{ "key": "message", "value": texts("content", "On its way.") }, attribute("finish_reason", "stop")] } });
    let records = [
        record("gen_ai.user.message", texts("content", "Where is it?")),
        record("gen_ai.choice", message),
    ];
    [
        json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] }).to_string(),
        json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": records }] }] }).to_string(),
    ]
}

#[test]
fn spans_and_logs_of_one_trace_in_two_files_are_one_run() {
    let [spans, logs] = telemetry();
    let project = Project::new(&[("a/logs.json", &logs), ("a/spans.json", &spans)]);
    let run = project.run(&["import", "a", "--as", "vcrpy", "--to", "out.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = project.read("out.yaml");
    for part in ["Where is it?", "On its way.", "gpt-5"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(text.matches("- request").count(), 1, "{text}");
    let run = project.run(&["import", "a", "--to", "replays", "--json"]);
    assert_eq!(run.json()["drafts"].as_array().map(Vec::len), Some(1), "{}", run.stdout);
}
