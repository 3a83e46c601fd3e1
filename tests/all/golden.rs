//! Files in `golden/` that an earlier version wrote: what is persisted can still be read and is written with the same keys,
//! and JSON outputs keep their keys, their structure and their values.

use std::collections::BTreeMap;
use std::path::Path;

use author::recovered::DraftFileState;
use calls::source::sha256_hex;
use check::settings;
use compare::review::ledger;
use document::json as json_format;
use document::text::Source;
use engine::recovery::DraftStore;
use engine::root::Root;
use engine::save::SaveTarget;
use play::live::schema::misfits;
use serde_json::{Value, json};

use crate::live::mock::{Mock, say};
use crate::live::{Running, send_request, tape};
use crate::project::{Project, recording, stamped};

/// Keys of texts for people. A value of theirs that is no lower-case word may change.
const TEXTS: &[&str] =
    &["message", "help", "summary", "detail", "verdict", "why", "change", "what", "title"];
/// Further keys of texts, for commands whose output is mostly read by people.
const MORE_TEXTS: &[(&str, &[&str])] = &[
    // Of SARIF.
    ("check", &["text"]),
    ("audit", &["sentence", "action", "note", "unknown"]),
    ("source", &["reason"]),
    ("contract", &["reason", "refusal", "remark", "error"]),
    ("import", &["made", "notes"]),
    ("lookup", &["remark"]),
    ("record", &["notes"]),
    ("serve", &["differences", "against"]),
    ("drift", &["name", "reason", "missing"]),
    ("answer", &["differences"]),
];
/// Keys of what differs from run to run: times, sizes, addresses.
const VARYING: &[&str] = &[
    "elapsed_ms",
    "took_ns",
    "first_ns",
    "late_ns",
    "actual_ns",
    "at",
    "seconds",
    "committed_at",
    "commit",
    "address",
    "bytes",
    "tape",
    "semanticVersion",
];

/// Reduces a value to what has to stay the same.
fn shape(command: &str, key: &str, value: &Value) -> Value {
    let more = MORE_TEXTS.iter().filter(|(other, _)| *other == command);
    let is_text = TEXTS.contains(&key) || more.flat_map(|(_, keys)| *keys).any(|it| *it == key);
    match value {
        Value::Object(members) => {
            let member =
                |(key, value): (&String, &Value)| (key.clone(), shape(command, key, value));
            members.iter().map(member).collect()
        }
        Value::Array(items) if is_text => items.first().into_iter().map(|_| "…").collect(),
        // All rules of `check`, in each output: one is enough.
        Value::Array(items) if key == "rules" => {
            let first = items.first().into_iter();
            first.map(|item| shape(command, key, item)).collect()
        }
        Value::Array(items) => items.iter().map(|item| shape(command, key, item)).collect(),
        Value::Null => Value::Null,
        _ if VARYING.contains(&key) => "…".into(),
        Value::String(text) if text.starts_with("file:") => "…".into(),
        Value::String(text)
            if is_text && text.contains(|c: char| !c.is_ascii_lowercase() && c != '-') =>
        {
            "…".into()
        }
        other => other.clone(),
    }
}

const SOURCES: [&str; 2] = ["machine \"Then\"\na -> b;\n", "machine \"Now\"\na -> b;\n"];

const TAKE: &str = r#"{"request": {"requestId": "r-1", "messages": [{"role": "user", "content": "hi"}], "context": {"k": [1, 2]},
 "tools": [{"name": "go_respond", "description": "Goes on to the answer"}, {"name": "stay", "description": "here"}], "systemPrompt": "You sort all tickets."},
 "response": {"response": {"content": [{"type": "text", "text": "All is well today."},
 {"type": "tool_use", "id": "t-1", "name": "stay", "input": {"a": 1, "b": "x"}}], "stop_reason": "end_turn"}}, "note": {"c": 3, "d": 4, "usage": 1}}"#;

