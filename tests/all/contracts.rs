//! Contracts of sessions held against answers on the command line.

use serde_json::{Value, json};

use crate::project::Project;

const CONFIG: &str = "version: '2.0'
agent: { endpoint: http://localhost }
contract:
  name: Helpdesk
  invariants:
    - { id: once, type: excludes_pattern, patterns: [twice], severity: critical }
    - { id: no-keys, type: excludes_pattern, patterns: [sk-ant-] }
    - { id: quick, type: latency, max_ms: 1000 }
    - { id: same, type: behavior_unchanged, baseline: auto }
replays:
  sessions:
    - file: replays/kept.yaml
    - { id: inside, input: hello, contract: Helpdesk }
";
const LEADS_OUT: &str = "agent: { endpoint: http://localhost }
replays:
  sessions: [{ file: ../replays/kept.yaml }, { file: ../../outside.yaml }, { file: gone.yaml }]
";

const REPORT: &str = r#"{"version": "1.0", "started_at": "t", "statistics": {}, "mutations": [
    {"original_prompt": "a", "mutation": {"id": "m1", "mutated": "hello", "type": "noise"}, "response": "Paid once.", "latency_ms": 400, "passed": false}]}"#;

fn session(more: &str) -> String {
    format!("id: a\ninput: hi\ntool_responses: []\n{more}")
}

fn session_with_answer(answer: &str) -> String {
    session(&format!(
        "contract: Helpdesk\ncontext:\n  - {{provenance: langsmith_run, outputs: {{output: \"{answer}\"}}}}\n"
    ))
}

fn project() -> Project {
    Project::new(&[
        ("retake.toml", ""),
        ("flakestorm.yaml", CONFIG),
        ("replays/kept.yaml", &session_with_answer("Paid twice.")),
        (
            "replays/redacted.yaml",
            &session_with_answer("Paid once, key [redacted-anthropic-key-1]."),
        ),
        ("replays/none.yaml", &session("contract: Helpdesk\n")),
        ("replays/nowhere.yaml", &session("contract: helpdesc\n")),
        ("reports/june.json", REPORT),
        ("answer.txt", "Paid once."),
        ("other/flakestorm.yaml", LEADS_OUT),
    ])
}

fn verdicts(session: &Value) -> Vec<String> {
    let invariants = session["invariants"].as_array().unwrap().iter();
    let word = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
    invariants.map(|it| format!("{} {}", word(it, "id"), word(it, "verdict"))).collect()
}

