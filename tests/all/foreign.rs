//! Files of other tools: they are named and counted, raise nothing, and are not taken for texts.

use serde_json::{Value, json};

use crate::project::{Project, archive, recording};
use crate::triage::archive as zip;

const CASSETTE: &str = "interactions:\n- request:\n    method: POST\n    uri: https://api.example/v1\n    body: '{}'\n    headers: {}\n  response:\n    status: {code: 200}\n- request: {method: GET, uri: x, body: null, headers: {}}\n  response: {}\nversion: 1\n";
const HAR: &str = r#"{"log": {"version": "1.2", "creator": {"name": "x"}, "entries": [{}]}}"#;
const RUNS: &str = r#"{"runs": [{"id": "r", "run_type": "chain", "inputs": {"input": "hello"}, "outputs": {}, "error": "boom", "start_time": "2026-01-01T00:00:00Z"}]}"#;

fn project() -> Project {
    let event = "{\"type\":\"user\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"hello\"}}\n";
    let project = Project::new(&[
        ("retake.toml", ""),
        ("cassettes/a.yaml", CASSETTE),
        ("other/a.har", HAR),
        ("other/logs.jsonl", "{\"level\": \"info\"}\n{\"level\": \"warn\"}\n"),
        ("other/otlp.json", r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{}, {}]}]}]}"#),
        ("other/promptfoo.json", r#"{"evalId": "e", "results": {"results": [{}]}}"#),
        ("other/runs.json", RUNS),
        ("agents/session.jsonl", &event.repeat(3)),
    ]);
    let log = zip(&[(
        "_journal/start.json",
        r#"{"version": 2, "eval": {"task": "t", "model": "m"}, "plan": {}}"#,
    )]);
    project.write("other/log.eval", log);
    project
}

#[test]
fn no_entries_are_counted_in_a_file_that_is_cut() {
    let call = "- request: {body: null, headers: {}, method: GET, uri: 'http://a.example/'}\n  response: {body: {string: ''}, headers: {}, status: {code: 200, message: OK}}\n";
    let text = format!("interactions:\n{call}- request: {{method: 'GE");
    let project = Project::new(&[("retake.toml", ""), ("a.yaml", &text)]);
    let run = project.run(&["list", "."]);
    insta::assert_snapshot!(run.stdout, @"Unreadable  VCR cassette  1 error  ./a.yaml");
    let document = project.run(&["list", ".", "--json"]).json();
    assert_eq!(document["items"][0]["entries"], Value::Null);
}

#[test]
fn a_folder_lists_what_they_are() {
    let project = project();
    let run = project.run(&["list", "."]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    insta::assert_snapshot!(run.stdout, @r"
    OK            Claude Code transcript (0)  ./agents/session.jsonl
    OK            VCR cassette (2)            ./cassettes/a.yaml
    Other format  HAR (1)                     ./other/a.har
    OK            Inspect log (0)             ./other/log.eval
    OK            OTLP traces (0)             ./other/otlp.json
    Other format  promptfoo results (1)       ./other/promptfoo.json
    OK            LangSmith runs (0)          ./other/runs.json
    ");
    let items = project.run(&["list", ".", "--json"]).json()["items"].clone();
    let printed: Vec<Value> = items
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            json!([item["kind"], item["format"], item["entries"], item["problems"]["error"]])
        })
        .collect();
    assert_eq!(
        json!(printed),
        json!([
            ["runs", "claude-code", 0, 0],
            ["cassette", "vcr-cassette", 2, 0],
            ["har", "har", 1, 0],
            ["runs", "inspect-log", 0, 0],
            ["runs", "otlp", 0, 0],
            ["foreign", "promptfoo", 1, 0],
            ["runs", "runs", 0, 0],
        ])
    );
    let run = project.run(&["list", ".", "--filter", "kind:foreign status:foreign"]);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
}

#[test]
fn check_says_that_a_folder_holds_nothing_it_reads_and_finds_no_fault_in_it() {
    let project = project();
    let run = project.run(&["check", "other"]);
    assert_eq!((run.code, &*run.stdout), (Some(0), "No problems in 4 items (5 files)\n"));
    assert_eq!(run.stderr, "");
    let run = project.run(&["check", ".", "--json"]);
    assert_eq!((run.code, &run.json()["problems"]), (Some(0), &json!([])));
    assert_eq!(run.stderr, "");
    project.write("empty/notes.txt", "x");
    project.write("package/package.json", "{\"name\": \"x\"}");
    for (folder, files) in
        [("empty", "no JSON or YAML files"), ("package", "1 file of unknown format")]
    {
        for command in ["list", "check"] {
            let run = project.run(&[command, folder]);
            assert_eq!(run.code, Some(0));
            assert!(run.stderr.contains(files), "{command} {folder}: {}", run.stderr);
        }
    }
    // If there are recordings, the other files are not reported.
    project.write("cassettes/turn-1.json", recording("req-1", ""));
    let run = project.run(&["check", "cassettes", "--json"]);
    assert_eq!(run.stderr, "");
    let report = run.json();
    let problems = report["problems"].as_array().unwrap().iter();
    let paths: Vec<&str> = problems.filter_map(|it| it["path"].as_str()).collect();
    assert!(paths.iter().all(|path| *path == "cassettes/turn-1.json"), "{paths:?}");
    assert_eq!(report["summary"]["items"], 2);
    // One that is named says what it is, too.
    let run = project.run(&["check", "other/promptfoo.json"]);
    assert_eq!(run.code, Some(2), "{}", run.printed());
    assert_eq!(
        run.stderr,
        "retake: other/promptfoo.json: A promptfoo file of 1 result. Retake does not read this format yet.\n"
    );
}

