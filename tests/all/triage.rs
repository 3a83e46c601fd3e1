//! `retake triage`, from outside: logs and reports in, causes and fixed files out.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::owner_mocks::{cache_folder, pass_over, prepare};
use crate::project::{Project, Run, copy, no_match, recording_offering};
use crate::samples::checkout;

/// Two sets with a renamed tool, one whose answer is not wrapped, and the log of their tests and of one without a set.
fn project() -> Project {
    let mut flat = recording_offering("send-1", &["send"]);
    flat["response"] = flat["response"]["response"].take();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap() + "\n";
    // Spacing of its own, which no fix may change.
    let spaced =
        pretty(&recording_offering("a-1", &["respond", "look_up"])).replace("\": ", "\" :   ");
    let project = Project::new(&[
        ("retake.toml", ""),
        ("rec/a/turn-1.json", &spaced),
        ("rec/b/turn-1.json", &pretty(&recording_offering("b-1", &["respond", "look_up"]))),
        ("rec/send/turn-1.json", &pretty(&flat)),
    ]);
    let mut log = String::from(
        "stdout | test/send.test.ts > send > sends\n[PlaybackTestClient] Loaded 1 recordings from /ci/app/rec/send\n\
         [PlaybackTestClient] Matched recording by signature\n   Tools: send\n   Request ID: send-1\n\n",
    );
    for set in ["a", "b"] {
        let error = no_match(set, "look_up, reply");
        log += &format!(" FAIL  test/{set}.test.ts > {set} > answers\nError: {error}\n");
    }
    log += " FAIL  test/send.test.ts > send > sends\nTypeError: Cannot read properties of undefined (reading 'content')\n\n";
    log += " FAIL  test/other.test.ts > other > works\nError: Tool 'vanish' not found\n";
    project.write("ci.log", log);
    project
}

/// A cassette of one call.
const CASSETTE: &str = r#"interactions:
- request:
    body: '{"model":"m","messages":[{"role":"user","content":"Sum up in three words."}]}'
    headers:
      content-type:
      - application/json
    method: POST
    uri: https://api.example/v1/chat/completions
  response:
    body:
      string: '{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"}}]}'
    headers: {}
    status:
      code: 200
      message: OK
version: 1
"#;

/// What pytest prints for a test whose prompt has changed, and for one that was renamed.
const CASSETTE_LOG: &str = r#"=================================== FAILURES ===================================
_________________________________ test_prompt __________________________________
tests/test_mail.py:6: in test_prompt
E   vcr.errors.CannotOverwriteExistingCassetteException: Can't play back this request: no recorded interaction matches it (the closest differ in body).
E   record_mode 'none' doesn't record new requests.
E   
E     POST https://api.example/v1/chat/completions
E     body: {"model":"m","messages":[{"role":"user","content":"Sum up in two words."}]}
E   
E   Cassette: /ci/mail/tests/cassettes/test_mail/test_prompt.yaml
E     record_mode: none
E     match_on: method, uri, body
E     interactions: 1 recorded, 0 played

The above exception was the direct cause of the following exception:
E   openai.APIConnectionError: Connection error.
________________________________ test_new_name _________________________________
tests/test_mail.py:11: in test_new_name
E   vcr.errors.CannotOverwriteExistingCassetteException: Can't play back this request: the cassette doesn't exist, and record_mode 'none' doesn't record new ones.
E   
E     POST https://api.example/v1/chat/completions
E     body: {"model":"m","messages":[{"role":"user","content":"Sum up in three words."}]}
E   
E   Cassette: /ci/mail/tests/cassettes/test_mail/test_new_name.yaml
E     record_mode: none
E     match_on: method, uri, body
E     interactions: 0 recorded, 0 played
=========================== short test summary info ============================
FAILED tests/test_mail.py::test_prompt - openai.APIConnectionError: Connectio...
FAILED tests/test_mail.py::test_new_name - vcr.errors.CannotOverwriteExisting...
============================== 2 failed in 0.31s ===============================
"#;