/// What replaces what in a take, one for each kind of group.
const CHANGES: &[&[(&str, &str)]] = &[
    &[("go_respond", "go_reply")],
    &[("go_respond", "go_to_respond")],
    &[("go_respond", "respond")],
    &[(
        "{\"name\": \"go_respond\"",
        "{\"name\": \"wait\", \"description\": \"Waits\"}, {\"name\": \"go_respond\"",
    )],
    &[("{\"name\": \"go_respond\", \"description\": \"Goes on to the answer\"}, ", "")],
    &[(
        "{\"type\": \"text\"",
        "{\"type\": \"tool_use\", \"id\": \"t-2\", \"name\": \"look\", \"input\": {}}, {\"type\": \"text\"",
    )],
    &[(
        ",\n {\"type\": \"tool_use\", \"id\": \"t-1\", \"name\": \"stay\", \"input\": {\"a\": 1, \"b\": \"x\"}}",
        "",
    )],
    &[("\"name\": \"stay\", \"input\"", "\"name\": \"leave\", \"input\"")],
    &[(
        "{\"name\": \"go_respond\", \"description\": \"Goes on to the answer\"}, {\"name\": \"stay\", \"description\": \"here\"}",
        "{\"name\": \"stay\", \"description\": \"here\"}, {\"name\": \"go_respond\", \"description\": \"Goes on to the answer\"}",
    )],
    &[("\"a\": 1", "\"a\": 1, \"currency\": \"EUR\"")],
    &[("\"a\": 1, ", "")],
    &[("\"a\": 1", "\"a\": 2")],
    &[("All is well today.", "Nothing works any more, sorry.")],
    &[("All is well today.", "All is well today. Best regards")],
    &[("All is well today.", "All is well today. Best regards")],
    &[("sort all tickets", "write long stories about some tickets")],
    &[("sort all tickets", "sort new tickets")],
    &[("sort all tickets", "sort new tickets")],
    &[("end_turn", "max_tokens")],
    &[("end_turn", "max_tokens")],
    &[("\"hi, this", "\"ho, this")],
    &[("[1, 2]", "[1, 2, 3]")],
    &[("\"c\": 3", "\"c\": 4"), ("\"d\": 4", "\"d\": 5")],
    &[("\"c\": 3", "\"c\": 5"), ("\"d\": 4", "\"e\": 5"), ("end_turn", "stop")],
    &[("r-1", "r-2")],
    &[(": ", ":  ")],
    &[("{\"request\"", "<<<<<<< ours\n{\"request\"")],
    &[("\"usage\": 1", "\"usage\": 2")],
    &[("You sort", "Sort")],
    &[("You sort", "Sort")],
    &[("well today", "well")],
    &[("well today", "well")],
];

fn take(number: usize) -> String {
    TAKE.replace("hi\"", &format!("hi, this is question {number}\""))
}