#[test]
fn only_a_text_is_imported_or_exported_as_one() {
    let project = project();
    project.write("data.json", "{\"a\": [1]}");
    project.write("picture.png", b"\x89PNG\r\n\x1a\n\0\0");
    project.write("mail.txt", "Subject: refund\n\nWhere is my money?\n");
    for (file, what) in [
        ("other/promptfoo.json", "It is a promptfoo file of 1 result"),
        ("data.json", "It is JSON of an unknown kind"),
        ("picture.png", "It is binary data, not text"),
    ] {
        for command in [
            &["import", file, "--to", "new"] as &[&str],
            &["import", file, "mail.txt", "--to", "new", "--dry-run"],
            &["export", "tape", file, "--to", "new.json"],
        ] {
            let run = project.run(command);
            assert_eq!(run.code, Some(2), "{command:?}: {}", run.printed());
            assert!(run.stderr.contains(what), "{command:?}: {}", run.stderr);
            assert!(run.stderr.contains("--from text"), "{command:?}: {}", run.stderr);
            assert!(!project.path("new.json").exists() && !project.path("new").exists());
        }
    }
    for command in [
        &["import", "data.json", "--to", "a", "--from", "text"] as &[&str],
        &["import", "mail.txt", "--to", "b", "--from", "text"],
        &["export", "tape", "data.json", "--to", "c.json", "--from", "text"],
        &["export", "tape", "mail.txt", "--to", "d.json"],
        &["import", "other/runs.json", "--to", "e"],
        &["import", "agents/session.jsonl", "--to", "f"],
    ] {
        let run = project.run(command);
        assert_eq!(run.code, Some(0), "{command:?}: {}", run.printed());
    }
}