#[test]
fn a_contract_is_held_against_the_answer_that_the_session_keeps() {
    let run = project().run(&["contract", "replays/kept.yaml", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let printed = run.json();
    let session = &printed["sessions"][0];
    assert_eq!(
        verdicts(session),
        ["once fails", "no-keys passes", "quick not-checked", "same not-checked"]
    );
    assert_eq!(session["path"], "replays/kept.yaml");
    assert_eq!(session["contract"]["path"], "flakestorm.yaml");
    assert_eq!(session["answer"]["text"], "Paid twice.");
    assert_eq!(session["answer"]["redacted"], false);
    let needs: Vec<&Value> =
        session["invariants"].as_array().unwrap().iter().map(|it| &it["needs_model"]).collect();
    assert_eq!(needs, [false, false, false, true]);
    assert_eq!(
        printed["summary"],
        json!({"sessions": 1, "passes": 1, "fails": 1, "not_checked": 2, "without_verdict": 0})
    );
}

#[test]
fn people_read_each_invariant_with_its_reason() {
    let run = project().run(&["contract", "replays/kept.yaml"]);
    insta::assert_snapshot!(run.stdout, @"
    replays/kept.yaml: Helpdesk, flakestorm.yaml:4
      Answer: recorded when the run failed
      fails        once     critical  excludes_pattern: the answer contains “twice” (flakestorm.yaml:6)
      passes       no-keys  medium    excludes_pattern: the answer contains none of “sk-ant-” (flakestorm.yaml:7)
      not checked  quick    medium    latency: the duration of the answer was not recorded (flakestorm.yaml:8)
      not checked  same     medium    behavior_unchanged: `behavior_unchanged` compares meanings and needs a model (flakestorm.yaml:9)
    ");
    insta::assert_snapshot!(run.stderr, @"1 session: 1 invariant fails, 1 pass, 2 not checked");
}

#[test]
fn an_answer_may_be_given_with_how_long_it_took() {
    let arguments = ["contract", "replays/kept.yaml", "--answer", "answer.txt"];
    let run = project().run(&[&arguments[..], &["--latency-ms", "800", "--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let session = &run.json()["sessions"][0];
    assert_eq!(
        verdicts(session),
        ["once passes", "no-keys passes", "quick passes", "same not-checked"]
    );
    assert_eq!(session["answer"]["since"], "given");
}

#[test]
fn a_redacted_answer_is_named_as_such() {
    let run = project().run(&["contract", "replays/redacted.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("The answer was redacted"), "{}", run.stdout);
    let run = project().run(&["contract", "replays/redacted.yaml", "--json"]);
    assert_eq!(run.json()["sessions"][0]["answer"]["redacted"], true);
}

#[test]
fn without_a_contract_or_an_answer_there_is_no_verdict() {
    for (path, reason) in [
        ("replays/none.yaml", "No recorded answer"),
        ("replays/nowhere.yaml", "The contract `helpdesc` is not found"),
        ("answer.txt", "No session found"),
        ("gone.yaml", "No file or folder"),
    ] {
        let run = project().run(&["contract", path]);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""), "{path}");
        assert!(run.stderr.contains(reason), "{}", run.stderr);
    }
    let run = project().run(&["contract", "replays/nowhere.yaml", "--json"]);
    assert_eq!(run.code, Some(2));
    assert_eq!(run.json()["summary"]["without_verdict"], 1);
}

#[test]
fn a_configuration_means_all_that_it_lists_and_a_report_beside_it_has_answers() {
    let run = project().run(&["contract", "flakestorm.yaml", "reports", "--json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let printed = run.json();
    let sessions = printed["sessions"].as_array().unwrap().iter();
    let printed: Vec<String> = sessions
        .map(|it| {
            let (path, pointer) = (it["path"].as_str().unwrap(), it["pointer"].as_str().unwrap());
            format!("{path}{pointer} {}", it["answer"]["text"])
        })
        .collect();
    assert_eq!(
        printed,
        ["flakestorm.yaml/replays/sessions/1 \"Paid once.\"", "replays/kept.yaml \"Paid twice.\""]
    );
}

#[test]
fn a_listed_session_that_is_missing_or_outside_of_the_project_is_reported_and_not_read() {
    let run = project().run(&["contract", "other/flakestorm.yaml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains(": ../../outside.yaml, listed in other/flakestorm.yaml"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains(": gone.yaml, listed in other/flakestorm.yaml"), "{}", run.stderr);
    assert!(run.stdout.contains("replays/kept.yaml"), "{}", run.stdout);
}

#[test]
fn a_contract_beside_the_session_is_found_and_a_refused_invariant_fails() {
    let project = project();
    let contract = "name: Own\ninvariants:\n  - { id: once, type: excludes_pattern }\n  - { id: paid, type: contains, value: paid }\n";
    project.write("replays/own.yaml", contract);
    let answer =
        session_with_answer("Paid once.").replace("contract: Helpdesk", "contract: own.yaml");
    project.write("replays/beside.yaml", answer);
    let run = project.run(&["contract", "replays/beside.yaml"]);
    insta::assert_snapshot!(run.printed(), @"
    1
    replays/beside.yaml: own.yaml, replays/own.yaml:1
      Answer: recorded when the run failed
      fails        once  medium    excludes_pattern: rejected by Flakestorm (replays/own.yaml:3)
                   `excludes_pattern` requires `patterns`; Flakestorm rejects it without that
      passes       paid  medium    contains: the answer contains “paid” (replays/own.yaml:4)
      Only `flakestorm replay run` (2.0) finds the contract file, in the session’s folder; `flakestorm ci` looks in the folder of the configuration, and passes without checking the answer
    ---
    1 session: 1 invariant fails, 1 pass, 0 not checked
    ");
    let run = project.run(&["check", "replays/own.yaml"]);
    assert_eq!(run.code, Some(1), "{}", run.printed());
}
