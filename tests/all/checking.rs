//! `retake check` for a server: from which level it fails, baselines, and formats for other programs.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::project::{Project, Run, recording};

/// A signature that no released player matches, which is a warning.
const UNMATCHABLE: &str = r#",
  "signature": { "toolNames": ["transition_to_b"], "messageCount": 1, "contextKeys": ["testName"] }"#;

/// Members that are there several times, each of which is a warning of the same rule at the same pointer.
fn repeated(times: usize) -> String {
    recording("req-2", &",\n  \"note\": 1".repeat(times + 1))
}

fn project() -> Project {
    Project::new(&[("retake.toml", ""), ("rec/keys.json", &recording("req-1", UNMATCHABLE))])
}

/// Rule, path and pointer of each reported problem.
fn problems(run: &Run) -> Vec<String> {
    let document = run.json();
    let problems = document["problems"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let line = |it: &Value| {
        let parts = ["rule", "path", "pointer"].map(|key| text(&it[key]));
        parts.join(" ").trim_end().to_owned()
    };
    problems.map(line).collect()
}

#[test]
fn files_that_cannot_be_read_are_reported_also_where_nothing_else_is() {
    const CUT: &str = "{\"request\": {\"messages\": [";
    const CHART: &str = "{{- if .enabled }}\nkind: [\n";
    type Files<'a> = &'a [(&'a str, &'a str)];
    let cases: [(Files<'_>, &[&str]); 5] = [
        (&[("a.json", CUT), ("b/c.yaml", CUT)], &["a.json", "b/c.yaml"]),
        (&[("a.json", "")], &["a.json"]),
        (&[("a.json", CUT), ("package.json", "{}")], &[]),
        (&[("cassettes/a.yaml", CUT), ("package.json", "{}")], &["cassettes/a.yaml"]),
        (
            &[("spec/vcr_cassettes/x/a.yml", CUT), ("chart/a.yaml", CHART), ("b.json", "{}")],
            &["spec/vcr_cassettes/x/a.yml"],
        ),
    ];
    for (files, reported) in cases {
        let project = Project::new(files);
        let run = project.run(&["check", ".", "--json"]);
        let problems = problems(&run);
        let path = |line: &String| {
            let path = line.split(' ').nth(1).unwrap_or_default();
            path.trim_start_matches("./").to_owned()
        };
        let problems: Vec<String> = problems.iter().map(path).collect();
        assert_eq!(problems, reported);
        assert_eq!(run.code, Some(i32::from(!reported.is_empty())));
    }
}

#[test]
fn the_level_from_which_a_check_fails_can_be_set() {
    let project = project();
    let code = |arguments: &[&str]| project.run(&[&["check", "rec"], arguments].concat()).code;
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--fail-on", "error"]), Some(0));
    assert_eq!(code(&["--fail-on", "warning"]), Some(1));
    assert_eq!(code(&["--fail-on", "note"]), Some(1));
    let off = ["--rule", "signature-unmatchable=off"];
    assert_eq!(code(&[&["--fail-on", "warning"], &off[..]].concat()), Some(0));

    project.write("retake.toml", "fail_on = \"warning\"\n");
    assert_eq!(code(&[]), Some(1));
    assert_eq!(code(&["--fail-on", "error"]), Some(0));
    let xml = project.run(&["check", "rec", "--format", "junit"]).stdout;
    assert!(xml.contains("<failure type=\"signature-unmatchable\""), "{xml}");

    project.write("retake.toml", "fail_on = \"off\"\n");
    let run = project.run(&["check", "rec"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("`off` is not a level that can fail"), "{}", run.stdout);
}

#[test]
fn a_baseline_hides_what_is_known_until_something_is_new() {
    let project = project();
    project.write("rec/twice.json", repeated(2));
    let strict = ["check", "rec", "--fail-on", "note"];
    let with_baseline = [&strict[..], &["--baseline", "retake-baseline.json"]].concat();
    assert_eq!(project.run(&strict).code, Some(1));

    let run = project.run(&[
        "check",
        "rec",
        "--fail-on",
        "note",
        "--write-baseline",
        "retake-baseline.json",
    ]);
    insta::assert_snapshot!(run.printed(), @r"
    0
    No new problems in 2 items (2 files); 7 known findings in the baseline
    ---
    Wrote retake-baseline.json with 7 findings
    ");
    insta::assert_snapshot!(project.read("retake-baseline.json"), @r#"
    {
    "schema_version": 1,
    "findings": [
    {"path":"rec/keys.json","rule":"signature-outdated","pointer":"/signature/contextKeys","count":1,"message":"`contextKeys` has more names than the context has: `testName`"},
    {"path":"rec/keys.json","rule":"signature-unmatchable","pointer":"/signature/contextKeys","count":1,"message":"`contextKeys` has `testName`, but released players compute none"},
    {"path":"rec/keys.json","rule":"source-unstamped","pointer":"","count":1,"message":"The recording does not name its source"},
    {"path":"rec/twice.json","rule":"duplicate-key","pointer":"/note","count":2,"message":"The key `\"note\"` is repeated at line 11, column 3; only the last one counts"},
    {"path":"rec/twice.json","rule":"signature-missing","pointer":"","count":1,"message":"The recording has no signature; players compute it from the request"},
    {"path":"rec/twice.json","rule":"source-unstamped","pointer":"","count":1,"message":"The recording does not name its source"}
    ]
    }
    "#);
    let run = project.run(&with_baseline);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));

    // Other lines, other messages and other levels make nothing new.
    let moved = format!("\n\n\n{}", project.read("rec/keys.json"));
    project.write("rec/keys.json", moved);
    let run = project.run(&[&with_baseline[..], &["--rule", "duplicate-key=error"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.printed());

    // A third one of two equal findings is new.
    project.write("rec/twice.json", repeated(3));
    let run = project.run(&[&with_baseline[..], &["--json"]].concat());
    assert_eq!(run.code, Some(1));
    assert_eq!(problems(&run), ["duplicate-key rec/twice.json /note"]);
    assert_eq!(run.json()["baseline"]["gone"], 0);

    // What does not occur any more is listed, and fails nothing.
    project.write("rec/twice.json", recording("req-2", ""));
    let run = project.run(&with_baseline);
    assert_eq!(run.code, Some(0));
    insta::assert_snapshot!(run.stderr, @r"
    retake: 2 findings in retake-baseline.json no longer occur; write it again with --write-baseline:
      rec/twice.json: duplicate-key /note (2 times)
    ");
    let run = project.run(&[&with_baseline[..], &["--json"]].concat());
    assert_eq!(run.json()["baseline"]["gone"], 2);

    // Of files that are not checked nothing is known.
    let run = project.run(&["check", "rec/keys.json", "--baseline", "retake-baseline.json"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
}

#[test]
fn every_format_lists_only_what_is_new() {
    let project = project();
    project.run(&["check", "rec", "--write-baseline", "known.json"]);
    project.write("rec/flat.json", "{");
    for format in ["text", "json", "sarif", "junit", "github", "gitlab", "markdown"] {
        let run = project.run(&["check", "rec", "--baseline", "known.json", "--format", format]);
        assert_eq!(run.code, Some(1), "{format}");
        // SARIF lists all rules.
        let text = match format {
            "sarif" => run.json()["runs"][0]["results"].to_string(),
            _ => run.stdout,
        };
        assert!(
            text.contains("syntax") && !text.contains("signature-unmatchable"),
            "{format}: {text}"
        );
    }
}

#[test]
fn a_renamed_file_is_reported_as_such() {
    let project = project();
    project.run(&["check", "rec", "--write-baseline", "known.json"]);
    std::fs::create_dir(project.path("rec/new")).unwrap();
    std::fs::rename(project.path("rec/keys.json"), project.path("rec/new/keys.json")).unwrap();
    let run = project.run(&["check", "rec", "--baseline", "known.json", "--fail-on", "note"]);
    assert_eq!(run.code, Some(1));
    insta::assert_snapshot!(run.stderr, @r"
    retake: rec/keys.json seems to be renamed to rec/new/keys.json, so its findings count as new; write known.json again to accept them
    retake: 3 findings in known.json no longer occur; write it again with --write-baseline:
      rec/keys.json: signature-outdated /signature/contextKeys
      rec/keys.json: signature-unmatchable /signature/contextKeys
      rec/keys.json: source-unstamped
    ");
}

#[test]
fn a_baseline_is_written_for_what_is_checked_and_can_be_undone() {
    let project = project();
    project.write("other/keys.json", recording("req-3", UNMATCHABLE));
    project.run(&["check", ".", "--write-baseline", "known.json"]);
    let all = project.read("known.json");
    assert_eq!(all.matches("signature-unmatchable").count(), 2);

    // The entries of the other folder stay.
    project.write("rec/keys.json", recording("req-1", ""));
    let run = project.run(&["check", "rec", "--write-baseline", "known.json"]);
    assert_eq!(run.code, Some(0), "{}", run.printed());
    let part = project.read("known.json");
    assert_eq!(part.matches("signature-unmatchable").count(), 1, "{part}");
    assert!(part.contains("other/keys.json"));

    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert_eq!(project.read("known.json"), all);
    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert!(!project.path("known.json").exists());
}

#[test]
fn a_baseline_that_cannot_be_used_is_refused_with_what_to_do() {
    let project = project();
    project.write("other.json", "{ \"any\": 1 }");
    project.write("newer.json", "{ \"schema_version\": 9, \"findings\": [] }");
    let mut reported = String::new();
    let arguments = [
        ["--baseline", "missing.json"],
        ["--baseline", "no/folder.json"],
        ["--baseline", "rec"],
        ["--baseline", "other.json"],
        ["--baseline", "newer.json"],
        ["--write-baseline", "other.json"],
        ["--write-baseline", "no/folder.json"],
    ];
    for arguments in arguments {
        let run = project.run(&[&["check", "rec"], &arguments[..]].concat());
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{arguments:?}");
        reported += &run.stderr;
    }
    insta::assert_snapshot!(reported, @r"
    retake: There is no baseline at missing.json; write one with `retake check --write-baseline missing.json`
    retake: There is no baseline at no/folder.json; write one with `retake check --write-baseline no/folder.json`
    retake: The baseline cannot be read: The file could not be moved, so it was not changed (it is a link or a folder). Save again, or save to another folder: rec
    retake: other.json is not a baseline of `retake check`: missing field `schema_version` at line 1 column 12; give the name of a file that --write-baseline wrote
    retake: newer.json was written by another version of Retake (schema_version 9, expected 1); write it again with --write-baseline
    retake: other.json is not a baseline of `retake check`: missing field `schema_version` at line 1 column 12; give the name of a file that --write-baseline wrote
    retake: The folder of the baseline does not exist; create it first: no/folder.json
    ");
    assert_eq!(project.read("other.json"), "{ \"any\": 1 }");
}

#[test]
fn every_rule_is_listed_and_explained() {
    let project = Project::new(&[]);
    let run = project.run(&["rules"]);
    let first: Vec<&str> = run.stdout.lines().skip(8).take(3).collect();
    insta::assert_snapshot!(first.join("\n"), @r"
    response-not-wrapped     error    fix  The answer is not wrapped
    response-empty           warning       The answer is empty
    tool-not-offered         warning       The answer calls a tool that was not offered
    ");
    let document = project.run(&["rules", "--json"]).json();
    let rules = document["rules"].as_array().unwrap();
    assert_eq!(rules.len(), run.stdout.lines().count());
    for rule in rules {
        let id = rule["id"].as_str().unwrap();
        let explained = project.run(&["explain", id]);
        assert_eq!(explained.code, Some(0));
        assert!(
            explained.stdout.contains("\nFix: ")
                && explained.stdout.contains(&format!("--rule {id}=note"))
        );
    }
    let run = project.run(&["explain", "response-not-wrapped"]);
    insta::assert_snapshot!(run.printed(), @r#"
    0
    response-not-wrapped: The answer is not wrapped

    The answer is directly in `response`, but players read it from `response.response`.

    The recording loads without an error, is matched and counted as used, and then returns `undefined`. The test fails later in another place, or passes for the wrong reason.

    Fix: Move the answer one level deeper, into `response.response`.
    `retake check --fix=response-not-wrapped` does it: Puts the answer one level deeper, where players look for it.

    Returns undefined:
        "response": {
          "content": [ … ]
        }

    Returns the answer:
        "response": { "response": {
          "content": [ … ]
        } }

    Level: error. Another level, or "off": in retake.toml below [rules], response-not-wrapped = "note"; or with --rule response-not-wrapped=note.
    ---
    "#);
    let run = project.run(&["explain", "source-stail"]);
    insta::assert_snapshot!(run.printed(), @r#"
    2
    ---
    retake: There is no rule "source-stail"; did you mean "source-stale"? `retake rules` lists all rules
    "#);
    let run = project.run(&["explain", "whatever"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn a_new_settings_file_names_what_is_there_and_replaces_nothing() {
    let files = ["tests/a/one/1.json", "tests/a/two/1.json", "replays/1.json"];
    let recording = recording("req-1", "");
    let project = Project::new(&files.map(|path| (path, &*recording)));
    let printed = project.run(&["init", "--dry-run"]);
    let paths: String = printed.stdout.lines().skip(3).take(4).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(paths, @r#"
    paths = [
      "replays",
      "tests/a",
    ]
    "#);
    assert!(!project.path("retake.toml").exists());

    let run = project.run(&["init"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), "Wrote retake.toml\n"));
    assert_eq!(project.read("retake.toml"), printed.stdout);
    assert_eq!(project.run(&["check", "--json"]).json()["summary"]["items"], 3);
    for text in [&*printed.stdout, "mode = \"strict\"\n"] {
        project.write("retake.toml", text);
        assert_eq!(project.run(&["init"]).code, Some(2));
        assert_eq!(project.read("retake.toml"), text);
    }
    assert_eq!(project.run(&["init", "replays/1.json"]).code, Some(2));
    assert_eq!(project.run(&["init", "replays"]).code, Some(0));
    assert!(project.read("replays/retake.toml").contains("\n#paths = "));
    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert!(!project.path("replays/retake.toml").exists());
}

/// A check that runs until it is ended, and its output.
struct WatchedRun {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl WatchedRun {
    fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut child = project
            .command(&[&["check", "--watch"], arguments].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output }
    }

    /// Returns the next lines, up to a summary.
    fn next_check(&mut self) -> String {
        let mut lines = String::new();
        loop {
            let start = lines.len();
            let read = self.output.read_line(&mut lines).unwrap();
            assert_ne!(read, 0, "the check has ended: {lines}");
            if lines[start..].contains(" items (") || lines[start..].contains(" item (") {
                return lines;
            }
        }
    }

    /// Ends it as Ctrl+C does, and returns its exit code.
    fn end(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }
}

/// Replaces a file in one step, so that no check reads half of it.
fn replace(project: &Project, path: &str, text: impl AsRef<[u8]>) {
    project.write("written", text);
    std::fs::rename(project.path("written"), project.path(path)).unwrap();
}

impl Drop for WatchedRun {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[cfg(unix)]
fn a_watched_check_prints_what_is_new_and_what_is_gone() {
    let project = project();
    let off = ["--rule", "source-unstamped=off", "--rule", "signature-outdated=off"];
    let mut run = WatchedRun::start(&project, &[&["rec"], &off[..]].concat());
    assert!(run.next_check().contains("signature-unmatchable"));

    replace(&project, "rec/half.json", "{");
    insta::assert_snapshot!(run.next_check(), @r"
    new: rec/half.json:1:2: error[syntax] The file ends inside the object that starts at line 1; `}` is expected
    1 error, 1 warning, 0 notes in 2 items (2 files)
    ");
    // Lines that move are not new, so the next thing that is printed is the repaired file.
    replace(&project, "rec/keys.json", format!("\n\n{}", project.read("rec/keys.json")));
    std::fs::remove_file(project.path("rec/half.json")).unwrap();
    let text = run.next_check();
    assert!(text.contains("gone: rec/half.json") && !text.contains("new: "), "{text}");
    // The settings apply from the next check on.
    replace(&project, "retake.toml", "[rules]\nsignature-unmatchable = \"error\"\n");
    let text = run.next_check();
    assert!(text.contains("new: rec/keys.json:11:86: error[signature-unmatchable]"), "{text}");
    assert!(text.contains("gone: rec/keys.json"), "{text}");
    assert_eq!(run.end(), Some(1));
}

#[test]
#[cfg(unix)]
fn a_watched_check_judges_cassettes_again_when_their_tests_change() {
    let call = |body: &str| {
        format!(
            "- request: {{method: GET, uri: 'http://a.example/', body: {body}, headers: {{}}}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{body}'}}}}\n"
        )
    };
    let cassette = format!("interactions:\n{}{}version: 1\n", call("a"), call("b"));
    let config = |value: &str| {
        format!("import pytest\n\n@pytest.fixture\ndef vcr_config():\n    return {value}\n")
    };
    let project = Project::new(&[
        ("tests/conftest.py", &*config("{}")),
        ("tests/test_mail.py", "import pytest\n\n@pytest.mark.vcr\ndef test_draft(): ...\n"),
        ("tests/cassettes/test_mail/test_draft.yaml", &*cassette),
    ]);
    let mut run = WatchedRun::start(&project, &["tests"]);
    assert!(run.next_check().contains("call-ambiguous"));
    let mut after = |value: &str| {
        replace(&project, "tests/conftest.py", config(value));
        run.next_check()
    };
    insta::assert_snapshot!(after("{'match_on': ['body']}"), @"
    gone: tests/cassettes/test_mail/test_draft.yaml:2:3: warning[call-ambiguous] vcrpy cannot distinguish calls 1 and 2: it compares method, scheme, host, port, path and query, and their answers differ
    No problems in 1 item (1 file)
    ");
    insta::assert_snapshot!(after("{'allow_playback_repeats': True}"), @"
    new: tests/cassettes/test_mail/test_draft.yaml:4:3: warning[repeat-unreachable] Call 2 is never played: vcrpy always answers with call 1, which is equal in method, scheme, host, port, path and query; repeats are allowed (conftest.py:5)
    0 errors, 1 warning, 0 notes in 1 item (1 file)
    ");
    assert_eq!(run.end(), Some(0));
}

#[test]
fn a_watched_check_prints_only_text() {
    let project = project();
    for format in [&["--json"][..], &["--format", "sarif"]] {
        let run = project.run(&[&["check", "rec", "--watch"], format].concat());
        assert_eq!((run.code, &*run.stdout), (Some(2), ""));
        assert!(run.stderr.contains("--watch prints only text"), "{}", run.stderr);
    }
}

#[test]
fn the_log_of_a_failed_run_beside_the_files_is_named_in_the_text_only() {
    let red = "==== FAILURES ====\n____ test_a ____\ntests/test_a.py:3: in test_a\nE   AssertionError: no\n==== short test summary info ====\nFAILED tests/test_a.py::test_a - AssertionError: no\n==== 1 failed in 0.10s ====\n";
    let long = format!("{}{red}", "tests/test_a.py ....\n".repeat(10_000));
    let recording = recording("req-1", "");
    let project = Project::new(&[
        ("retake.toml", ""),
        ("rec/1.json", &recording),
        ("rec/notes.txt", "The test_a failed in May.\n"),
        ("rec/deep/run.log", red),
        ("green.log", "==== 12 passed in 0.10s ====\n"),
    ]);
    let check = |arguments: &[&str]| project.run(&[&["check", "rec"], arguments].concat());
    let green = check(&[]);
    assert!(!green.stdout.contains("triage"), "{}", green.printed());
    project.write("rec/run 1.log", &long);
    let line = "'rec/run 1.log' is the log of a failed test run: `retake triage 'rec/run 1.log'` shows the causes\n";
    assert_eq!(check(&[]).stdout, green.stdout.clone() + line);
    project.write("ci.txt", red);
    let line = "ci.txt and 'rec/run 1.log' are logs of failed test runs: `retake triage ci.txt 'rec/run 1.log'` shows the causes\n";
    let red_run = check(&[]);
    assert_eq!((red_run.code, red_run.stdout), (green.code, green.stdout + line));
    assert!(!check(&["--json"]).stdout.contains("triage"));
    let of_one_file = project.run(&["check", "rec/1.json"]).stdout;
    assert!(!of_one_file.contains("triage"), "{of_one_file}");
}
