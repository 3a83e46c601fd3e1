//! `retake check --fix`, from outside: what is written, what is left alone, and what is reported then.

use crate::project::{Project, recording, stamped};

/// The SHA-256 of `MACHINE`.
const HASH: &str = "99e0a4859436d5dff4c227efe132b381c1a5f7e369f44305892432a9ba616080";
const MACHINE: &str = "machine \"Triage\"\ntask a;\n";

/// A recording whose answer is directly in `response`, with CRLF line ends and its own spacing.
fn flat(id: &str) -> String {
    let text = recording(id, "");
    let (before, rest) = text.split_once("\"response\": {").unwrap();
    let (_, answer) = rest.split_once("\"response\": ").unwrap();
    let (answer, end) = answer.split_once(" },\n  \"recordedAt\"").unwrap();
    format!("{before}\"response\":  {answer},\n  \"recordedAt\"{end}").replace('\n', "\r\n")
}

/// A signature as text of a recording.
fn signature(messages: u32, keys: &str) -> String {
    format!(
        r#",
  "signature": {{ "toolNames": ["transition_to_b"], "messageCount": {messages}, "contextKeys": {keys} }}"#
    )
}

fn project() -> Project {
    Project::new(&[
        ("retake.toml", ""),
        ("rec/flat.json", &flat("req-1")),
        ("rec/outdated.json", &recording("req-2", &signature(4, "[]"))),
        ("rec/keys.json", &recording("req-3", &signature(1, "[\"testName\"]"))),
        ("rec/first.json", &recording("req-4", "")),
        ("rec/other.json", "{\"meta\": {}}"),
    ])
}

