//! `retake audit`, from outside: a project with 40 faults of each kind, run by pytest, and the unusual logs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::owner_mocks::{cache_folder, pass_over, prepare};
use crate::project::Project;

const PACKAGES: &str = "pytest==9.2.0 pytest-recording==0.14.1 requests==2.32.5";
/// Kinds that need the log of the plugin.
const OF_PLUGIN: [&str; 3] = ["not-played", "call-not-played", "answer-not-read"];
/// Kinds that need a log.
const OF_LOG: [&str; 3] = ["skipped-elsewhere", "skipped-missing", "test-not-run"];

/// The places of each kind.
type Places = BTreeMap<String, BTreeSet<String>>;

fn planted(project: &Project) -> Option<Places> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/owner/audit_project.py");
    let output = Command::new("python3").arg(script).arg(project.path("suite")).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Returns the places that a report has, as the generator names them.
fn found(report: &Value) -> Places {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().unwrap().iter().map(|finding| {
        let kind = text(&finding["kind"]);
        let places = finding["places"].as_array().unwrap();
        assert_eq!(finding["count"].as_u64().unwrap(), places.len() as u64, "{finding}");
        let place = |place: &Value| {
            let path = text(&place["path"]).replacen("suite/", "", 1);
            match (&*kind, &place["call"]) {
                ("skipped-elsewhere" | "skipped-missing" | "asserts-on-recording", _) => {
                    text(&place["test"])
                }
                ("call-not-played" | "answer-not-read", call) => format!("{path}#call={call}"),
                _ => path,
            }
        };
        (kind.clone(), places.iter().map(place).collect())
    });
    findings.collect()
}

/// Returns what differs between two lists of places.
fn differences(planted: &Places, found: &Places) -> String {
    let mut text = String::new();
    let kinds: BTreeSet<&String> = planted.keys().chain(found.keys()).collect();
    for kind in kinds {
        let empty = BTreeSet::new();
        let (planted, found) =
            (planted.get(kind).unwrap_or(&empty), found.get(kind).unwrap_or(&empty));
        for place in planted.symmetric_difference(found) {
            let what = if planted.contains(place) { "missed" } else { "wrong" };
            text += &format!("{kind}: {what} {place}\n");
        }
    }
    text
}

fn audit(project: &Project, logs: &[&str]) -> Places {
    let logs = logs.iter().flat_map(|log| ["--logs", log]);
    let arguments: Vec<&str> = ["audit", "suite", "--json"].into_iter().chain(logs).collect();
    let run = project.run(&arguments);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    found(&run.json())
}

fn without(planted: &Places, kinds: &[&str]) -> Places {
    let mut planted = planted.clone();
    planted.retain(|kind, _| !kinds.contains(&&**kind));
    planted
}

#[test]
fn a_run_of_pytest_shows_all_that_was_planted_and_nothing_else() {
    let project = Project::new(&[]);
    let Some(planted) = planted(&project) else { return pass_over("Python") };
    assert!(planted.values().all(|places| places.len() == 40), "{planted:?}");
    let kinds = [OF_LOG, OF_PLUGIN].concat();
    assert_eq!(differences(&without(&planted, &kinds), &audit(&project, &[])), "");

    let folder = cache_folder("audit-venv");
    let install = format!(
        "test -e installed || (timeout 60 python3 -m venv venv && timeout 300 venv/bin/python -m pip install -q --timeout 10 --retries 1 {PACKAGES} && touch installed)"
    );
    if !prepare(&folder, &install) {
        return pass_over("pytest-recording");
    }
    let plugin = project.run(&["plugin", "pytest", "--output", "suite/retake_plugin.py"]);
    assert_eq!(plugin.code, Some(0), "{}", plugin.stderr);
    let options = "-v -rs -p retake_plugin --retake-log ../requests.jsonl --junitxml=../report.xml -p no:cacheprovider -k";
    let run = Command::new(folder.join("venv/bin/python"))
        .args(["-m", "pytest", "tests"])
        .args(options.split(' '))
        .arg("not left_out")
        .current_dir(project.path("suite"))
        .env("COLUMNS", "80")
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{log}");
    project.write("run.log", log.as_bytes());

    assert_eq!(differences(&planted, &audit(&project, &["requests.jsonl"])), "");
    let all = ["report.xml", "run.log", "requests.jsonl"];
    assert_eq!(differences(&planted, &audit(&project, &all)), "");
    let known = without(&planted, &OF_PLUGIN);
    assert_eq!(differences(&known, &audit(&project, &["report.xml"])), "");
    // Without a report, the skipped tests are listed by the place where they skip.
    let mut of_text = audit(&project, &["run.log"]);
    for kind in ["skipped-elsewhere", "skipped-missing"] {
        assert_eq!(of_text.remove(kind).map_or(0, |places| places.len()), 40);
    }
    let known = without(&known, &["skipped-elsewhere", "skipped-missing"]);
    assert_eq!(differences(&known, &of_text), "");
}