/// A project with something for every command; its sources and takes changed since they were committed.
fn project() -> Project {
    let hash = |text: &str| sha256_hex(text.as_bytes());
    let stamp = |text: &str| stamped("machines/a.dygram", &hash(text));
    let request = json!({"model": "m", "contents": "x", "config": {}});
    let project = Project::new(&[
        ("retake.toml", include_str!("golden/retake.toml")),
        ("machines/a.dygram", SOURCES[0]),
        ("set/turn-1.json", &recording("req-1", &stamp(SOURCES[1]))),
        ("set/turn-2.json", &recording("req-2", &stamp(SOURCES[0]))),
        ("set/turn-3.json", &recording("req-3", "").replace("transition_to_b", "go")),
        ("set/turn-4.json", &recording("req-4", &stamp("other"))),
        ("mixed/half.json", "{ \"request\": {"),
        ("mixed/turn-1.json", &recording("req-1", "")),
        ("mixed/package.json", "{ \"name\": \"x\" }"),
        ("queue/requests/r-1.json", &queued("go")),
        ("queue/requests/r-2.json", &queued("ruled")),
        ("queue/requests/r-3.json", "{}"),
        ("new/r-1.json", &queued("other")),
        ("tapes/a.json", &tape(&request.to_string(), &[(1, "Hello"), (2, " there")])),
        (
            "tapes/b.json",
            &tape(
                &json!({"model": "n", "contents": "x", "config": {"t": 1}, "systemPrompt": ""})
                    .to_string(),
                &[],
            ),
        ),
    ]);
    for file in [
        "logs/playback-2026-06-02.log",
        "seeds/closing-line.test.ts",
        "seeds/refund-decision.seeds.json",
        "flakestorm.yaml",
        "replays/ticket-loop.yaml",
        "reports/flakestorm-2026-05-28.json",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-recordings").join(file);
        project.write(file, std::fs::read(path).unwrap());
    }
    for name in ["accepted", "rejected", "part", "open"] {
        project.write(&format!("takes/{name}.json"), TAKE);
    }
    for number in 0..CHANGES.len() {
        project.write(&format!("groups/{number}/turn-1.json"), take(number));
    }
    project.write(
        "groups/removed/a.seeds.json",
        r#"{"seeds": [{"schema": "s", "model": "m", "jobId": "j", "round": 0, "response": "r"}]}"#,
    );
    project.write("groups/moved/turn-1.json", take(1000));
    let sent = |model: &str| {
        let body = json!({ "model": model, "messages": [{ "role": "user", "content": "hi" }] });
        (body.to_string(), "https://api.openai.com/v1/chat/completions")
    };
    let (body, url) = sent("a");
    let call = json!({ "request": { "method": "POST", "uri": url, "headers": {}, "body": body }, "response": { "status": { "code": 200, "message": "OK" }, "headers": {}, "body": { "string": "{}" } } });
    project.write("drift/calls.json", json!({ "interactions": [call], "version": 1 }).to_string());
    let (body, url) = sent("b");
    let request = json!({ "test": "t.py::a", "phase": "call", "line": 3, "after_assertions": false, "cassette": "drift/calls.json", "call": 0, "method": "POST", "url": url, "headers": {}, "body": body });
    let log = format!("{{\"retake\": \"pytest-log\", \"version\": 1}}\n{request}\n");
    project.write("drift/requests.jsonl", log);
    project.git(&["init", "-q"]);
    project.git(&["add", "-A"]);
    project.git_on(Some(1), &["commit", "-q", "-m", "then"]);
    project.write("machines/a.dygram", SOURCES[1]);
    for (name, answer) in
        [("accepted", "well now"), ("rejected", "lost"), ("open", "late"), ("part", "part of it")]
    {
        project.write(&format!("takes/{name}.json"), TAKE.replace("well today", answer));
    }
    for (number, changes) in CHANGES.iter().enumerate() {
        let change = |text: String, (old, new): &(&str, &str)| {
            assert!(text.contains(old), "{old}");
            text.replace(old, new)
        };
        project.write(
            &format!("groups/{number}/turn-1.json"),
            changes.iter().fold(take(number), change),
        );
    }
    project.write("groups/added/a.json", tape(&request.to_string(), &[(1, "Hello")]));
    project.write("groups/elsewhere/turn-1.json", take(1000));
    for gone in ["removed", "moved"] {
        std::fs::remove_dir_all(project.path(&format!("groups/{gone}"))).unwrap();
    }
    project.write(ledger::PATH, include_str!("golden/review.json"));
    project
}

fn queued(tool: &str) -> String {
    json!({ "type": "llm_invocation_request", "requestId": "r", "timestamp": "2026-03-09T11:02:17Z", "context": {},
        "messages": [{ "role": "user", "content": "x" }], "tools": [{ "name": tool, "description": "", "input_schema": {} }], "systemPrompt": "" })
    .to_string()
}

/// The lines of the log of a server that is called once.
fn served(project: &Project) -> Value {
    let (mut serve, at) = Running::listening(project, &["serve", "tapes", "set", "--instant"]);
    send_request(
        at,
        "POST /v1/messages",
        r#"{"model": "m", "stream": true, "messages": [{"role": "user", "content": "x"}]}"#,
    );
    serve.line()
}

fn recorded(project: &Project) -> Value {
    let upstream = Mock::start(|_, stream| {
        let body = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n";
        say(stream, "200 OK", "Content-Type: text/event-stream\r\n", body.as_bytes());
    });
    let (mut record, at) =
        Running::listening(project, &["record", "--upstream", &upstream.url(), "--to", "out"]);
    send_request(
        at,
        "POST /v1beta/models/m:streamGenerateContent?alt=sse",
        r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}"#,
    );
    record.line()
}