#[test]
fn the_calls_in_an_archive_are_checked() {
    let project = Project::new(&[("retake.toml", "")]);
    project.write("in/a.har", archive(&[("go", "go", 200), ("go", "stop", 200)]));
    insta::assert_snapshot!(project.run(&["check", "in/a.har"]).printed(), @"
    0
    in/a.har:1:474: warning[tool-not-offered] The answer calls `stop`, but the request offers `go`
        help: Correct the tool's name in the answer, or record the call again.

    0 errors, 1 warning, 0 notes in 1 item (1 file)
    ---
    ");
    let folder = project.run(&["check", "in"]).stdout;
    assert!(folder.contains("in/a.har:1:474: warning"), "{folder}");
}

#[test]
fn a_named_file_of_no_known_kind_is_not_called_right() {
    let project = Project::new(&[("retake.toml", "")]);
    project.write("other.json", "{\"any\": 1}");
    project.write("time", "STDIN: {\"id\": 1}\nSTDOUT: {\"id\": 1}\nSTDOUT: {\"id\": 2}\n");
    for file in ["other.json", "time"] {
        let run = project.run(&["check", file]);
        assert_eq!(run.code, Some(2), "{}", run.printed());
        assert!(run.stdout.contains("note[unknown-format]"), "{}", run.printed());
        assert!(!run.stdout.contains("warning["), "{}", run.printed());
    }
    let folder = project.run(&["check", "."]);
    assert!(
        !folder.stdout.contains("other.json") && !folder.stdout.contains("time"),
        "{}",
        folder.printed()
    );
}

#[test]
fn files_of_other_recorders_are_read_and_what_is_not_is_reported() {
    let project = Project::new(&[("retake.toml", "")]);
    let mock = "when:\n  path: /a\nthen:\n  status: 200\n";
    for name in ["a.yaml", "b.yaml", "c.yaml", "d.yaml"] {
        project.write(&format!("mocks/{name}"), format!("{mock}---\n{mock}"));
    }
    project.write("mocks/e.json", r#"{"Entries": [], "Variables": {}}"#);
    project.write("lines/a.jsonl", "{\"a\": 1}\n{\"a\": 2}\n");
    project.write("lines/a.sse", "event: a\ndata: {\"b\": 1}\n\n");
    project.write("lines/a.json", "{\"a\": 1}\n{\"a\": 2}\n");
    for (command, code, expected) in [
        (&["list", "mocks"] as &[&str], 0, "httpmock mocks (2) "),
        (&["check", "mocks"], 0, "No problems in 5 items (5 files)"),
        (&["check", "mocks/e.json"], 0, "No problems in 1 item (1 file)"),
        (&["check", "lines/a.jsonl", "lines/a.sse"], 2, "Nothing was checked (2 files)"),
        (
            &["check", "lines/a.json"],
            1,
            "lines/a.json:1:1: error[syntax] The file is JSON lines of an unknown kind, not one JSON value",
        ),
    ] {
        let run = project.run(command);
        assert_eq!(run.code, Some(code), "{command:?}: {}", run.printed());
        assert!(run.stdout.contains(expected), "{command:?}: {}", run.printed());
    }
    let lines = project.run(&["check", "lines/a.jsonl", "lines/a.sse"]);
    assert_eq!(
        lines.stderr,
        "retake: lines/a.jsonl: JSON lines of an unknown kind. Retake does not read this format yet.\n\
         retake: lines/a.sse: A stream of server-sent events. `retake export tape` makes a tape of it if it is of Anthropic, OpenAI or Gemini.\n"
    );
}

#[test]
fn a_cassette_of_an_unknown_recorder_has_no_client() {
    let project =
        Project::new(&[("retake.toml", ""), ("pyproject.toml", "dependencies = ['vcrpy']\n")]);
    let call = |answer: &str| {
        format!(
            r#"{{"transport": "http", "request": {{"method": "POST", "url": "https://a.example/poll", "headers": {{}}, "body": "{{}}"}}, "response": {{"status": 200, "headers": {{}}, "body": "{answer}"}}}}"#
        )
    };
    let calls = format!("{{\"version\": 1, \"interactions\": [{}, {}]}}", call("1"), call("2"));
    project.write("recordings/poll.json", calls);
    let list = project.run(&["list", "recordings", "--json"]).json();
    assert_eq!(
        (&list["items"][0]["kind"], &list["items"][0]["client"]),
        (&json!("cassette"), &Value::Null)
    );
    let run = project.run(&["list", "recordings"]);
    assert_eq!(run.stdout, "OK  opencode recording (2)  recordings/poll.json\n");
    let run = project.run(&["check", "recordings"]);
    assert_eq!(run.stdout, "No problems in 1 item (1 file)\n");
    let run = project.run(&[
        "match",
        "--recordings",
        "recordings/poll.json",
        "--requests",
        "recordings/poll.json",
    ]);
    assert!(
        run.stderr.contains("it is not known which client plays it; name one with --client: vcrpy"),
        "{}",
        run.printed()
    );
}

#[test]
fn commands_name_the_broken_files_of_a_folder() {
    let project = Project::new(&[("retake.toml", "")]);
    project.write("in/turn-1.json", recording("req-1", ""));
    project.write("in/turn-2.json", "{\"request\": {\"messages\": [");
    project.write("in/a.yaml", "id: a\ninput: b\ntool_responses: []\n");
    project.write(
        "in/seeds.json",
        r#"{"seeds": [{"schema": "a", "model": "m", "jobId": "j", "round": 0, "response": "b"}]}"#,
    );
    for (command, code) in [
        (&["export", "tape", "in", "--to", "tapes"] as &[&str], 2),
        (&["export", "session", "in", "--to", "sessions"], 1),
        (&["export", "seeds", "in", "--to", "seeds.json"], 1),
        (&["stamp", "in", "--to", "v2", "--dry-run"], 1),
        (&["stabilize", "in", "--dry-run"], 2),
        (&["import", "in", "--to", "new", "--dry-run"], 2),
    ] {
        let run = project.run(command);
        let reason = "retake: in/turn-2.json:1:27: The file cannot be read completely: The file ends inside the list";
        assert!(run.stderr.contains(reason), "{command:?}: {}", run.printed());
        assert_eq!(run.code, Some(code), "{command:?}: {}", run.printed());
        std::fs::rename(project.path("in/turn-2.json"), project.path("turn-2")).unwrap();
        let run = project.run(command);
        let is_named = run.stderr.contains("cannot be read completely");
        assert!(!is_named, "{command:?}: {}", run.printed());
        std::fs::rename(project.path("turn-2"), project.path("in/turn-2.json")).unwrap();
    }
    project.write("in/utf16.json", [0xff, 0xfe, b'a', 0, b'@', 0]);
    let run = project.run(&["redact", "in", "--check"]);
    let reason = "retake: in/utf16.json: The file cannot be searched: UTF-16";
    assert!(run.stderr.contains(reason), "{}", run.printed());
    assert_eq!(run.code, Some(2), "{}", run.printed());
}