#[test]
fn what_cannot_be_read_or_is_not_known_is_reported() {
    let project = Project::new(&[
        ("report.xml", "<testsuite><testcase name='a'/>"),
        ("dots.log", "tests/test_a.py .. [100%]\n==== 2 passed in 0.10s ====\n"),
        ("readme.txt", "hello"),
        (
            "requests.jsonl",
            "{\"retake\": \"pytest-log\", \"version\": 1, \"client\": null}\n{\"test\": \"tests/test_a.py::test_b\"",
        ),
        ("tests/cassettes/test_a/test_b.yaml", "interactions: []\nversion: 1\n"),
        ("tests/test_a.py", "import pytest\n\n@pytest.mark.vcr\ndef test_b():\n    pass\n"),
    ]);
    let printed = |logs: &[&str]| {
        let logs = logs.iter().flat_map(|log| ["--logs", log]);
        let run = project.run(&["audit", "tests"].into_iter().chain(logs).collect::<Vec<_>>());
        run.printed()
    };
    insta::assert_snapshot!(printed(&[]), @"
        0
        Nothing found that a green run would hide, in 1 file without a log
        Not known without a log: which tests are skipped, and which recordings they play. Read the report of a run: `pytest -rs --junitxml=report.xml`.
        ---
        ");
    insta::assert_snapshot!(printed(&["dots.log"]), @"
        0
        Nothing found that a green run would hide, in 1 file with 1 log
        Not known: which calls the tests played. Only the log of the plugin has it: `retake plugin pytest`.
        Not known: which tests did not run. dots.log does not name all that ran; `pytest -v` and `--junitxml=report.xml` do.
        ---
        ");
    insta::assert_snapshot!(printed(&["report.xml"]), @"
        2
        Nothing found in what could be read
        Not known: which calls the tests played. Only the log of the plugin has it: `retake plugin pytest`.
        ---
        retake: report.xml: Line 1: the report is not valid XML: the root node was opened but never closed
        ");
    insta::assert_snapshot!(printed(&["requests.jsonl"]), @"
        2
        Nothing found in what could be read
        requests.jsonl: the log has no end, so that the run was stopped.
        ---
        retake: requests.jsonl:2: EOF while parsing an object
        ");
    insta::assert_snapshot!(printed(&["dots.log", "readme.txt", "none.log"]), @"
        2
        Nothing found in what could be read
        Not known: which calls the tests played. Only the log of the plugin has it: `retake plugin pytest`.
        Not known: which tests did not run. dots.log does not name all that ran; `pytest -v` and `--junitxml=report.xml` do.
        ---
        retake: readme.txt: no output of a test runner, no JUnit report and no log of the plugin
        retake: Cannot open: no file or folder at none.log
        ");
    project.write("tests/cassettes/test_a/test_b.yaml", "interactions: [\n");
    insta::assert_snapshot!(printed(&[]), @"
        0
        `check` finds 1 error in 1 of 1 file; nothing else was found that a green run would hide
        Not known without a log: which tests are skipped, and which recordings they play. Read the JUnit report of a run.
        ---
        ");
    insta::assert_snapshot!(printed(&["readme.txt"]), @"
        2
        ---
        retake: readme.txt: no output of a test runner, no JUnit report and no log of the plugin
        retake: There is no log to read
        ");
}
