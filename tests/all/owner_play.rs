//! What the programs that own cassettes answer to requests, and what Retake says that they answer: vcrpy 6, 8 and 9, and cassetter.
//!
//! The owners are installed from a registry; without one nothing is compared.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use calls::cassette_config::{CassetteSources, PythonFile, configure};
use calls::python::PythonModule;
use document::edit::JsonValue;
use document::text::Source;
use play::client::{
    CassettePlayer, CassetteState, ClientRules, HttpRequest, Outcome, RecordedRequest,
    RecorderClient, RequestBody,
};
use serde_json::{Value, json};

use crate::owner_edits::python;

/// Number of cassettes that are played by vcrpy 9; each of the others plays a tenth. The variable `RETAKE_PLAYED_CASSETTES` sets
/// another number, and `RETAKE_PLAYED_SEED` makes other cassettes.
const CASSETTES: usize = 800;

fn count(share: usize) -> usize {
    let number = std::env::var("RETAKE_PLAYED_CASSETTES").ok();
    number.map_or(CASSETTES, |number| number.parse().unwrap()) / share
}

/// Returns a folder with another version of vcrpy; `None` where there is no registry.
fn vcrpy(python: &Path, version: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("vcrpy-{version}"));
    let folder = folder.to_str()?.to_owned();
    if !Path::new(&folder).join("vcr").is_dir() {
        let program = python.display();
        let install = format!(
            "timeout 120 '{program}' -m pip install -q --no-deps --timeout 10 --retries 1 --target '{folder}' vcrpy=={version}"
        );
        let status = Command::new("sh").args(["-c", &install]).status();
        status.is_ok_and(|status| status.success()).then_some(())?;
    }
    Some(folder)
}

/// Plays cassettes that an owner of Python has played. A path of modules comes before those of the owner's program.
fn compare(owner: &str, modules: Option<&str>, count: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(python) = python() else { return };
    let mut command = Command::new(python);
    command.arg(root.join("tests/owner/play_cassettes.py"));
    command.args([owner, &count.to_string(), &seed()]);
    if let Some(modules) = modules {
        command.env("PYTHONPATH", modules);
    }
    compare_played(owner, command, count);
}

pub(crate) fn seed() -> String {
    std::env::var("RETAKE_PLAYED_SEED").unwrap_or_else(|_| "1".to_owned())
}

/// Plays what an owner has played and printed, and compares call by call.
pub(crate) fn compare_played(owner: &str, mut command: Command, count: usize) {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("ModuleNotFoundError") {
        let _ =
            writeln!(std::io::stderr(), "{owner} cannot be installed here: nothing was compared");
        return;
    }
    assert!(output.status.success(), "{errors}");
    let (mut calls, mut wrong) = (0, Vec::new());
    let text = String::from_utf8(output.stdout).unwrap();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let expected = expected(&case);
        let answers = answers(owner, &case);
        calls += expected.len();
        if answers != expected {
            wrong.push(format!("{line}\n  Retake: {}", json!(answers)));
        }
    }
    assert_eq!(text.lines().count(), count);
    assert!(calls >= count, "{calls}");
    let examples = wrong.iter().take(3).cloned().collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {count} differ:\n{examples}", wrong.len());
    let _ = writeln!(std::io::stderr(), "{owner}: {calls} calls");
}

fn expected(case: &Value) -> Vec<Value> {
    match case.get("load") {
        Some(error) => vec![json!({ "load": error })],
        None => case["answers"].as_array().unwrap().clone(),
    }
}