/// `outputs.jsonl` has a command and its output on each line; with `RETAKE_GOLDEN=write` it is written again.
#[test]
fn json_outputs_keep_their_keys_and_values() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/golden/outputs.jsonl");
    let golden = std::fs::read_to_string(&path).unwrap();
    let (project, mut found) = (project(), String::new());
    let mut schemas = schemas(&project);
    for line in golden.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let run = line["run"].as_str().unwrap();
        let arguments: Vec<&str> = run.split(' ').collect();
        let output = match run {
            "serve" => served(&project),
            "record" => recorded(&project),
            _ => {
                let run = project.run(&arguments);
                let lines = run.stdout.lines().map(serde_json::from_str::<Value>);
                lines
                    .collect::<Result<Value, _>>()
                    .unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr))
            }
        };
        let name = match run {
            "undo --list --json" => "undo-list",
            _ if run.starts_with("import ") && run.contains(" --as ") => "import-as",
            _ => arguments[0],
        };
        let lines = output.as_array().cloned().unwrap_or_else(|| vec![output.clone()]);
        // SARIF has a schema of its own.
        if let Some((schema, is_used)) = schemas.get_mut(name)
            && !run.contains("sarif")
        {
            *is_used = true;
            lines.iter().for_each(|line| fits(run, schema, line));
        }
        let output = shape(arguments[0], "", &output);
        found += &format!("{}\n", json!({"run": run, "output": output}));
        if std::env::var_os("RETAKE_GOLDEN").is_none() {
            similar(run, "", &line["output"], &output);
        }
    }
    let unused = schemas.into_iter().filter(|(_, (_, is_used))| !is_used);
    let unused: Vec<String> = unused.map(|(name, _)| name).collect();
    assert_eq!(unused, ["retake.toml"], "no output for these schemas");
    if std::env::var_os("RETAKE_GOLDEN").is_some() {
        std::fs::write(&path, found).unwrap();
    }
}

/// The schemas that `retake schema` lists, by their names, and whether an output was compared with them.
fn schemas(project: &Project) -> BTreeMap<String, (Value, bool)> {
    let names = project.run(&["schema"]).stdout;
    let names = names.lines().filter_map(|line| line.split_once(' '));
    let names = names.map(|(name, _)| (name.to_owned(), (schema(project, name), false)));
    names.collect()
}

/// A schema that accepts no members but those that it describes.
fn schema(project: &Project, name: &str) -> Value {
    let mut schema = project.run(&["schema", name]).json();
    close(&mut schema);
    schema
}

/// Makes all objects of a schema refuse other members.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.get("properties").is_some_and(Value::is_object)
                && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// Panics if a value does not fit a schema.
fn fits(run: &str, schema: &Value, value: &Value) {
    let parse = |value: &Value| json_format::parse(&Source::new(value.to_string())).0;
    let (schema, value) = (parse(schema), parse(value));
    let found = misfits(schema.root().unwrap(), value.root().unwrap());
    assert!(found.is_empty(), "`retake {run}`: {found:#?}");
}

/// What the reader of `retake.toml` accepts is what its schema describes.
#[test]
fn the_schema_of_the_settings_has_the_keys_that_are_read() {
    let project = Project::new(&[]);
    let schema = schema(&project, "retake.toml");
    for (header, pointer) in [
        ("", ""),
        ("[secrets]", "/properties/secrets"),
        ("[cassettes]", "/properties/cassettes"),
        ("[review]", "/properties/review"),
        ("[[review.ignore]]", "/properties/review/properties/ignore/items"),
        ("[regenerate]", "/properties/regenerate"),
        ("[[answer]]", "/properties/answer/items"),
    ] {
        let (_, problems) = settings::parse(&Source::new(format!("{header}\nzzz = 1")));
        let mut known = problems
            .iter()
            .filter_map(|problem| problem.help.as_deref()?.strip_prefix("The settings here are "));
        let known = known.next().unwrap_or_else(|| panic!("{header} {problems:?}"));
        let mut known: Vec<&str> = known.trim_end_matches('.').split(", ").collect();
        known.sort_unstable();
        let described = schema.pointer(&format!("{pointer}/properties")).unwrap();
        let described: Vec<&String> = described.as_object().unwrap().keys().collect();
        assert_eq!(described, known, "{header}");
    }
}

/// Panics at the first place where two values differ.
fn similar(run: &str, pointer: &str, old: &Value, new: &Value) {
    match (old, new) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().for_each(|(key, old)| similar(run, &format!("{pointer}/{key}"), old, &b[key]));
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (0..a.len()).for_each(|at| similar(run, &format!("{pointer}/{at}"), &a[at], &b[at]));
        }
        _ => assert_eq!(old, new, "`retake {run}` at {pointer}"),
    }
}