#[test]
fn tests_that_play_cassettes_lead_to_cassette_call_and_cause_and_their_fixes_are_written() {
    let tests = "import pytest\n\n@pytest.mark.vcr\ndef test_prompt():\n    pass\n\n@pytest.mark.vcr\ndef test_new_name():\n    pass\n";
    let project = Project::new(&[
        ("retake.toml", ""),
        ("tests/test_mail.py", tests),
        ("tests/cassettes/test_mail/test_prompt.yaml", CASSETTE),
        ("tests/cassettes/test_mail/test_old_name.yaml", CASSETTE),
        ("ci.log", CASSETTE_LOG),
    ]);
    let run = project.run(&["triage", "ci.log", "--recordings", "tests", "--fix"]);
    insta::assert_snapshot!(run.printed(), @"
    0
    2 failures, 2 causes

    1 failure: Prompt changed: `three` → `two`
      The request has the new value, and the nearest recorded call has the old one.
      tests/cassettes/test_mail/test_prompt.yaml: Call 1: messages[0].content: `three` → `two`.
      Fix: Change the recorded request to what is sent, with the same answer; or record again with `pytest tests/test_mail.py::test_prompt --record-mode=rewrite`
      tests/cassettes/test_mail: 1
        ci.log:4: tests/test_mail.py::test_prompt

    1 failure: Test renamed: `test_old_name` → `test_new_name`
      The name of a cassette is that of its test. The test of this one is gone, and the new one has none.
      `tests/cassettes/test_mail/test_old_name.yaml` is of a test that is gone, and has recorded the request.
      Fix: Rename `test_old_name.yaml` to `test_new_name.yaml`; or record again with `pytest tests/test_mail.py::test_new_name --record-mode=rewrite`
      tests/cassettes/test_mail: 1
        ci.log:19: tests/test_mail.py::test_new_name

    After the fixes, the logged requests of 2 of 2 failures find their answers.
    2 files written, 1 file renamed.
    ---
    ");
    let changed = project.read("tests/cassettes/test_mail/test_prompt.yaml");
    assert_eq!(changed, CASSETTE.replace("three", "two"));
    assert_eq!(project.read("tests/cassettes/test_mail/test_new_name.yaml"), CASSETTE);
    let ledger = project.read(".retake/review.json");
    assert!(ledger.contains("Not recorded again: the answer of call 1."), "{ledger}");
    let run = project.run(&["triage", "ci.log", "--recordings", "tests", "--json"]);
    let document = run.json();
    let failure = &document["causes"][0]["failures"][0];
    assert_eq!(document["causes"][0]["cause"], "answered-now");
    assert_eq!(failure["link"], "tests/cassettes/test_mail/test_prompt.yaml#call=1");
    assert_eq!(failure["cassette"]["client"], "vcrpy 9");
}

#[test]
fn a_call_is_added_once_however_often_a_log_is_triaged() {
    let error = CASSETTE_LOG.split("________________________________ test_new").next().unwrap();
    let log = error.replace("two words", "three words").replace(
        "no recorded interaction matches it (the closest differ in body).",
        "it matches 1 recorded interaction, but that has already been played back.",
    );
    let path = "tests/cassettes/test_mail/test_prompt.yaml";
    let project = Project::new(&[("retake.toml", ""), (path, CASSETTE), ("ci.log", &log)]);
    let fix = ["triage", "ci.log", "--recordings", "tests", "--fix"];
    let run = project.run(&fix);
    assert!(run.stdout.contains("Add call 1 once more, with the same answer"), "{}", run.printed());
    let changed = project.read(path);
    assert_eq!(changed.matches("three words").count(), 2);
    insta::assert_snapshot!(project.run(&fix).printed(), @"
    0
    1 failure, 1 cause

    1 failure: Fixed since the log was written
      Each request in the log finds an answer in the present files.
      tests/cassettes/test_mail/test_prompt.yaml: It has 2 calls for this request now, and had 1 when the test ran.
      tests/cassettes/test_mail: 1
        ci.log:4: tests/test_mail.py::test_prompt

    After the fixes, the logged requests of 1 of 1 failure find their answers.
    ---
    ");
    assert_eq!(project.read(path), changed);
}

/// Runs the tests of a copy of the sample with pytest, pytest-recording and vcrpy; `None` where they cannot be installed.
fn run_sample(project: &Project) -> Option<Run> {
    let folder = cache_folder("triage-sample");
    let install = "test -e installed || (timeout 60 python3 -m venv venv && timeout 300 venv/bin/python -m pip install -q --timeout 10 \
                   --retries 1 pytest==8.4.2 pytest-recording==0.14.1 vcrpy==9.4.2 httpx==0.28.1 && touch installed)";
    if !prepare(&folder, install) {
        pass_over("vcrpy with pytest-recording");
        return None;
    }
    let mut command = Command::new(folder.join("venv/bin/python"));
    command.args(["-m", "pytest", "-vv", "-rs", "-p", "no:cacheprovider"]);
    Some(Run::of(&command.current_dir(project.path("sample")).output().unwrap()))
}

#[test]
fn the_sample_is_green_after_one_fix_of_its_log() {
    for is_own_log in [true, false] {
        let project = Project::new(&[("retake.toml", "")]);
        copy(&checkout().join("sample-cassettes"), &project.path("sample"));
        let Some(red) = run_sample(&project) else { return };
        assert!(red.stdout.contains("1 failed, 2 passed, 1 skipped"), "{}", red.printed());
        if !is_own_log {
            project.write("sample/run.log", &red.stdout);
        }
        let fix = ["triage", "sample/run.log", "--recordings", "sample/cassettes", "--fix"];
        let run = project.run(&fix);
        assert_eq!(run.code, Some(0), "{}", run.printed());
        let change = "Change the recorded request to what is sent, with the same answer (also call 2, where the same is recorded)";
        assert!(run.stdout.contains(change), "{}", run.printed());
        let ledger = project.read(".retake/review.json");
        assert!(ledger.contains("the answer of calls 1 and 2"), "{ledger}");
        let green = run_sample(&project).unwrap();
        assert!(green.stdout.contains("3 passed, 1 skipped"), "{}", green.printed());
        // The same log leads to no further change, although it does not print the body as a whole.
        let run = project.run(&fix);
        assert!(run.stdout.contains("Fixed since the log was written"), "{}", run.printed());
    }
}

#[test]
fn a_later_call_that_differs_is_not_claimed() {
    let call = CASSETTE.lines().skip(1).take_while(|line| *line != "version: 1");
    let other = call.map(|line| line.replace("three words", "a page") + "\n").collect::<String>();
    let cassette = CASSETTE.replace("version: 1", &format!("{other}version: 1"));
    let log = CASSETTE_LOG.split("________________________________ test_new").next().unwrap();
    let project = Project::new(&[
        ("retake.toml", ""),
        ("tests/cassettes/test_mail/test_prompt.yaml", &cassette),
        ("ci.log", log),
    ]);
    let run = project.run(&["triage", "ci.log", "--recordings", "tests", "--fix"]);
    let change = "with the same answer (what is sent for call 2 is not known yet)";
    assert!(run.stdout.contains(change), "{}", run.printed());
    let result = "After the fixes, the logged requests of 1 of 1 failure find their answers.";
    assert!(run.stdout.contains(result), "{}", run.printed());
    let changed = project.read("tests/cassettes/test_mail/test_prompt.yaml");
    assert_eq!(changed, cassette.replacen("three", "two", 1));
}

#[test]
fn a_file_of_another_kind_is_named_with_the_commands_that_read_it() {
    let project = Project::new(&[("retake.toml", "")]);
    copy(&checkout().join("sample-recordings/reports"), &project.path("reports"));
    copy(&checkout().join("sample-cassettes"), &project.path("sample"));
    let rows = [
        (
            vec!["triage", "reports/flakestorm-2026-05-28.json"],
            "; it is a Flakestorm report, which `retake import` and `retake contract` read",
        ),
        (
            vec!["triage", "sample/cassettes/test_shipping/test_late_parcel.yaml"],
            "; it is a VCR cassette of 2 calls, which `retake import` reads",
        ),
        (
            vec!["import", "sample/run.log", "--as", "vcrpy", "--to", "x.yaml"],
            "it is the log of a test run, which `retake triage` reads: sample/run.log",
        ),
    ];
    for (arguments, expected) in rows {
        let run = project.run(&arguments);
        assert!(run.stderr.contains(expected), "{}", run.printed());
        assert_eq!(run.code, Some(2), "{}", run.printed());
    }
}

/// Returns a zip file with members that are not packed.
pub(crate) fn archive(members: &[(&str, &str)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    for (name, text) in members {
        let sizes = [number(text.len()), number(text.len()), number(name.len())].concat();
        directory.extend([&b"PK\x01\x02"[..], &[0; 16], &sizes[..10], &[0; 12]].concat());
        directory.extend([&number(bytes.len())[..], name.as_bytes()].concat());
        bytes.extend([&b"PK\x03\x04"[..], &[0; 14], &sizes, name.as_bytes()].concat());
        bytes.extend(text.as_bytes());
    }
    let count = &number(members.len())[..2];
    let sizes = [number(directory.len()), number(bytes.len())].concat();
    [bytes, directory, [&b"PK\x05\x06\0\0\0\0"[..], count, count, &sizes, &[0; 2]].concat()]
        .concat()
}

#[test]
fn each_failure_in_an_archive_of_logs_counts_once() {
    let project = Project::new(&[
        ("retake.toml", ""),
        ("tests/cassettes/test_mail/test_prompt.yaml", CASSETTE),
    ]);
    let junit = "<testsuites><testsuite name=\"pytest\"><testcase classname=\"tests.test_mail\" name=\"test_prompt\"><failure message=\"openai.APIConnectionError: Connection error.\">no match</failure></testcase></testsuite></testsuites>";
    let bytes = archive(&[
        ("0_unit.txt", CASSETTE_LOG),
        ("unit/4_Run tests.txt", CASSETTE_LOG),
        ("unit/junit.xml", junit),
        ("unit/data.bin", CASSETTE_LOG),
    ]);
    project.write("logs/artefacts.zip", bytes);
    for given in ["logs/artefacts.zip", "logs"] {
        let run = project.run(&["triage", given, "--recordings", "tests", "--json"]);
        let document = run.json();
        let causes = document["causes"].as_array().unwrap().iter();
        let lines = causes.flat_map(|cause| cause["failures"].as_array().unwrap());
        let lines: Vec<String> = lines.map(|failure| failure["log"].to_string()).collect();
        let log = "\"logs/artefacts.zip/0_unit.txt\"";
        assert_eq!(lines, [log, log], "{}", run.stderr);
    }
    project.write("logs/artefacts.zip", &b"PK\x03\x04damaged"[..]);
    let run = project.run(&["triage", "logs/artefacts.zip"]);
    assert!(run.stderr.contains("logs/artefacts.zip: it cannot be unpacked"), "{}", run.stderr);
}

#[test]
fn a_run_is_grouped_by_cause_and_what_has_no_set_is_listed() {
    let project = project();
    let before = project.snapshot();
    let run = project.run(&["triage", "ci.log", "--recordings", "rec", "--after-fix"]);
    insta::assert_snapshot!(run.printed(), @r"
    1
    4 failures, 2 causes, 1 not assigned

    2 failures: `respond` became `reply`
      Requests offer the new name, and recordings have the old one.
      rec/a/turn-1.json: It lacks reply and additionally has respond.
      Fix: Rename `respond` to `reply` (2 files in 2 sets)
      rec/a: 1
        ci.log:8: test/a.test.ts > a > answers
      rec/b: 1
        ci.log:22: test/b.test.ts > b > answers

    1 failure: Answers load as `undefined`
      The answer is in `response`, and clients read `response.response`.
      Fix: Wrap the answers (1 file in 1 set)
      rec/send: 1
        ci.log:36: test/send.test.ts > send > sends

    Not assigned to a set
      ci.log:39: test/other.test.ts > other > works
        Nothing in the log names its set

    After the fixes, 3 of 4 failures find their answers; 1 still fails:
      ci.log:39: test/other.test.ts > other > works
        Nothing in the log names its set
    3 files to write; the changed sets answer their own requests as before.
    ---
    ");
    assert_eq!(project.snapshot(), before, "nothing is written");
    let run = project.run(&["triage", "ci.log", "--format", "markdown"]);
    insta::assert_snapshot!(run.printed(), @r"
    1
    ### 4 failures, 2 causes, 1 not assigned

    | Failures | Cause | Fix |
    | ---: | --- | --- |
    | 2 | `respond` became `reply` | Rename `respond` to `reply` (2 files in 2 sets) |
    | 1 | Answers load as `undefined` | Wrap the answers (1 file in 1 set) |

    <details><summary>2 failures: <code>respond</code> became <code>reply</code></summary>

    Requests offer the new name, and recordings have the old one.
    rec/a/turn-1.json: It lacks reply and additionally has respond.

    - ci.log:8: test/a.test.ts &gt; a &gt; answers, show: `retake 'rec/a/turn-1.json#call=1'`
    - ci.log:22: test/b.test.ts &gt; b &gt; answers, show: `retake 'rec/b/turn-1.json#call=1'`

    </details>

    <details><summary>1 failure: Answers load as <code>undefined</code></summary>

    The answer is in `response`, and clients read `response.response`.

    - ci.log:36: test/send.test.ts &gt; send &gt; sends, show: `retake 'rec/send/turn-1.json#call=1'`

    </details>

    #### Not assigned to a set

    - ci.log:39: test/other.test.ts &gt; other &gt; works: Nothing in the log names its set
    ---
    ");
}

#[test]
fn fixes_are_written_byte_by_byte_and_then_the_run_is_answered() {
    let project = project();
    let (a, send) = (project.read("rec/a/turn-1.json"), project.read("rec/send/turn-1.json"));
    let dry = project.run(&["triage", "ci.log", "--fix", "--dry-run"]);
    assert!(dry.stdout.contains("-        \"name\": \"respond\""), "{}", dry.stdout);
    assert_eq!(project.read("rec/a/turn-1.json"), a);

    let run = project.run(&["triage", "ci.log", "--fix", "--json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    // The failure without a set remains.
    assert_eq!((run.code, &found["after_fix"]["answered"]), (Some(1), &json!(3)));
    assert_eq!(found["after_fix"]["changes"].as_array().unwrap().len(), 3);
    assert_eq!(project.read("rec/a/turn-1.json"), a.replace("respond", "reply"));
    assert_ne!(project.read("rec/send/turn-1.json"), send);

    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert_eq!(project.read("rec/a/turn-1.json"), a);
    assert_eq!(project.read("rec/send/turn-1.json"), send);
    project.run(&["triage", "ci.log", "--fix"]);

    let log = project.read("ci.log");
    let (assigned, _) = log.split_once(" FAIL  test/other").unwrap();
    project.write("reports/ci.log", assigned);
    project.write("reports/notes.txt", "nothing of a client");
    let run = project.run(&["triage", "reports", "--json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let causes: Vec<&Value> =
        found["causes"].as_array().unwrap().iter().map(|it| &it["cause"]).collect();
    assert_eq!(
        (run.code, &causes[..]),
        (Some(1), &[&json!("answered-now"), &json!("expectation")][..])
    );
}

#[test]
fn fixed_files_are_stable_if_the_settings_say_so() {
    let project = project();
    project.write("retake.toml", "[stable]\non_save = true\n");
    let before = project.read("rec/a/turn-1.json");
    let run = project.run(&["triage", "ci.log", "--fix"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let after = project.read("rec/a/turn-1.json");
    assert!(after != before && after != before.replace("respond", "reply"));
    let check = project.run(&["stabilize", "--check", "rec/a/turn-1.json"]);
    assert_eq!(check.code, Some(0), "{}", check.stdout);
    assert_eq!(project.run(&["undo"]).code, Some(0));
    assert_eq!(project.read("rec/a/turn-1.json"), before);
}

#[test]
fn a_file_that_changed_is_not_written_and_what_is_no_log_is_reported() {
    let project = project();
    project.make_read_only("rec/a/turn-1.json");
    let run = project.run(&["triage", "ci.log", "--fix"]);
    assert_eq!(run.code, Some(2), "{}", run.stdout);
    assert!(run.stderr.contains("rec/a/turn-1.json"), "{}", run.stderr);

    project.write("notes.log", "all is well");
    project.write(
        "broken.xml",
        "<testsuites>\n<testcase name=\"a\">\n<failure></testcase>\n</testsuites>",
    );
    project.write("empty/x.md", "");
    let run = project.run(&["triage", "notes.log", "broken.xml", "empty", "missing.log"]);
    insta::assert_snapshot!(run.printed(), @r"
    2
    No failures
    ---
    retake: notes.log: no failed test, no output of a playback client and no JUnit report
    retake: empty: no log among its files (.log, .txt, .xml, .out) has output of a playback client
    retake: Cannot open: no file or folder at missing.log
    retake: broken.xml: Line 3: the report is not valid XML: expected 'failure' tag, not 'testcase' at 3:10
    ");
}

#[test]
fn a_page_shows_each_failure_with_its_fix_masks_secrets_and_is_read_again() {
    let project = project();
    let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    let log = project.read("ci.log") + &format!("\nAuthorization: {key}\n");
    project.write("ci.log", log);
    let page = project.run(&["triage", "ci.log", "--recordings", "rec", "--format", "html"]);
    assert_eq!(page.code, Some(1), "{}", page.stderr);
    for shown in [
        "<code>respond</code> became <code>reply</code>",
        "It lacks reply and additionally has respond",
        "<pre class=\"ins\">+         &quot;name&quot; :   &quot;reply&quot;</pre>",
        "served rec/send/turn-1.json by signature",
        "<div class=\"picture\">\n<svg ",
        "<g class=\"mark\"><title>Call 1, ",
    ] {
        assert!(page.stdout.contains(shown), "{shown}: {}", page.stdout);
    }
    assert!(!page.stdout.contains(&key));
    for elsewhere in ["src=", "href=", "http:", "https:", "<script>"] {
        assert!(!page.stdout.contains(elsewhere), "{elsewhere}");
    }
    project.write("failures.html", &page.stdout);
    let again = |log: &str| {
        let run = project.run(&["triage", log, "--recordings", "rec", "--json"]);
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        found["causes"].clone()
    };
    assert_eq!(again("failures.html"), again("ci.log"));
}

/// A folder with vitest and a Python with pytest; `None` for what cannot be installed here.
static RUNNERS: LazyLock<(Option<PathBuf>, Option<PathBuf>)> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runners");
    std::fs::create_dir_all(&folder).unwrap();
    let run = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(&folder);
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    // A registry that does not answer must not keep the tests.
    let vitest = "test -x node_modules/.bin/vitest || timeout 240 npm install --ignore-scripts --no-audit --no-fund --no-save vitest@3.2.4";
    let pytest = "venv/bin/pytest --version || { timeout 60 python3 -m venv venv && timeout 180 venv/bin/python -m pip install -q --timeout 10 --retries 1 pytest==8.4.2; }";
    let vitest = run(vitest).then(|| folder.clone());
    (vitest, run(pytest).then(|| folder.join("venv/bin/python")))
});

fn warn(words: &str) {
    let _ = writeln!(std::io::stderr(), "triage: {words}");
}

/// Checks that a report of a run with one failure for a renamed tool is read.
fn check_report(project: &Project, report: &str, test: &str) {
    let run = project.run(&["triage", report, "--recordings", "rec", "--json"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let failure = &found["causes"][0]["failures"][0];
    assert_eq!(found["failures"], 1, "{report}: {}", run.stderr);
    assert_eq!(found["causes"][0]["title"], "`respond` became `reply`", "{report}");
    assert_eq!((&failure["test"], &failure["set"]), (&json!(test), &json!("rec/a")), "{report}");
}

#[test]
fn reports_and_logs_of_vitest_are_read() {
    let Some(vitest) = &RUNNERS.0 else {
        return warn("vitest cannot be installed here: its reports are not read");
    };
    let project = project();
    let error = serde_json::to_string(&no_match("a", "look_up, reply")).unwrap();
    project.write(
        "test/a.test.ts",
        format!(
            "import {{ describe, test }} from 'vitest';\n\
             describe('a', () => {{\n  test('answers', () => {{\n    console.log('starts');\n    throw new Error({error});\n  }});\n  test('passes', () => {{}});\n}});\n"
        ),
    );
    std::os::unix::fs::symlink(vitest.join("node_modules"), project.path("node_modules")).unwrap();
    let script = "node_modules/.bin/vitest run --reporter=default --reporter=junit --outputFile.junit=junit.xml > run.log 2>&1";
    let mut command = Command::new("sh");
    let status =
        command.args(["-c", script]).current_dir(project.path("")).env("CI", "true").status();
    assert_eq!(status.unwrap().code(), Some(1), "{}", project.read("run.log"));
    check_report(&project, "junit.xml", "test/a.test.ts > a > answers");
    check_report(&project, "run.log", "test/a.test.ts > a > answers");
}

#[test]
fn reports_and_logs_of_pytest_are_read() {
    let Some(python) = &RUNNERS.1 else {
        return warn("pytest cannot be installed here: its reports are not read");
    };
    let project = project();
    let error = serde_json::to_string(&no_match("a", "look_up, reply")).unwrap();
    project.write(
        "test_a.py",
        format!("ERROR = {error}\n\ndef test_answers():\n    print('\\x1b[31mstarts\\x1b[0m')\n    raise RuntimeError(ERROR)\n\ndef test_passes():\n    pass\n"),
    );
    let mut command = Command::new(python);
    let output = command
        .args(["-m", "pytest", "--junitxml=junit.xml", "-o", "junit_logging=all", "test_a.py"])
        .current_dir(project.path(""))
        .output();
    let run = Run::of(&output.unwrap());
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    project.write("run.log", &run.stdout);
    check_report(&project, "junit.xml", "test_a > test_answers");
    check_report(&project, "run.log", "test_answers");
}

#[test]
fn a_report_that_cannot_be_read_is_no_run_without_failures() {
    let project = project();
    let bomb = "<!DOCTYPE t [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n<testsuites><testsuite>&b;</testsuite></testsuites>";
    for report in ["<testsuites><testsuite name=\"a\">", bomb] {
        project.write("junit.xml", report);
        let run = project.run(&["triage", "junit.xml", "--recordings", "rec"]);
        assert_eq!(run.code, Some(2), "{}", run.printed());
        assert!(run.stderr.contains("not valid XML"), "{}", run.stderr);
    }
}

#[test]
fn a_folder_without_recordings_is_named_with_the_commit_that_removed_them() {
    let recording = recording_offering("a-1", &["respond"]).to_string();
    let project = Project::new(&[
        ("retake.toml", ""),
        ("rec/tasks/turn-1.json", &recording),
        ("rec/tasks/turn-2.json", &recording),
        ("rec/tools/archive/turn-1.json", &recording),
        ("rec/kept/turn-1.json", &recording),
    ]);
    project.git(&["init", "-q"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "Record"]);
    project.git(&["rm", "-rq", "rec/tasks"]);
    project.git(&["commit", "-qm", "Clean up"]);
    let commit = project.git(&["rev-parse", "--short=7", "HEAD"]);
    project.git(&["commit", "-qm", "Go on", "--allow-empty"]);
    let missing = |folder: &str| format!("Error: Recordings directory not found: {folder}");
    let failed =
        |test: &str, error: String| format!(" FAIL  test/{test}.test.ts > works\n{error}\n");
    let log = [
        failed("tasks", missing("/ci/app/rec/tasks")),
        failed("tools", missing("/ci/app/rec/tools-complex")),
        "stdout | test/tools.test.ts > tools\n[PlaybackTestClient] Loaded 0 recordings from C:\\ci\\rec\\tools\n".to_owned(),
        failed("tools", "Error: LLM invoked but no recording available (index: 0, total: 0)".to_owned()).replace("works", "tools"),
        failed("kept", missing("/ci/app/rec/kept")),
    ];
    project.write("ci.log", log.concat());
    let run = project.run(&["triage", "ci.log"]);
    let printed = run.printed().replace(commit.trim(), "COMMIT");
    insta::assert_snapshot!(printed, @r#"
    0
    4 failures, 3 causes

    2 failures: Recordings missing
      The client loads the recordings of one folder, without those in folders below it, and found none.
      /ci/app/rec/tools-complex: there is no such folder
      Fix: Record again with DYGRAM_TEST_MODE=interactive npm test
      /ci/app/rec/tools-complex: 1
        ci.log:4: test/tools.test.ts > works
      C:\ci\rec\tools: 1
        ci.log:8: test/tools.test.ts > tools

    1 failure: Recordings missing: removed by commit COMMIT
      The client loads the recordings of one folder, without those in folders below it, and found none.
      rec/tasks: there is no such folder; commit COMMIT removed 2
      Fix: Restore them with `git checkout COMMIT~1 -- :/rec/tasks`, or record again with DYGRAM_TEST_MODE=interactive npm test
      rec/tasks: 1
        ci.log:2: test/tasks.test.ts > works

    1 failure: Recordings are there now
      The client found none. The log contains no request, so no call is played.
      rec/kept: 1
        ci.log:10: test/kept.test.ts > works
    ---
    "#);
    // Deleted, and not committed yet.
    std::fs::remove_dir_all(project.path("rec/kept")).unwrap();
    let run = project.run(&["triage", "ci.log"]);
    let printed = run.printed();
    assert!(printed.contains("rec/kept: there is no such folder; HEAD has 1"), "{printed}");
    // The command is right in each folder.
    let commit = format!("{}~1", commit.trim());
    project.git(&["-C", "rec", "checkout", &commit, "--", ":/rec/tasks"]);
    assert!(project.path("rec/tasks/turn-2.json").exists());
    // Another folder of the same name is not the one of the log.
    project.write("ci.log", failed("other", missing("/ci/app/cassettes/rec")));
    let printed = project.run(&["triage", "ci.log"]).printed();
    let other = "/ci/app/cassettes/rec: there is no such folder\n";
    assert!(printed.contains(other), "{printed}");
}
