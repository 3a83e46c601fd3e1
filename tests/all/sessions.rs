//! `retake import` and `retake export session`, from outside; and what their owner makes of the files.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::project::{Project, Run};

const CONFIG: &str = "version: \"2.0\"
agent: {endpoint: \"http://localhost:1/ask\", type: http}  # local
golden_prompts: [\"Hello\"]
invariants: [{type: output_not_empty}]
contract:
  name: Helpdesk contract
  invariants: [{id: a, type: output_not_empty}]
replays:
  sessions:
    - file: replays/old.yaml   # the first
";

fn report() -> String {
    let result = |id: &str, mutated: &str, passed: bool| {
        json!({"original_prompt": "Refund me", "mutation": {"id": id, "original": "Refund me", "mutated": mutated, "type": "noise"},
            "response": "No", "latency_ms": 12.5, "passed": passed, "error": null,
            "checks": [{"check_type": "contains", "passed": passed, "details": "no ticket"}]})
    };
    let mutations = [
        result("m1", "refnud me", false),
        result("m2", "Refund me!", true),
        result("m3", "no", false),
    ];
    json!({"version": "1.0", "started_at": "2026-05-28T06:00:12", "statistics": {}, "mutations": mutations}).to_string()
}

fn run(id: &str, input: &str, tools: &[Value]) -> Value {
    json!({"id": id, "name": "Agent", "run_type": "chain", "trace_id": id, "inputs": {"input": input}, "outputs": null,
        "error": "Boom", "start_time": "2026-06-11T10:00:00Z", "end_time": "2026-06-11T10:00:02Z", "child_runs": tools})
}

fn project() -> Project {
    let key = format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2));
    let tool = json!({"id": "t", "name": "mail", "run_type": "tool", "inputs": {}, "outputs": {"to": "jun@private.dev"}});
    let runs = json!([run("run-1", &format!("Use {key}"), &[tool]), run("run-2", "Hi", &[])]);
    Project::new(&[
        ("retake.toml", ""),
        ("flakestorm.yaml", CONFIG),
        ("report.json", &report()),
        ("runs.json", &runs.to_string()),
        (
            "replays/old.yaml",
            "id: old\ninput: Hello   # kept\ntool_responses: []\ncontract: Helpdesk contract\nmine: 1\n",
        ),
    ])
}

#[test]
fn a_report_is_imported_once() {
    let project = project();
    let import = ["import", "report.json", "--to", "replays"];
    insta::assert_snapshot!(project.run(&import).printed(), @"
    0
    replays/flakestorm-noise-968ae2dff01b.yaml
    replays/flakestorm-noise-85e3cd74cbb7.yaml
    ---
    2 sessions: 2 written; 1 skipped
    Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples (RFC 2606), such as `.example`, are harmless
    ");
    let path = "replays/flakestorm-noise-";
    let files = std::fs::read_dir(project.path("replays")).unwrap();
    let mut names: Vec<String> =
        files.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let texts: Vec<String> = names
        .iter()
        .filter(|it| it.starts_with("flakestorm"))
        .map(|it| project.read(&format!("replays/{it}")))
        .collect();
    assert!(
        texts
            .iter()
            .any(|it| it.contains("input: refnud me") && it.contains("original_prompt: Refund me")),
        "{path}"
    );
    assert!(texts.iter().all(|it| it.contains("contract: Helpdesk contract")));
    let before = project.snapshot();
    let again = project.run(&import);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), ""), "{}", again.stderr);
    assert_eq!(project.snapshot(), before);
}