/// The ids of groups are in scripts: they do not depend on the texts that people read.
#[test]
fn ids_of_review_groups_stay_the_same() {
    let review = project().run(&["review", "groups", "--json"]).json();
    let ids = review["groups"].as_array().unwrap().iter();
    let ids: Vec<&str> = ids.map(|group| group["id"].as_str().unwrap()).collect();
    insta::assert_snapshot!(ids.join("\n"), @"
    new-version-is-unreadable
    moved-nothing-else
    only-bytes-differ
    only-times-and-ids-differ
    only-what-is-set-aside-differs
    stop-reason-is-max-tokens-not-end-turn
    field-d-removed-and-3-more
    field-c-changed-and-field-d-changed
    best-regards-added
    today-dropped
    calls-leave-not-stay
    calls-look-as-well
    no-longer-calls-stay
    field-a-removed
    field-currency-added
    field-a-changed
    worded-otherwise
    you-sort-became-sort
    all-became-new
    tool-respond-became-reply
    tool-names-gained-to
    tool-names-lost-go
    tool-go-respond-removed
    tool-wait-added
    field-k-added
    elements-of-tools-in-another-order
    prompt-changed
    worded-otherwise-sent
    takes-added
    takes-removed
    ");
}

#[test]
fn decisions_of_a_review_are_read_and_written_as_before() {
    let text = include_str!("golden/review.json");
    assert_eq!(ledger::write(&ledger::read(text).unwrap()), text);
    let project = project();
    let pairs = &project.run(&["review", "takes", "--json"]).json()["pairs"];
    let decided = pairs.as_array().unwrap().iter();
    let decided: Vec<Value> =
        decided.map(|it| json!([it["new"], it["verdict"], it["decided"], it["note"]])).collect();
    assert_eq!(
        json!(decided),
        json!([
            ["takes/accepted.json", "accept", true, "looked at"],
            ["takes/open.json", null, false, ""],
            ["takes/part.json", "part", true, ""],
            ["takes/rejected.json", "reject", true, ""],
        ])
    );
}

#[test]
fn an_unsaved_edit_is_recovered_and_written_as_before() {
    let project = Project::new(&[("s/a.json", "1\n")]);
    let root = Root::open(&project.path("")).unwrap();
    let folder = root.path().to_str().unwrap();
    let golden = include_str!("golden/unsaved.json").trim_end().replace("FOLDER", folder);
    project.write("state/unsaved/0123456789abcdef-0123456789abcdef.json", &golden);
    let mut drafts = DraftStore::open(&project.path("state")).unwrap();
    let left = drafts.list_left_over();
    assert!(left.remarks.is_empty(), "{:?}", left.remarks);
    let [draft] = left.drafts.as_slice() else {
        panic!("{:?}", left.drafts);
    };
    assert_eq!(
        (&draft.path, &draft.file_state),
        (&root.path().join("s/a.json"), &DraftFileState::Same)
    );
    assert_eq!(
        (draft.base.as_ref().map(Source::text), draft.text.text()),
        (Some("1\n"), "2\r\nü\n")
    );
    drafts.discard(draft.id);
    drafts.keep(&SaveTarget::beneath(&root, "s/a.json").unwrap(), Some("1\n"), "2\r\nü\n").unwrap();
    let mut files = std::fs::read_dir(project.path("state/unsaved")).unwrap();
    let written = files.find_map(|file| {
        let path = file.unwrap().path();
        (path.extension()? == "json").then(|| std::fs::read_to_string(path).unwrap())
    });
    assert_eq!(written.unwrap(), golden);
}

#[test]
fn settings_are_read_and_rules_are_written_as_before() {
    let text = include_str!("golden/retake.toml");
    let (settings, problems) = settings::parse(&Source::new(text));
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(settings.paths, ["set", "tapes"]);
    assert_eq!(settings.levels.mode.to_string(), "strict");
    let levels: Vec<String> =
        settings.levels.rules.iter().map(|(rule, level)| format!("{rule} {level:?}")).collect();
    assert_eq!(
        (levels.join(" "), settings.difftool.as_deref()),
        ("signature-shared Off".to_owned(), Some("meld"))
    );
    assert!(settings.ignore.hides("drafts/a.json") && settings.regenerate.is_some());
    let rules = settings.review.iter().map(|rule| rule.toml());
    let rules: Vec<String> = rules.chain(settings.answers.iter().map(|rule| rule.toml())).collect();
    assert!(text.ends_with(&rules.join("\n")), "{}", rules.join("\n"));
}

#[test]
fn a_hook_of_an_earlier_version_is_written_again() {
    let project = Project::new(&[]);
    project.git(&["init", "-q"]);
    let golden = include_str!("golden/pre-commit");
    project.write(".git/hooks/pre-commit", golden);
    let run = project.run(&["hook", "install"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let hook = project.read(".git/hooks/pre-commit");
    assert!(hook != golden && hook.contains("check --staged"), "{hook}");
}
