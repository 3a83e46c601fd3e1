//! What the programs that own cassettes answer to requests, and what Retake says that they answer: vcrpy 6, 8 and 9, and cassetter.
//!
//! The owners are installed from a registry; without one nothing is compared.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use document::edit::JsonValue;
use document::text::Source;
use play::client::{
    CassettePlayer, CassetteState, ClientRules, HttpRequest, Outcome, RecordMode, RecordedRequest,
    RecorderClient, Replacement, RequestBody, matchers_named,
};
use serde_json::{Value, json};

use crate::owner_edits::python;

/// How many cassettes are played by each owner; the variable `RETAKE_PLAYED_CASSETTES` sets the number for vcrpy 9, and a tenth of it for
/// the others.
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

/// Plays cassettes that an owner has played, and compares call by call. A path of modules comes before those of the owner's program.
fn compare(owner: &str, modules: Option<&str>, count: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(python) = python() else { return };
    let mut command = Command::new(python);
    command.arg(root.join("tests/owner/play_cassettes.py"));
    command.args([owner, &count.to_string(), "1"]);
    if let Some(modules) = modules {
        command.env("PYTHONPATH", modules);
    }
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
    let _ = writeln!(std::io::stderr(), "{owner} {}: {calls} calls", modules.unwrap_or_default());
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
            let name = if text.starts_with('{') { "case.json" } else { "case.yaml" };
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
        // Its error says no more.
        _ if owner == "cassetter" => json!("refused"),
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

fn rules(owner: &str, case: &Value) -> ClientRules {
    let settings = &case["settings"];
    let client = if owner == "vcrpy" { RecorderClient::Vcrpy } else { RecorderClient::Cassetter };
    let texts = |key: &str| -> Option<Vec<Box<str>>> {
        let items = settings[key].as_array()?;
        Some(items.iter().map(|item| item.as_str().unwrap().into()).collect())
    };
    let replacements = |key: &str| -> Vec<Replacement> {
        let read = |item: &Value| match item.as_array() {
            Some(pair) => (pair[0].as_str().unwrap().into(), pair[1].as_str().map(Box::from)),
            None => (item.as_str().unwrap().into(), None),
        };
        settings[key].as_array().map_or_else(Vec::new, |items| items.iter().map(read).collect())
    };
    let mut rules = ClientRules::new(client);
    if owner == "vcrpy" {
        let part = |index: usize| u16::try_from(case["version"][index].as_u64().unwrap()).unwrap();
        rules.version = (part(0), part(1));
        rules.filters.headers = replacements("filter_headers");
        rules.filters.query = replacements("filter_query_parameters");
        rules.filters.post_data = replacements("filter_post_data_parameters");
    }
    if let Some(names) = texts("match_on") {
        rules.matchers = matchers_named(client, &names).unwrap();
    }
    rules.mode = RecordMode::named(settings["record_mode"].as_str().unwrap()).unwrap();
    rules.repeats = settings["allow_playback_repeats"] == true;
    rules.ignored_hosts = texts("ignore_hosts").unwrap_or_default();
    rules.ignored_paths = texts("ignore_json_paths").unwrap_or_default();
    if settings["ignore_localhost"] == true {
        let hosts = ["localhost", "0.0.0.0", "127.0.0.1", "::1"];
        // vcrpy did not know the last one before 9.
        let known = if rules.is_since(9, 0) { 4 } else { 3 };
        rules.ignored_hosts.extend(hosts.into_iter().take(known).map(Box::from));
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
            (_, Some(tree)) => RequestBody::Tree(JsonValue::parse(&tree.to_string()).unwrap()),
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