#[test]
fn what_holds_a_secret_waits_for_a_word() {
    let project = project();
    let import = ["import", "runs.json", "--to", "out/new"];
    insta::assert_snapshot!(project.run(&import).printed(), @"
    1
    out/new/run-2.yaml
    ---
    retake: Contains what looks like a GitHub token (ghp_…) at /input: out/new/run-1.yaml
    retake: Contains what looks like an e-mail address (…@private.dev) at /tool_responses/0/response/to: out/new/run-1.yaml
    Replace secrets with --redact, or keep them with --keep: all, a kind or a place
    2 sessions: 1 written, 1 not written
    Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples (RFC 2606), such as `.example`, are harmless
    ");
    insta::assert_snapshot!(project.run(&[&import[..], &["--redact", "all"]].concat()).printed(), @"
    0
    out/new/run-1.yaml
    ---
    2 sessions: 1 written, 1 unchanged
    Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples (RFC 2606), such as `.example`, are harmless
    ");
    insta::assert_snapshot!(project.read("out/new/run-1.yaml"), @r#"
    id: run-1
    name: Agent
    source: langsmith
    captured_at: "2026-06-11T10:00:00Z"
    input: Use [redacted-github-token-1]
    context:
      - provenance: langsmith_run
        run_id: run-1
        latency_ms: 2000
    tool_responses:
      - tool: mail
        response: {to: redacted-1@example.com}
    expected_failure: Boom
    contract: Helpdesk contract
    "#);
}

#[test]
fn secrets_are_redacted_one_by_one() {
    let project = project();
    let import = |more: &[&str]| {
        let all = ["import", "runs.json", "--to", "out", "--name", "{date}-{id}"];
        project.run(&[&all[..], more].concat())
    };
    insta::assert_snapshot!(import(&["--redact", "run-1:/input", "--keep", "adress"]).printed(), @"
    1
    out/2026-06-11-run-2.yaml
    ---
    retake: No secret matches --keep adress
    retake: Contains what looks like an e-mail address (…@private.dev) at /tool_responses/0/response/to: out/2026-06-11-run-1.yaml
    Replace secrets with --redact, or keep them with --keep: all, a kind or a place
    2 sessions: 1 written, 1 not written
    Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples (RFC 2606), such as `.example`, are harmless
    ");
    insta::assert_snapshot!(import(&["--redact", "all", "--keep", "address"]).printed(), @"
    0
    out/2026-06-11-run-1.yaml
    ---
    2 sessions: 1 written, 1 unchanged
    Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples (RFC 2606), such as `.example`, are harmless
    ");
    let written = project.read("out/2026-06-11-run-1.yaml");
    assert!(written.contains("input: Use [redacted-github-token-1]\n"), "{written}");
    assert!(written.contains("{to: jun@private.dev}"), "{written}");
}

#[test]
fn what_is_imported_is_listed_in_the_configuration_and_no_other_byte_changes() {
    let project = project();
    let import =
        ["import", "report.json", "--to", "replays/new", "--name", "{number}", "--add-to-config"];
    let dry = project.run(&[&import[..], &["--dry-run"]].concat());
    let listed = "+    - file: replays/new/002.yaml";
    assert!(dry.stdout.contains(listed), "{}", dry.stdout);
    assert_eq!(project.read("flakestorm.yaml"), CONFIG);
    insta::assert_snapshot!(project.run(&import).printed(), @"
    0
    replays/new/001.yaml
    replays/new/002.yaml
    ---
    2 sessions: 2 written; 1 skipped
    Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples (RFC 2606), such as `.example`, are harmless
    2 sessions added to flakestorm.yaml
    ");
    let config = project.read("flakestorm.yaml");
    insta::assert_snapshot!(config.strip_prefix(CONFIG).unwrap(), @"
    - file: replays/new/001.yaml
    - file: replays/new/002.yaml
    ");
    let again = project.run(&import);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(project.read("flakestorm.yaml"), config);
}

#[test]
fn runs_are_chosen_by_status_date_and_latency() {
    let project = project();
    let quick = json!({"id": "quick", "name": "Agent", "run_type": "chain", "trace_id": "quick", "inputs": {"input": "Hi"},
        "outputs": {"output": "Hello"}, "error": null, "start_time": "2026-06-12T10:00:00Z", "end_time": "2026-06-12T10:00:00.2Z"});
    let runs = json!([run("run-2", "Hi, you", &[]), quick]);
    project.write("two.json", runs.to_string());
    let ids = |filter: &[&str]| {
        let import = ["import", "two.json", "--to", "out", "--dry-run", "--json"];
        let printed = project.run(&[&import[..], filter].concat()).json();
        let drafts = printed["drafts"].as_array().unwrap().iter();
        let ids: Vec<String> = drafts.map(|it| it["id"].as_str().unwrap().to_owned()).collect();
        (ids.join(" "), printed["passed_over"].as_u64().unwrap())
    };
    let one = |id: &str| (id.to_owned(), 1);
    assert_eq!(ids(&[]), ("run-2 quick".to_owned(), 0));
    assert_eq!(ids(&["--filter-status", "error"]), one("run-2"));
    assert_eq!(ids(&["--since", "2026-06-12"]), one("quick"));
    assert_eq!(ids(&["--until", "2026-06-12"]), one("run-2"));
    assert_eq!(ids(&["--min-latency-ms", "1000"]), one("run-2"));
    assert_eq!(ids(&["--max-latency-ms", "1000"]), one("quick"));
}

#[test]
fn nothing_is_overwritten_without_a_look_at_the_difference() {
    let project = project();
    let import =
        ["import", "runs.json", "--to", "out", "--redact", "all", "--filter-status", "error"];
    assert_eq!(project.run(&import).code, Some(0));
    let edited = project.read("out/run-2.yaml").replace("input: Hi", "input: Hello");
    project.write("out/run-2.yaml", &edited);
    insta::assert_snapshot!(project.run(&import).printed(), @r#"
    1
    --- out/run-2.yaml
    +++ out/run-2.yaml
    @@ -2,7 +2,7 @@
     name: Agent
     source: langsmith
     captured_at: "2026-06-11T10:00:00Z"
    -input: Hello
    +input: Hi
     context:
       - provenance: langsmith_run
         run_id: run-2
    ---
    retake: Skipped: a different file exists; --force replaces it: out/run-2.yaml
    2 sessions: 0 written, 1 unchanged, 1 not written
    Checked for keys, passwords, e-mail addresses, phone numbers, bank accounts, cards, street addresses, public IP addresses, for dates of birth, numbers of customers, persons and documents beside a word that names them, and for the values of fields such as `customer_name`; not for names in texts, except those of a list; addresses in domains that are reserved for examples (RFC 2606), such as `.example`, are harmless
    "#);
    assert_eq!(project.read("out/run-2.yaml"), edited);
    assert_eq!(project.run(&[&import[..], &["--force"]].concat()).code, Some(0));
    assert!(project.read("out/run-2.yaml").contains("input: Hi\n"));
}

#[test]
fn a_dry_run_writes_nothing_and_json_has_the_origin_of_fields() {
    let project = project();
    let before = project.snapshot();
    let run = project.run(&["import", "report.json", "--to", "new", "--dry-run", "--json"]);
    assert_eq!(project.snapshot(), before);
    let printed = run.json();
    assert_eq!(printed["passed_over"], 1);
    let draft = &printed["drafts"][0];
    assert_eq!(
        (&draft["status"], draft["secrets"].as_array().map(Vec::len)),
        (&json!("written"), Some(0))
    );
    let input = &draft["origins"]["/input"];
    assert_eq!(
        (&input["file"], &input["pointer"]),
        (&json!("report.json"), &json!("/mutations/0/mutation/mutated"))
    );
}

#[test]
fn sessions_are_exported_as_json_and_into_a_configuration() {
    let project = project();
    let run =
        project.run(&["export", "session", "replays/old.yaml", "--to", "json", "--as", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    insta::assert_snapshot!(project.read("json/old.json"), @r#"
    {
      "id": "old",
      "input": "Hello",
      "tool_responses": [],
      "contract": "Helpdesk contract",
      "mine": 1
    }
    "#);
    let as_it_is = project.run(&["export", "session", "replays", "--to", "copy"]);
    assert_eq!(as_it_is.code, Some(0), "{}", as_it_is.stderr);
    assert_eq!(project.read("copy/old.yaml"), project.read("replays/old.yaml"));

    let run = project.run(&["export", "session", "replays/old.yaml", "--to", "flakestorm.yaml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let config = project.read("flakestorm.yaml");
    insta::assert_snapshot!(config.strip_prefix(CONFIG).unwrap(), @"
    - id: old
      input: Hello
      tool_responses: []
      contract: Helpdesk contract
      mine: 1
    ");
    let again = project.run(&["export", "session", "replays/old.yaml", "--to", "flakestorm.yaml"]);
    assert_eq!(again.code, Some(1), "{}", again.stderr);
    assert_eq!(project.read("flakestorm.yaml"), config);
}

#[test]
fn what_the_owner_refuses_is_skipped_or_fixed() {
    let project = project();
    project.write(
        "bad.yaml",
        "id: bad\ninput: x\ntool_responses:\n  - {tool: t, response: [1, no]}\n",
    );
    let export = ["export", "session", "bad.yaml", "--to", "out"];
    insta::assert_snapshot!(project.run(&export).printed(), @"
    1
    ---
    retake: Expected a string, an object or null as the response, found a list (/tool_responses/0/response): bad.yaml
    1 session: 0 written, 0 unchanged, 1 skipped
    ");
    let run = project.run(&[&export[..], &["--mend", "wrap"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(project.read("out/bad.yaml").contains("result:"));
}

#[test]
fn personal_data_of_an_incident_is_redacted_and_a_session_with_some_is_not_called_clean() {
    let input = "I am Anna, my password for the portal is Sommer2024! Call +48 601 234 567 or write to anna@posteo.de. \
                Send it to ul. Floriańska 12/3, 31-021 Kraków and pay DE89 3704 0044 0532 0130 00 or 4539 1488 0343 6467.";
    let customer =
        json!({"full_name": "Anna Kowalska", "phone": "601234567", "mail": "anna@posteo.example"});
    let tool = json!({"id": "t", "name": "crm", "run_type": "tool", "inputs": {}, "outputs": {"customer": customer}});
    let project = Project::new(&[
        ("retake.toml", ""),
        ("runs.json", &json!([run("run-1", input, &[tool])]).to_string()),
    ]);
    let import = ["import", "runs.json", "--to", "out"];
    let open = project.run(&import);
    assert_eq!(open.code, Some(1), "{}", open.stderr);
    assert!(open.stderr.contains("Checked for keys, passwords"), "{}", open.stderr);
    let kept = project.run(&[&import[..], &["--keep", "all", "--json"]].concat()).json();
    let secrets = kept["drafts"][0]["secrets"].as_array().unwrap().iter();
    let mut kinds: Vec<&str> = secrets.map(|it| it["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    insta::assert_snapshot!(kinds.join(" "), @"account address card name password phone phone street");
    let checked = project.run(&["check", "out", "--json"]).json();
    let count = |checked: &Value| {
        let problems = checked["problems"].as_array().unwrap().iter();
        problems.filter(|it| it["rule"] == "secret").count()
    };
    assert_eq!(count(&checked), kinds.len());
    project.run(&[&import[..], &["--redact", "all", "--force"]].concat());
    let session = project.read("out/run-1.yaml");
    for value in ["Sommer2024", "601", "anna@posteo.de", "Floria", "DE89", "4539", "Kowalska"] {
        assert!(!session.contains(value), "{value}: {session}");
    }
    assert!(session.contains("anna@posteo.example"), "{session}");
    let checked = project.run(&["check", "out", "--json"]).json();
    assert_eq!(count(&checked), 0, "{checked}");
}

/// A Python that can read sessions: one with flakestorm where that can be installed, else one with PyYAML.
struct Python {
    program: PathBuf,
    has_flakestorm: bool,
}

static PYTHON: LazyLock<Option<Python>> = LazyLock::new(|| {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flakestorm-venv");
    let program = venv.join("bin/python");
    let can = |program: &Path, module: &str| {
        let import = format!("import {module}");
        let run = Command::new(program).args(["-c", &import]).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success())
    };
    let loader = "flakestorm.replay.loader";
    if !can(&program, loader) {
        // A registry that does not answer must not keep the tests.
        let steps = [
            format!("timeout 60 python3 -m venv '{}'", venv.display()),
            format!(
                "timeout 180 '{}' -m pip install -q --timeout 10 --retries 1 flakestorm==2.0.0",
                program.display()
            ),
        ];
        for step in steps {
            let _ = Command::new("sh")
                .args(["-c", &step])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
        }
    }
    if can(&program, loader) {
        return Some(Python { program, has_flakestorm: true });
    }
    let system = PathBuf::from("python3");
    can(&system, "yaml").then_some(Python { program: system, has_flakestorm: false })
});

/// Reports what a test could not do, past the test runner's capture.
fn warn(words: &str) {
    let _ = writeln!(std::io::stderr(), "sessions: {words}");
}

/// Has the owner read all sessions of a folder.
pub(crate) fn read_by_owner(project: &Project, folder: &str, expected: &Value) {
    let Some(python) = &*PYTHON else {
        return warn("no Python with flakestorm or PyYAML: only the fixtures were compared");
    };
    if !python.has_flakestorm {
        warn("flakestorm cannot be installed here: sessions are read by PyYAML alone");
    }
    project.write("expected.json", expected.to_string());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/owner/check.py");
    let mut command = Command::new(&python.program);
    let output = command
        .arg(script)
        .arg(project.path(folder))
        .arg(project.path("expected.json"))
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}

/// Strings that YAML, or one of its readers, would take for something else.
const HOSTILE: &[&str] = &[
    "no",
    "on",
    "Yes",
    "null",
    "~",
    "12:30",
    "0o17",
    "017",
    "1_000",
    "1e3",
    "0x1f",
    ".inf",
    "2026-02-15",
    "2026-02-15 10:00:00",
    "=",
    "<<",
    "- a",
    "a: b",
    "a #b",
    "#a",
    "[a",
    "{a}",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "'a",
    "\"a",
    "%a",
    "@a",
    "`a",
    "---",
    "...",
    "? a",
    "a:",
    " a",
    "a ",
    "a\tb",
    "a\nb",
    "a\n",
    "\na",
    "a\n\n",
    "  a\n b",
    "\ta\nb",
    "a\r\nb",
    "\u{7}",
    "\u{0}x",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}a",
    "\u{fffe}",
    "😀",
    "é 日本",
    "\u{e0041}",
    "\\n",
    "C:\\x",
    "\u{1b}[31m",
    "a\u{200b}b",
    "{{x}}",
    "key: [1, 2]\nother: no\n",
    "|\n  a\n",
    "# only\n# comments",
];

fn hostile_texts() -> Vec<String> {
    let mut texts: Vec<String> = HOSTILE.iter().map(|it| (*it).to_owned()).collect();
    let strategy = prop_oneof![
        any::<String>(),
        "[-?:,\\[\\]{}&*!|>'\"%@` #a0-9eoxn.~=<\n\t\r\u{85}\u{2028}\u{feff}😀\u{1b}]{1,12}",
        "[a ]{1,3}(\n[a ]{0,3}){0,4}",
    ];
    let mut runner = TestRunner::deterministic();
    texts.extend((0..300).map(|_| strategy.new_tree(&mut runner).unwrap().current()));
    texts.retain(|text| !text.trim().is_empty());
    texts
}

#[test]
fn hostile_strings_are_written_so_that_pyyaml_reads_what_was_meant() {
    let texts = hostile_texts();
    let mut runs = Vec::new();
    let mut expected = serde_json::Map::new();
    for (number, text) in texts.iter().enumerate() {
        let id = format!("run-{number}");
        let outputs = json!({ text.clone(): [text, { "in": text }], "n": 1.5 });
        let tool = json!({"id": "t", "name": text, "run_type": "tool", "inputs": {}, "outputs": outputs.clone(), "start_time": "2026-06-11T10:00:00Z", "end_time": "2026-06-11T10:00:00.25Z"});
        runs.push(run(&id, text, &[tool]));
        let session = json!({
            "id": id, "name": "Agent", "source": "langsmith", "captured_at": "2026-06-11T10:00:00Z", "input": text,
            "context": [{"provenance": "langsmith_run", "run_id": id, "latency_ms": 2000}],
            "tool_responses": [{"tool": text, "response": outputs, "latency_ms": 250}],
            "expected_failure": "Boom", "contract": "Helpdesk contract",
        });
        expected.insert(format!("{id}.yaml"), session.clone());
        expected.insert(format!("{id}.json"), session);
    }
    let project = Project::new(&[
        ("retake.toml", ""),
        ("flakestorm.yaml", CONFIG),
        ("runs.json", &Value::Array(runs).to_string()),
    ]);
    for name in ["{id}.yaml", "{id}.json"] {
        let run = project.run(&[
            "import",
            "runs.json",
            "--to",
            "out",
            "--redact",
            "none",
            "--force",
            "--name",
            name,
        ]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    // What is written of the known ones is fixed, and was read back by PyYAML when it was.
    let fixed: Vec<String> =
        (0..HOSTILE.len()).map(|number| project.read(&format!("out/run-{number}.yaml"))).collect();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/owner/hostile.yaml");
    if std::env::var_os("RETAKE_RENEW_FIXTURES").is_some() {
        std::fs::write(&fixture, fixed.join("---\n")).unwrap();
    }
    assert_eq!(fixed.join("---\n"), std::fs::read_to_string(&fixture).unwrap());
    read_by_owner(&project, "out", &Value::Object(expected));
}

#[test]
fn the_owner_loads_what_is_imported_of_the_samples() {
    let project = Project::new(&[
        ("retake.toml", ""),
        ("flakestorm.yaml", CONFIG),
        ("report.json", &report()),
    ]);
    let run = project.run(&["import", "report.json", "--to", "replays", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let printed = run.json();
    let mut expected = serde_json::Map::new();
    for (draft, mutated) in printed["drafts"].as_array().unwrap().iter().zip(["refnud me", "no"]) {
        let id = draft["id"].as_str().unwrap();
        let mutation = if mutated == "no" { "m3" } else { "m1" };
        let session = json!({
            "id": id, "name": "noise: Refund me", "source": "flakestorm_export", "captured_at": "2026-05-28T06:00:12", "input": mutated,
            "context": [{"provenance": "flakestorm_report", "file": "report.json", "original_prompt": "Refund me",
                "mutation_id": mutation, "mutation_type": "noise", "response": "No", "latency_ms": 12.5}],
            "tool_responses": [], "expected_failure": "contains: no ticket", "contract": "Helpdesk contract",
        });
        expected.insert(format!("{id}.yaml"), session);
    }
    assert_eq!(expected.len(), 2);
    read_by_owner(&project, "replays", &Value::Object(expected));
}

#[test]
fn the_table_of_cases_is_what_the_owners_checkers_say() {
    let Some(python) = PYTHON.as_ref().filter(|python| python.has_flakestorm) else {
        return warn(
            "flakestorm cannot be installed here: the table of its checkers' answers is taken as it is",
        );
    };
    let version = "import sys; assert (3, 11) <= sys.version_info < (3, 14)";
    if !Command::new(&python.program).args(["-c", version]).status().unwrap().success() {
        return warn("this Python's regular expressions are of another version than the table's");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/owner/cases.py");
    let output = Command::new(&python.program).args(["-W", "ignore", script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), include_str!("../owner/cases.jsonl"));
}