#[test]
fn safe_fixes_are_written_and_the_rest_is_reported() {
    let project = project();
    assert_eq!(project.run(&["check", "rec"]).code, Some(1));
    let before = project.snapshot();
    let run = project.run(&["check", "rec", "--fix", "--rule", "signature-shared=off"]);
    insta::assert_snapshot!(run.printed(), @"
    0
    rec/flat.json: fixed[response-not-wrapped] Wrapped the answer
    rec/outdated.json: fixed[signature-outdated] Recomputed the signature

    rec/first.json:1:1: note[signature-missing] The recording has no signature; players compute it from the request
        help: No change is necessary; new recordings have a signature.
    rec/first.json:1:1: note[source-unstamped] The recording does not name its source
        help: Record it again with a recorder that writes `sourceMetadata`, or add it with `retake stamp`.
    rec/flat.json:1:1: note[signature-missing] The recording has no signature; players compute it from the request
    rec/flat.json:1:1: note[source-unstamped] The recording does not name its source
    rec/keys.json:1:1: note[source-unstamped] The recording does not name its source
    rec/keys.json:9:86: note[signature-outdated] `contextKeys` has more names than the context has: `testName`
        help: Compute the signature from the request again, or record the call again.
    rec/keys.json:9:86: warning[signature-unmatchable] `contextKeys` has `testName`, but released players compute none
        help: Write an empty list as `contextKeys`, unless the tests use a client that computes them.
    rec/other.json:1:1: note[unknown-format] The file is not a fixture that Retake reads: no recording, cassette, session, tape, seeds or any other known format
        help: If it is a recording of your own recorder, describe its format in retake.toml with [[format]]; otherwise move the file to another folder, or exclude it there.
    rec/outdated.json:1:1: note[source-unstamped] The recording does not name its source

    0 errors, 1 warning, 8 notes in 5 items (5 files)
    ---
    ");

    // Only the value is moved: line ends and spaces stay.
    let flat = flat("req-1");
    let (start, rest) = flat.split_once("\"response\":  ").unwrap();
    let (answer, end) = rest.split_once(",\r\n  \"recordedAt\"").unwrap();
    assert_eq!(
        project.read("rec/flat.json"),
        format!("{start}\"response\":  {{ \"response\": {answer} }},\r\n  \"recordedAt\"{end}")
    );
    assert_eq!(project.read("rec/outdated.json"), recording("req-2", &signature(1, "[]")));
    let after = project.snapshot();
    for file in ["rec/keys.json", "rec/first.json", "rec/other.json"] {
        let path = project.path(file);
        assert_eq!(before[&path], after[&path], "{file}");
    }

    let run = project.run(&["check", "rec", "--fix"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.snapshot(), after);
}

#[test]
fn a_dry_run_shows_the_differences_and_writes_nothing() {
    let project = project();
    let before = project.snapshot();
    let run = project.run(&["check", "rec/flat.json", "--fix", "--dry-run"]);
    insta::assert_snapshot!(run.printed(), @r#"
    0
    --- rec/flat.json
    +++ rec/flat.json
    @@ -2,7 +2,7 @@
       "request": { "type": "llm_invocation_request", "requestId": "req-1", "timestamp": "2026-02-02T02:40:00.000Z",
         "context": {}, "messages": [ { "role": "user", "content": "Hello" } ],
         "tools": [ { "name": "transition_to_b", "description": "Go", "input_schema": {} } ], "systemPrompt": "" },
    -  "response":  { "stop_reason": "tool_use", "content": [
    -      { "type": "tool_use", "id": "tool-1", "name": "transition_to_b", "input": {} } ] },
    +  "response":  { "response": { "stop_reason": "tool_use", "content": [
    +      { "type": "tool_use", "id": "tool-1", "name": "transition_to_b", "input": {} } ] } },
       "recordedAt": "2026-02-02T02:40:01.000Z"
     }
    \ No newline at end of file
    rec/flat.json: would fix[response-not-wrapped] Wrap the answer

    rec/flat.json:1:1: note[signature-missing] The recording has no signature; players compute it from the request
        help: No change is necessary; new recordings have a signature.
    rec/flat.json:1:1: note[source-unstamped] The recording does not name its source
        help: Record it again with a recorder that writes `sourceMetadata`, or add it with `retake stamp`.

    0 errors, 0 warnings, 2 notes in 1 item (1 file)
    ---
    "#);
    assert_eq!(project.snapshot(), before);
    assert_eq!(project.run(&["check", "rec", "--dry-run"]).code, Some(2));
}

#[test]
fn a_named_rule_is_fixed_whatever_its_level_and_no_other() {
    let project = project();
    let run = project.run(&["check", "rec", "--fix=signature-missing,signature-unmatchable"]);
    // The answer that is not wrapped remains an error.
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert_eq!(project.read("rec/outdated.json"), recording("req-2", &signature(4, "[]")));
    assert_eq!(project.read("rec/keys.json"), recording("req-3", &signature(1, "[]")));
    assert!(project.read("rec/first.json").contains("\"signature\": {"));
    assert!(!project.read("rec/first.json").contains("\"sourceMetadata\""));

    let before = project.snapshot();
    let run = project.run(&["check", "rec", "--fix=syntax"]);
    insta::assert_snapshot!(run.printed(), @"
    2
    ---
    retake: --fix=syntax: this rule has no fix; rules with a fix are response-not-wrapped, signature-outdated, signature-missing, signature-unmatchable, source-renamed, source-path-mismatch, source-unstamped, source-stale, encoding-mismatch, length-mismatch, machine-bound, repeat-unreachable
    ");
    let run = project.run(&["check", "rec", "--fix=wrapp"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(project.run(&["check", "--staged", "--fix"]).code, Some(2));
    assert_eq!(project.snapshot(), before);
}

#[test]
fn a_rule_that_is_off_is_not_fixed() {
    let project = project();
    let before = project.read("rec/flat.json");
    let off = ["--rule", "response-not-wrapped=off"];
    let run = project.run(&[&["check", "rec", "--fix"], &off[..]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.read("rec/flat.json"), before);
}

#[test]
fn other_formats_stay_what_they_are() {
    let project = project();
    let run = project.run(&["check", "rec", "--fix", "--dry-run", "--json"]);
    let report = run.json();
    insta::assert_snapshot!(report["fixes"].to_string(), @r#"[{"fix":"Wrap the answer","path":"rec/flat.json","rule":"response-not-wrapped","written":false},{"fix":"Recompute the signature","path":"rec/outdated.json","rule":"signature-outdated","written":false}]"#);
    assert_eq!(report["summary"]["errors"], 0);
    let run = project.run(&["check", "rec", "--fix", "--format", "sarif"]);
    assert_eq!(run.json()["version"], "2.1.0");
    insta::assert_snapshot!(run.stderr, @"
    rec/flat.json: fixed[response-not-wrapped] Wrapped the answer
    rec/outdated.json: fixed[signature-outdated] Recomputed the signature
    ");
    assert_eq!(project.run(&["check", "rec", "--json"]).json()["fixes"], serde_json::Value::Null);
}

#[test]
fn a_renamed_source_is_named_by_its_new_path_if_there_is_only_one() {
    let recorded = recording("req-1", &stamped("machines/old.dygram", HASH));
    let project = Project::new(&[
        ("retake.toml", ""),
        ("machines/new.dygram", MACHINE),
        ("rec/turn-1.json", &recorded),
    ]);
    let rule = |project: &Project| {
        let report = project.run(&["check", "rec", "--json"]).json();
        let problems = report["problems"].as_array().unwrap().clone();
        problems.iter().any(|problem| problem["rule"] == "source-renamed")
    };
    assert!(rule(&project));
    project.write("machines/second.dygram", MACHINE);
    let run = project.run(&["check", "rec", "--fix"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(project.read("rec/turn-1.json"), recorded);
    std::fs::remove_file(project.path("machines/second.dygram")).unwrap();
    let run = project.run(&["check", "rec", "--fix"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(
        project.read("rec/turn-1.json"),
        recorded.replace("machines/old.dygram", "machines/new.dygram")
    );
    assert!(!rule(&project));
}

#[test]
fn recordings_are_stamped_only_when_the_rule_is_named() {
    let project = Project::new(&[
        ("retake.toml", ""),
        ("machines/triage.dygram", MACHINE),
        ("rec/triage/turn-1.json", &recording("req-1", "")),
        ("rec/triage/turn-2.json", &recording("req-2", "")),
    ]);
    let before = project.snapshot();
    let arguments = ["check", "rec", "--require-metadata", "--fix"];
    assert_eq!(project.run(&arguments).code, Some(1));
    assert_eq!(project.snapshot(), before);
    let run = project.run(&["check", "rec", "--require-metadata", "--fix=source-unstamped"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for path in ["rec/triage/turn-1.json", "rec/triage/turn-2.json"] {
        assert!(project.read(path).contains("machines/triage.dygram"), "{path}");
    }
}

#[test]
fn a_dry_run_keeps_the_problem_of_a_folder_until_all_its_recordings_can_be_stamped() {
    // Only the first recording leads to a source: by its hash.
    let traced = |id| {
        let hash = format!(r#", "sourceMetadata": {{ "contentHash": "{HASH}" }}"#);
        recording(id, &hash)
    };
    let project = Project::new(&[
        ("retake.toml", ""),
        ("machines/triage.dygram", MACHINE),
        ("rec/old/turn-1.json", &traced("req-1")),
        ("rec/old/turn-2.json", &recording("req-2", "")),
        ("rec/done/turn-1.json", &recording("req-3", &stamped("machines/triage.dygram", HASH))),
    ]);
    let check = ["check", "rec", "--fix=source-unstamped", "--dry-run"];
    let problem = "rec/old/turn-1.json:1:1: warning[source-unstamped]";
    let run = project.run(&check);
    assert!(run.stdout.contains("turn-1.json: would fix[source-unstamped]"), "{}", run.stdout);
    assert!(!run.stdout.contains("turn-2.json: would fix"), "{}", run.stdout);
    assert!(run.stdout.contains(problem), "{}", run.stdout);

    project.write("rec/old/turn-2.json", traced("req-2"));
    let run = project.run(&check);
    assert!(run.stdout.contains("turn-2.json: would fix"), "{}", run.stdout);
    assert!(!run.stdout.contains(problem), "{}", run.stdout);
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_written_is_reported_and_the_others_are_fixed() {
    let project = project();
    project.write("rec/flat-2.json", flat("req-5"));
    project.make_read_only("rec/flat.json");
    let run = project.run(&["check", "rec", "--fix"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("rec/flat.json"), "{}", run.stderr);
    assert_eq!(project.read("rec/flat.json"), flat("req-1"));
    assert_ne!(project.read("rec/flat-2.json"), flat("req-5"));
}

#[test]
fn a_path_that_cannot_be_opened_is_reported_once() {
    let project = project();
    let run = project.run(&["check", "missing", "rec/flat.json", "--fix"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert_ne!(project.read("rec/flat.json"), flat("req-1"));
}