/// Plays a case.
fn answers(owner: &str, case: &Value) -> Vec<Value> {
    let (rules, state) = (rules(owner, case), &case["text"]);
    let (calls, state) = match state.as_str() {
        Some(text) => {
            let is_json = text.starts_with('{') && owner != "httpmock";
            let name = if is_json { "case.json" } else { "case.yaml" };
            let document = document::read(Source::new(text), name);
            (RecordedRequest::all(&document), CassetteState::Loaded)
        }
        None => (Vec::new(), CassetteState::Missing),
    };
    let mut player = match CassettePlayer::new(calls, state, rules) {
        Ok(player) => player,
        Err(error) => return vec![json!({ "load": error })],
    };
    let requests = case["requests"].as_array().unwrap().iter();
    let answer = |request| {
        let answer = player.answer(&sent(request));
        assert!(answer.unknown.is_empty(), "{case}");
        written(owner, &answer.outcome)
    };
    requests.map(answer).collect()
}

fn written(owner: &str, outcome: &Outcome) -> Value {
    let names = |matchers: &[play::client::Matcher]| -> Vec<&str> {
        matchers.iter().map(|matcher| matcher.as_str()).collect()
    };
    match outcome {
        Outcome::Played { index, .. } => json!({ "played": index }),
        Outcome::PlayedNew(number) => json!({ "new": number }),
        Outcome::Recorded => json!("recorded"),
        Outcome::Ignored => json!("ignored"),
        // Their errors say no more.
        _ if owner != "vcrpy" => json!("refused"),
        Outcome::NoCassette => json!("no-file"),
        Outcome::Consumed(indices) => json!({ "used": indices }),
        Outcome::Raised(error) => json!({ "raises": error }),
        Outcome::NoMatch(candidates) => {
            let candidates = candidates.iter();
            let candidates =
                candidates.map(|c| json!([c.index, names(&c.succeeded), names(&c.failed)]));
            json!({ "none": candidates.collect::<Vec<_>>() })
        }
    }
}

/// Reads the settings of the test that uses a cassette; mocks have none.
fn rules(owner: &str, case: &Value) -> ClientRules {
    let is_owner = |client: &&RecorderClient| client.as_str() == owner;
    let client = *RecorderClient::ALL.iter().find(is_owner).unwrap();
    if case["code"].is_null() {
        return ClientRules::new(client);
    }
    let module = PythonModule::parse(&Source::new(case["code"].as_str().unwrap()));
    let facts = configure(&CassetteSources {
        path: case["path"].as_str().unwrap(),
        files: vec![Arc::new(PythonFile { path: "test_m.py".into(), module })],
        ..CassetteSources::default()
    });
    let mut rules = ClientRules::configured(client, &facts).unwrap();
    assert!(facts.test.is_some() && rules.origins.unread.is_empty(), "{case}");
    if owner == "vcrpy" {
        let part = |index: usize| u16::try_from(case["version"][index].as_u64().unwrap()).unwrap();
        rules.version = (part(0), part(1));
    }
    if !rules.is_since(9, 0) {
        // It did not know this local host.
        rules.ignored_hosts.retain(|host| **host != *"::1");
    }
    rules
}

fn sent(request: &Value) -> HttpRequest {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let body = &request["body"];
    let headers = request["headers"].as_array().unwrap().iter();
    HttpRequest {
        method: Some(text(&request["method"])),
        url: Some(text(&request["uri"])),
        headers: Some(headers.map(|pair| (text(&pair[0]), text(&pair[1]))).collect()),
        body: match (body.get("base64"), body.get("tree")) {
            (Some(bytes), _) => RequestBody::Bytes(BASE64_STANDARD.decode(text(bytes)).unwrap()),
            (_, Some(tree)) => RequestBody::Tree(JsonValue::parse(&text(tree)).unwrap()),
            _ => RequestBody::Missing,
        },
    }
}

#[test]
fn vcrpy_answers_as_retake_says() {
    compare("vcrpy", None, count(1));
    let Some(python) = python() else { return };
    for version in ["8.5.0", "6.0.2"] {
        if let Some(folder) = vcrpy(&python, version) {
            compare("vcrpy", Some(&folder), count(10));
        }
    }
}

#[test]
fn cassetter_answers_as_retake_says() {
    compare("cassetter", None, count(10));
}
