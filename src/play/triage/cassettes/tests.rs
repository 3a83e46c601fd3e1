use std::sync::Arc;

use super::super::{Triage, read_log};
use super::record::RecordCommand;
use super::*;
use crate::run_log::{TestName, TestPhase};
use calls::cassette_config::{
    CassetteFacts, ConfigFilter, ConfigOrigin, ConfigTexts, FilterEntry, TestPlace,
};
use calls::{Item, Pool, summarise};
use document::files::FileStep;
use document::text::Source;

const URL: &str = "https://api.example/v1/chat?v=1";

/// Returns a recorded call with this body.
fn call(url: &str, body: &str) -> String {
    format!(
        "- request: {{method: POST, uri: '{url}', headers: {{content-type: [application/json]}}, body: '{body}'}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{{\"choices\": []}}'}}}}\n"
    )
}

fn chat(prompt: &str, end: &str) -> String {
    format!(
        "{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{prompt}\"}}]{end}}}"
    )
}

/// The module of the tests.
const MODULE: &str = "import pytest\n\ndef test_swapped():\n    ask('Weather in Paris now')\n    ask('Weather in Rome now')\n    ask('Weather in Oslo now')\n\ndef test_named():\n    pass\n";

/// The cassettes of a project: those of `tests/test_a.py`, and one with a name of its own.
fn project() -> (Vec<Item>, BTreeMap<Arc<str>, Document>) {
    let origin = |path: &str| ConfigOrigin { path: path.into(), line: 1 };
    let gone = CassetteFacts { orphan: Some("gone".into()), ..CassetteFacts::default() };
    let used = |name: &str| CassetteFacts {
        test: Some(TestPlace { name: name.into(), origin: origin("tests/test_a.py") }),
        ..CassetteFacts::default()
    };
    let plain = || CassetteFacts {
        match_on: Some(ConfigTexts {
            key: "match_on".into(),
            texts: Some(vec!["uri".into(), "body".into()]),
            origin: origin("tests/conftest.py"),
        }),
        ..CassetteFacts::default()
    };
    let tools = |kind: &str| {
        chat("Hi", &format!(",\"tools\":[{{\"name\":\"refund\",\"type\":\"{kind}\"}}]"))
    };
    let long = format!("You answer mails. {} Answer in German.", "Be kind. ".repeat(60));
    let files = [
        (
            "tests/cassettes/test_a/test_x.yaml",
            vec![chat("Other words", ""), chat("Sum up in three words.", "")],
            plain(),
        ),
        ("tests/cassettes/test_a/test_tools.yaml", vec![tools("int")], plain()),
        ("tests/cassettes/test_a/test_long.yaml", vec![chat(&long, "")], plain()),
        ("tests/cassettes/test_a/TestB.test_y[de-at].yaml", vec![chat("Hi", "")], plain()),
        ("tests/cassettes/test_a/test_old_name.yaml", vec![chat("Bye", "")], gone),
        (
            "tests/cassettes/test_a/test_order.yaml",
            vec![chat("a", ""), chat("b", "")],
            CassetteFacts::default(),
        ),
        (
            "tests/cassettes/test_a/test_swapped.yaml",
            ["Oslo", "Paris", "Rome"]
                .map(|city| chat(&format!("Weather in {city} now"), ""))
                .into(),
            used("test_swapped"),
        ),
        ("tests/cassettes/own.yaml", vec![chat("Hi", "")], used("test_named")),
        ("other/cassettes/test_a/test_only_other.yaml", vec![chat("Hi", "")], plain()),
    ];
    let mut documents = BTreeMap::new();
    let items = files.into_iter().map(|(path, bodies, facts)| {
        let calls: String = bodies.iter().map(|body| call(URL, body)).collect();
        let text = format!("interactions:\n{calls}version: 1\n");
        let document = document::read(Source::new(text), path);
        let item = summarise(path.into(), path, 0, &document, Vec::new(), None, &Pool::default());
        documents.insert(path.into(), document);
        item.with_cassette(Some(facts))
    });
    (items.collect(), documents)
}

fn triage(log: &str) -> Triage {
    triage_with(log, None)
}

fn triage_with(log: &str, ledger: Option<ReviewLedger>) -> Triage {
    let (items, mut documents) = project();
    let index = CassetteIndex::new(items.iter());
    let failures = read_log("ci.log", log).failures;
    let tests = failures.iter().filter_map(|failure| failure.cassette_test());
    // The engine reads no others.
    let needed = index.needed(tests.map(|test| &**test));
    documents.retain(|path, _| needed.contains(path));
    let failures = failures.into_iter().map(|failure| (failure, Err(String::new())));
    let modules = BTreeMap::from([("tests/test_a.py".into(), Source::new(MODULE))]);
    let files = CassetteFiles { index, documents, modules, ledger };
    Triage::new(failures.collect(), &BTreeMap::new(), &BTreeMap::new(), &files)
}

/// Describes what a log leads to: the cause, the place with its evidence, and the fix.
fn describe(log: &str) -> String {
    let triage = triage(log);
    let described = triage.failures.iter().map(|failure| match &failure.result {
        Ok(assigned) => {
            let diagnosis = &assigned.diagnosis;
            let cassette = diagnosis.cassette.as_ref().unwrap();
            format!(
                "{} | {}{} | {} | {}",
                diagnosis.cause.title(),
                cassette.path.as_deref().unwrap_or("-"),
                cassette.call.map_or_else(String::new, |call| format!("#{call}")),
                diagnosis.evidence,
                cassette.fix.describe().unwrap_or_default(),
            )
        }
        Err(reason) => format!("? {reason}"),
    });
    described.collect::<Vec<_>>().join("\n")
}

/// Returns the log of pytest for a test that fails with an error.
fn log(test: &str, error: &str) -> String {
    let error: String = error.lines().map(|line| format!("E   {line}\n")).collect();
    let heading = test.replace("::", ".");
    format!(
        "=== FAILURES ===\n____ {heading} ____\ntests/test_a.py:1: in x\n{error}=== short test summary info ===\nFAILED tests/test_a.py::{test} - x\n"
    )
}

/// Returns the log of vcrpy 9 for a request.
fn new(test: &str, headline: &str, url: &str, body: &str, end: &str) -> String {
    let path =
        format!("/ci/tests/cassettes/test_a/{}.yaml", test.replace("::", ".").replace('/', "-"));
    let count = usize::from(headline != MISSING);
    log(
        test,
        &format!(
            "vcr.E: Can't play back this request: {headline}\n\n  POST {url}\n  body: {body}\n\nCassette: {path}\n  match_on: uri, body\n  interactions: {count} recorded, 0 played\n{end}"
        ),
    )
}

const MISMATCH: &str = "no recorded interaction matches it (the closest differ in body).";
const CONSUMED: &str = "it matches 1 recorded interaction, but that has already been played back.";
const MISSING: &str = "the cassette doesn't exist, and record_mode 'none' doesn't record new ones.";

#[test]
fn a_request_leads_to_the_nearest_call_and_what_differs_in_it() {
    insta::assert_snapshot!(describe(&new("test_x", MISMATCH, URL, &chat("Sum up in two words.", ""), "")), @"Prompt changed: `three` → `two` | tests/cassettes/test_a/test_x.yaml#2 | Call 2: messages[0].content: `three` → `two`. | Change the recorded request to what is sent, with the same answer");
    insta::assert_snapshot!(describe(&new("test_x", MISMATCH, URL, &chat("Other words", ",\"temperature\":0.5"), "")), @"Parameter changed: `temperature: 0.5` added | tests/cassettes/test_a/test_x.yaml#1 | Call 1: temperature: `0.5` added. | Change the recorded request to what is sent, with the same answer (also call 2, where the same is recorded)");
    insta::assert_snapshot!(describe(&new("test_tools", MISMATCH, URL, &chat("Hi", ",\"tools\":[{\"name\":\"refund\",\"type\":\"text\"}]"), "")), @"Tool schema changed: `int` → `text` | tests/cassettes/test_a/test_tools.yaml#1 | Call 1: tools[0].type: `int` → `text`. | Change the recorded request to what is sent, with the same answer");
    insta::assert_snapshot!(describe(&new("test_tools", MISMATCH, URL, &chat("Hi", "").replace("\"m\"", "\"n\""), "")), @r#"Model changed: `m` → `n` | tests/cassettes/test_a/test_tools.yaml#1 | Call 1: model: `m` → `n`; tools: `[{"name":"refund","type":"int"}]` removed. | Change the recorded request to what is sent, with the same answer"#);
    insta::assert_snapshot!(describe(&new("test_x", MISMATCH, "https://api.example/v1/chat?v=2", &chat("Other words", ""), "")), @"Query changed: `v=1` → `v=2` | tests/cassettes/test_a/test_x.yaml#1 | Call 1: query: `v=1` → `v=2`. | Change the recorded request to what is sent, with the same answer (also call 2, where the same is recorded)");
    insta::assert_snapshot!(describe(&new("test_x", MISMATCH, "https://eu.api.example/v1/chat?v=1", &chat("Other words", ""), "")), @"Host changed: `api.example` → `eu.api.example` | tests/cassettes/test_a/test_x.yaml#1 | Call 1: host: `api.example` → `eu.api.example`. | Change the recorded request to what is sent, with the same answer (also call 2, where the same is recorded)");
    insta::assert_snapshot!(describe(&new("test_x", MISMATCH, "https://api.example/v1/other?v=1", &chat("Other words", ""), "")), @"Path changed: `/v1/chat` → `/v1/other` | tests/cassettes/test_a/test_x.yaml#1 | Call 1: path: `/v1/chat` → `/v1/other`. |");
    insta::assert_snapshot!(describe(&new("test_x", MISMATCH, URL, &chat("Other words", ""), "")), @"Fixed since the log was written | tests/cassettes/test_a/test_x.yaml#1 | Call 1 has recorded this request. |");
    // The client compares no host.
    let other_host =
        new("test_x", MISMATCH, "https://eu.api.example/v1/chat?v=1", &chat("Other words", ""), "");
    insta::assert_snapshot!(describe(&other_host.replace("on: uri, body", "on: path, body")), @"Fixed since the log was written | tests/cassettes/test_a/test_x.yaml#1 | Call 1 has recorded this request. |");
    insta::assert_snapshot!(describe(&new("test_x", CONSUMED, URL, &chat("Sum up in three words.", ""), "")), @"A request is sent more often than recorded | tests/cassettes/test_a/test_x.yaml#2 | Call 2 was played, and the request was sent again. | Add call 2 once more, with the same answer; or if each of these requests may get the same answer, set `allow_playback_repeats=True`");
    insta::assert_snapshot!(describe(&new("TestB::test_y[de/at]", CONSUMED, URL, &chat("Hi", ""), "")), @"A request is sent more often than recorded | tests/cassettes/test_a/TestB.test_y[de-at].yaml#1 | Call 1 was played, and the request was sent again. | Add call 1 once more, with the same answer; or if each of these requests may get the same answer, set `allow_playback_repeats=True`");
}

#[test]
fn a_body_that_the_log_cuts_is_compared_as_far_as_it_goes() {
    let body = "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"You answer mails. Be kind. … (600 characters)";
    let end = "\nClosest recorded requests:\n  1. POST https://api.example/v1/chat?v=1\n     body differs:\n       --- recorded\n       +++ this request\n       @@ -3,3 +3,3 @@\n            {\n       -      \"content\": \"You answer mails. Be kind. Be…\n       +      \"content\": \"You answer letters. Be kind. Be…\n              \"role\": \"user\"\n";
    insta::assert_snapshot!(describe(&new("test_long", MISMATCH, URL, &body.replace("mails. Be kind. ", ""), end)), @"Prompt changed: `mails` → `letters` | tests/cassettes/test_a/test_long.yaml#1 | Call 1: messages[0].content: `mails` → `letters`. |");
    insta::assert_snapshot!(describe(&new("test_long", MISMATCH, URL, &body.replace("mails", "letters"), "")), @"Prompt changed: `mails. Be kind. Be kind. Be` → `letters. Be kind.` | tests/cassettes/test_a/test_long.yaml#1 | Call 1: messages[0].content: `mails. Be kind. Be kind. Be` → `letters. Be kind.`. |");
    insta::assert_snapshot!(describe(&new("test_long", MISMATCH, URL, body, "")), @"The body of the request is not recorded | tests/cassettes/test_a/test_long.yaml#1 | Call 1 has this address. | To see what is sent, run the test without `--tb=short`, or with vcrpy 9");
}

#[test]
fn a_missing_cassette_may_be_one_of_a_renamed_test() {
    insta::assert_snapshot!(describe(&new("test_none", MISSING, URL, &chat("New", ""), "")), @"Cassette missing | tests/cassettes/test_a/test_none.yaml | There is no tests/cassettes/test_a/test_none.yaml. |");
    insta::assert_snapshot!(describe(&new("test_new_name", MISSING, URL, &chat("Bye", ""), "")), @"Test renamed: `test_old_name` → `test_new_name` | tests/cassettes/test_a/test_new_name.yaml | `tests/cassettes/test_a/test_old_name.yaml` is of a test that is gone, and has recorded the request. | Rename `test_old_name.yaml` to `test_new_name.yaml`");
    insta::assert_snapshot!(describe(&new("test_farewell", MISSING, URL, &chat("Bye", ""), "")), @"Test renamed: `test_old_name` → `test_farewell` | tests/cassettes/test_a/test_farewell.yaml | `tests/cassettes/test_a/test_old_name.yaml` is of a test that is gone, and has recorded the request. | Rename `test_old_name.yaml` to `test_farewell.yaml`");
    // A cassette of the same name in another folder is not that of the test.
    insta::assert_snapshot!(describe(&new("test_only_other", MISSING, URL, &chat("Hi", ""), "")), @"Cassette missing | tests/cassettes/test_a/test_only_other.yaml | There is no tests/cassettes/test_a/test_only_other.yaml. |");
    insta::assert_snapshot!(describe(&new("test_x", MISSING, URL, &chat("Hi", ""), "")), @"Cassette is there now | tests/cassettes/test_a/test_x.yaml | The run had none at this path. |");
    let elsewhere =
        new("test_x", MISSING, URL, &chat("Hi", ""), "").replace("test_a/test_x", "test_b/test_x");
    insta::assert_snapshot!(describe(&elsewhere), @"No cassettes in `tests/cassettes/test_b` | tests/cassettes/test_b/test_x.yaml | There is no tests/cassettes/test_b/test_x.yaml. |");
}

#[test]
fn without_a_path_in_the_log_the_name_of_the_test_names_the_cassette() {
    insta::assert_snapshot!(describe(&log("test_x", "openai.APIConnectionError: Connection error.")), @"The test hides the error of its client | tests/cassettes/test_a/test_x.yaml | It has 2 calls. |");
    insta::assert_snapshot!(describe(&log("test_named", "AssertionError: no")), @"The test expects another answer | tests/cassettes/own.yaml | It is the cassette of the test. |");
    insta::assert_snapshot!(describe(&log("test_order", "AssertionError: assert 'b' == 'a'")), @r#"The order of calls decides their answers | tests/cassettes/test_a/test_order.yaml | Calls 1 and 2 have one address and different bodies, and the client compares no bodies. | Set `match_on=["method", "scheme", "host", "port", "path", "query", "body"]`: 2 of 2 calls that are equal now would be distinct"#);
    insta::assert_snapshot!(describe(&log("test_y", "AssertionError: no")), @"? No client of cassettes reports an error, and the test has no cassette");
    insta::assert_snapshot!(describe(&log("test_x", "RuntimeError: Network is disabled for host '127.0.0.1'")), @"Network blocked for `127.0.0.1` | tests/cassettes/test_a/test_x.yaml |  | Mark the test with `vcr` and record it, or allow the host");
    insta::assert_snapshot!(describe("--- FAIL: Own (0.02s)\n    a_test.go:3: Post \"https://x/v1\": requested interaction not found\n"), @"Host changed: `api.example` → `x` | tests/cassettes/own.yaml#1 | Call 1: host: `api.example` → `x`; path: `/v1/chat` → `/v1`; query: `v=1` removed. |");
    insta::assert_snapshot!(describe("--- FAIL: Unknown (0.02s)\n    a_test.go:3: Post \"https://x/v1\": requested interaction not found\n"), @"? Nothing in the log names its cassette");
}

#[test]
fn an_error_without_the_body_is_compared_with_the_code_of_the_test() {
    let old = "Can't overwrite existing cassette ('/ci/tests/cassettes/test_a/test_x.yaml') in your current record mode ('none').\nNo match for the request (<Request (POST) https://api.example/v1/chat?v=1>) was found.\nFound 1 similar requests with 1 different matcher(s) :\n\n1 - (<Request (POST) https://api.example/v1/chat?v=1>).\nMatchers failed :\nbody - assertion failure :\n";
    let text = log("test_x", old);
    insta::assert_snapshot!(describe(&text), @"The body of the request is not recorded | tests/cassettes/test_a/test_x.yaml#1 | Calls 1 and 2 have this address. | To see what is sent, run the test without `--tb=short`, or with vcrpy 9");
    let with_code = |code: &str| describe(&text.replace(": in x\n", &format!(": in x\n{code}")));
    insta::assert_snapshot!(with_code("    chat('Other short words')\n"), @"The body of the request is not recorded | tests/cassettes/test_a/test_x.yaml#1 | Call 1: messages[0].content: `short` added. This is the code in the log; the log does not print what was sent. | To see what is sent, run the test without `--tb=short`, or with vcrpy 9");
    insta::assert_snapshot!(with_code("    def test_x():\n        chat('Other short words')\n"), @"Prompt changed: `short` added | tests/cassettes/test_a/test_x.yaml#1 | Call 1: messages[0].content: `short` added. This is the code in the log; the log does not print what was sent. |");
    // The recorded text is sent, too, so that it did not change. This also holds where the body is known.
    let body = "real_request_body = b'{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Sum up in five words.\"}]}'\n";
    insta::assert_snapshot!(with_code(&format!("    def test_x():\n        chat('Sum up in three words.')\n        chat('Sum up in five words.')\n{body}")), @"A request is not recorded | tests/cassettes/test_a/test_x.yaml#2 | The text of call 2 is in the code, too, and `five` is not recorded. This is the code in the log. |");
    insta::assert_snapshot!(with_code("    def test_x():\n        chat('Sum up in three words.')\n        chat('Sum up in five words.')\n"), @"A request is not recorded | tests/cassettes/test_a/test_x.yaml#2 | The text of call 2 is in the code, too, and `five` is not recorded. This is the code in the log; the log does not print what was sent. |");
}

#[test]
fn calls_are_put_in_the_order_in_which_the_code_sends_them() {
    let log = log("test_swapped", "AssertionError: assert 'rain' == 'sun'");
    insta::assert_snapshot!(describe(&log), @r#"Calls are sent in another order than recorded | tests/cassettes/test_a/test_swapped.yaml | The code in tests/test_a.py:3 sends calls 2, 3 and 1 in this order, and the client compares no bodies. | Put the calls in the order in which the test sends them; or set `match_on=["method", "scheme", "host", "port", "path", "query", "body"]`: 3 of 3 calls that are equal now would be distinct"#);
    let triage = triage(&log);
    let [FileStep::Write { before: Some(before), after: Some(after), .. }] =
        &triage.plan.all.steps[..]
    else {
        panic!("{:?}", triage.plan.all)
    };
    let [before, after] = [before, after].map(|bytes| String::from_utf8_lossy(bytes));
    let places = |text: &str| {
        let cities = ["Paris", "Rome", "Oslo"].map(|city| text.find(city).unwrap());
        (cities.is_sorted(), text.len(), text.lines().count())
    };
    let (_, bytes, lines) = places(&before);
    assert_eq!(places(&after), (true, bytes, lines), "{after}");
}

#[test]
fn the_command_that_records_again_is_that_of_the_client() {
    let command = |client, name: &str, file: &str, path: &str| {
        let test = TestName { file: Some(file.into()), name: name.into(), ..TestName::default() };
        let miss = Miss { client: Some(client), ..Miss::default() };
        let failed = FailedTest { line: 1, test, phase: TestPhase::Call, miss };
        match RecordCommand::new(&failed, Some(path)) {
            Some(RecordCommand::Pytest(test)) => format!("pytest {test}"),
            Some(RecordCommand::Own { command, .. }) => command,
            None => "-".to_owned(),
        }
    };
    let rows = [
        command("vcrpy 9", "test_a[x]", "tests/test_a.py", "c.yaml"),
        command("llama-stack", "test_a", "tests/test_a.py", "c.json"),
        command("httprr", "TestA/b c", "a_test.go", "testdata/TestA_b_c.httprr"),
        command("go-vcr", "TestA", "a_test.go", "fixtures/a.yaml"),
        command("req_llm", "works", "test/a_test.exs", "a.json"),
        command("VCR for Ruby", "chats", "spec/a_spec.rb", "spec/cassettes/a b.yml"),
        command("VCR for Ruby", "test_chats", "test/a_test.rb", "a.yml"),
        command("vcr for R", "chats", "tests/testthat/test-a.R", "a.yml"),
        command("httpmock", "chats", "tests/a.rs", "a.yaml"),
    ];
    insta::assert_snapshot!(rows.join("\n"), @"
    pytest 'tests/test_a.py::test_a[x]'
    OGX_TEST_INFERENCE_MODE=record-if-missing pytest tests/test_a.py::test_a
    go test -run '^TestA$/^b c$' -httprecord=TestA_b_c
    rm fixtures/a.yaml && go test -run '^TestA$' ./...
    REQ_LLM_FIXTURES_MODE=record mix test test/a_test.exs
    rm 'spec/cassettes/a b.yml' && bundle exec rspec spec/a_spec.rb
    rm a.yml && bundle exec ruby -Itest test/a_test.rb -n test_chats
    rm a.yml && Rscript -e 'testthat::test_file('\\''tests/testthat/test-a.R'\\'')'
    -
    ");
}

#[test]
fn the_recorded_request_becomes_the_one_that_was_sent() {
    let url = "https://api.example/v1/chat?v=2";
    let log = new("test_x", MISMATCH, url, &chat("Sum up in two words.", ""), "");
    let triage = triage_with(&log, ReviewLedger::read(None));
    let result = triage.failures[0].result.as_ref().unwrap();
    assert_eq!(result.diagnosis.cause.as_str(), "query-changed");
    let step = triage.plan.all.steps[0].clone();
    let FileStep::Write { path, before: Some(before), after: Some(after) } = step else { panic!() };
    let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(&after));
    let changed = before.replace("three", "two");
    let (start, end) = changed.rsplit_once("chat?v=1").unwrap();
    assert_eq!(
        (&*path, &*after),
        ("tests/cassettes/test_a/test_x.yaml", &*format!("{start}chat?v=2{end}"))
    );
    // Its answer is marked for the review.
    let FileStep::Write { path: ledger_path, before: None, after: Some(ledger) } =
        &triage.plan.all.steps[1]
    else {
        panic!()
    };
    let ledger = String::from_utf8_lossy(ledger);
    assert_eq!(&**ledger_path, ".retake/review.json");
    assert!(ledger.contains("Not recorded again: the answer of call 2."), "{ledger}");
    // Once the file is so, the same log finds its answer.
    let (items, mut documents) = project();
    documents.insert(Arc::clone(&path), document::read(Source::new(after.as_ref()), &path));
    let files = CassetteFiles {
        index: CassetteIndex::new(items.iter()),
        documents,
        ..CassetteFiles::default()
    };
    assert_eq!(triage.first_progress().count(), 0);
    let progress = triage.progress(&BTreeMap::new(), &files);
    assert_eq!((progress.count(), progress.plan.all.steps.len()), (1, 0));
}

/// Returns the log of vcrpy before version 9 for a request whose recorded call was played.
fn old_consumed(finding: &str) -> String {
    let error = format!(
        "vcr.E: Can't overwrite existing cassette ('/ci/tests/cassettes/test_a/test_x.yaml') in your current record mode ('none').\nNo match for the request (<Request (POST) {URL}>) was found.\n{finding}\n"
    );
    let body = chat("Sum up in three words.", "");
    let text = log("test_x", &error);
    text.replace(": in x\n", &format!(": in x\nreal_request_body = b'{body}'\n"))
}

#[test]
fn whatever_a_fix_changes_is_solved_once_it_is_made() {
    let consumed = new("test_x", CONSUMED, URL, &chat("Sum up in three words.", ""), "");
    let logs = [
        consumed.clone(),
        // Two tests that need one call more play one cassette.
        consumed.clone()
            + &consumed.replace("test_x ____", "test_x2 ____").replace("::test_x ", "::test_x2 "),
        old_consumed("Found 1 similar requests with 0 different matcher(s) :"),
        old_consumed(
            "Found 1 recorded request(s) matching the request but they have already been consumed.",
        ),
        log("test_swapped", "AssertionError: assert 'rain' == 'sun'"),
        of_x("test_a[p]", "Other signs"),
        of_x("test_a", "Sum up in two words.") + &of_x("test_b", "Sum up in six words."),
    ];
    for log in logs {
        let triage = triage(&log);
        let [FileStep::Write { path, after: Some(after), .. }] = &triage.plan.all.steps[..] else {
            panic!("{:?}", triage.plan.all)
        };
        let (items, documents) = project();
        let index = CassetteIndex::new(items.iter());
        let mut files = CassetteFiles { index, documents, ..CassetteFiles::default() };
        assert_eq!(triage.progress(&BTreeMap::new(), &files).count(), 0, "{log}");
        let source = Source::from_bytes(after.to_vec());
        files.documents.insert(Arc::clone(path), document::read(source, path));
        let progress = triage.progress(&BTreeMap::new(), &files);
        let failures = triage.failures.len();
        assert_eq!((progress.count(), progress.plan.all.steps.len()), (failures, 0), "{log}");
        // The same log, read again, leads to no further change.
        let failures = read_log("ci.log", &log).failures.into_iter();
        let failures = failures.map(|failure| (failure, Err(String::new()))).collect();
        let triage = Triage::new(failures, &BTreeMap::new(), &BTreeMap::new(), &files);
        assert_eq!(triage.plan.all.steps, [], "{log}");
    }
}

#[test]
fn failures_with_the_same_change_are_one_cause_with_one_command() {
    let one = new("test_x", MISMATCH, URL, &chat("Sum up in two words.", ""), "");
    let other = one.replace("test_x ____", "test_x2 ____").replace("::test_x ", "::test_x2 ");
    let triage = triage(&(one + &other));
    assert_eq!((triage.failures.len(), triage.groups.len()), (2, 1));
    let command = triage.record_command(&triage.groups[0]).unwrap();
    assert_eq!(
        command,
        "pytest tests/test_a.py::test_x tests/test_a.py::test_x2 --record-mode=new_episodes",
        "both play one cassette, and `rewrite` would keep the calls of the last test only"
    );
}

/// Returns the log of a test that plays the cassette of `test_x`.
fn of_x(test: &str, prompt: &str) -> String {
    let log = new("test_x", MISMATCH, URL, &chat(prompt, ""), "");
    log.replace("test_x ____", &format!("{test} ____")).replace("::test_x ", &format!("::{test} "))
}

/// Describes the fixes of a log, and the prompts of the one cassette that they change.
fn fixed(log: &str) -> (String, Vec<String>) {
    let triage = triage(log);
    let after = triage.after_fixes(&BTreeMap::new(), &Pool::default());
    let fixes =
        triage.groups.iter().filter_map(|group| triage.cassette_fixes(group).first().copied());
    let sentences: Vec<String> = fixes.filter_map(CassetteFix::describe).collect();
    let answered = format!("{} of {}", after.answered.len(), triage.failures.len());
    let [FileStep::Write { path, after: Some(after), .. }] = &triage.plan.all.steps[..] else {
        return (format!("{answered} | {}", sentences.join(" | ")), Vec::new());
    };
    let document = document::read(Source::from_bytes(after.to_vec()), path);
    let prompts = RecordedRequest::all(&document).into_iter().filter_map(|call| {
        let body: serde_json::Value = serde_json::from_str(&call.request.body.text()?).ok()?;
        Some(body["messages"][0]["content"].as_str()?.to_owned())
    });
    (format!("{answered} | {}", sentences.join(" | ")), prompts.collect())
}

#[test]
fn a_cassette_of_several_tests_keeps_the_calls_that_others_play() {
    const CHANGE: &str = "Change the recorded request to what is sent, with the same answer";
    let consumed = new("test_x", CONSUMED, URL, &chat("Sum up in three words.", ""), "");
    let played = of_x("test_b", "Sum up in two words.")
        .replace("1 recorded, 0 played", "2 recorded, 1 played");
    let rows = [
        // Tests that send the same share one change; changes of several calls are one step.
        (
            of_x("test_a", "Sum up in two words.") + &of_x("test_b", "Sum up in two words."),
            format!("2 of 2 | {CHANGE}"),
            vec!["Other words", "Sum up in two words."],
        ),
        (
            of_x("test_a", "Sum up in two words.") + &of_x("test_b", "Other signs"),
            format!("2 of 2 | {CHANGE} | {CHANGE}"),
            vec!["Other signs", "Sum up in two words."],
        ),
        // The second test gets a call of its own.
        (
            of_x("test_a", "Sum up in two words.") + &of_x("test_b", "Sum up in six words."),
            format!("2 of 2 | {CHANGE} | Add a call with the request that is sent and the answer of call 2, which another test may play, too"),
            vec!["Other words", "Sum up in two words.", "Sum up in six words."],
        ),
        // One has played calls, as they are recorded.
        (
            of_x("test_a", "Other signs") + &played,
            format!("2 of 2 | Add a call with the request that is sent and the answer of call 1, which `test_b` may play, too | {CHANGE}"),
            vec!["Other words", "Other signs", "Sum up in two words."],
        ),
        // Of two calls the one with more of the same text is meant.
        (
            of_x("test_a", "Sum up!"),
            format!("1 of 1 | {CHANGE}"),
            vec!["Other words", "Sum up!"],
        ),
        // Other parameters may play the call.
        (
            of_x("test_a[p]", "Other signs"),
            "1 of 1 | Add a call with the request that is sent and the answer of call 1, which another test may play, too (what is sent for call 2 is not known yet)".to_owned(),
            vec!["Other words", "Other signs", "Sum up in three words."],
        ),
        (
            consumed,
            "1 of 1 | Add call 2 once more, with the same answer; or if each of these requests may get the same answer, set `allow_playback_repeats=True`".to_owned(),
            vec!["Other words", "Sum up in three words.", "Sum up in three words."],
        ),
    ];
    for (log, sentence, prompts) in rows {
        let (described, found) = fixed(&log);
        assert_eq!(
            (described, found),
            (sentence, prompts.into_iter().map(str::to_owned).collect()),
            "{log}"
        );
    }
}

#[test]
fn a_filtered_field_of_a_query_is_no_difference_and_gets_into_no_file() {
    let (mut items, documents) = project();
    for item in &mut items {
        let mut facts = item.cassette.as_deref().cloned().unwrap_or_default();
        facts.filters.push(ConfigFilter {
            key: "filter_query_parameters".into(),
            entries: Some(vec![FilterEntry { name: "key".into(), value: None }]),
            origin: ConfigOrigin::default(),
        });
        *item = item.clone().with_cassette(Some(facts));
    }
    let url = format!("{URL}&key=SECRET");
    let log = new("test_x", MISMATCH, &url, &chat("Sum up in two words.", ""), "");
    let failures = read_log("ci.log", &log).failures.into_iter().map(|f| (f, Err(String::new())));
    let files = CassetteFiles {
        index: CassetteIndex::new(items.iter()),
        documents,
        ..CassetteFiles::default()
    };
    let triage = Triage::new(failures.collect(), &BTreeMap::new(), &BTreeMap::new(), &files);
    assert_eq!(triage.groups[0].cause.title(), "Prompt changed: `three` → `two`");
    let [FileStep::Write { after: Some(after), .. }] = &triage.plan.all.steps[..] else { panic!() };
    assert!(!String::from_utf8_lossy(after).contains("SECRET"));
}

#[test]
fn a_call_that_may_have_been_played_before_stays() {
    let old = |url: &str, failed: &str, body: &str| {
        let text = log(
            "test_x",
            &format!(
                "Can't overwrite existing cassette ('/ci/tests/cassettes/test_a/test_x.yaml') in your current record mode ('none').\nNo match for the request (<Request (POST) {url}>) was found.\nFound 1 similar requests with 1 different matcher(s) :\n\n1 - (<Request (POST) {URL}>).\nMatchers failed :\n{failed} - assertion failure :\n"
            ),
        );
        text.replace(": in x\n", &format!(": in x\nreal_request_body = b'{body}'\n"))
    };
    let short =
        old(&URL.replace("v=1", "v=2"), "query", "").replace("real_request_body = b''\n", "");
    let rows = [
        (
            old(URL, "body", &chat("Sum up in two words.", "")),
            vec!["Other words", "Sum up in two words."],
        ),
        // vcrpy 8 does not print how many calls were played.
        (
            old(URL, "body", &chat("Quite new", "")),
            vec!["Other words", "Quite new", "Sum up in three words."],
        ),
        // The body is not printed, and is the recorded one.
        (short, vec!["Other words", "Sum up in three words."]),
    ];
    for (log, prompts) in rows {
        let (described, found) = fixed(&log);
        assert_eq!(found, prompts, "{described}\n{log}");
        assert!(described.starts_with("1 of 1"), "{described}");
    }
}

#[test]
fn the_setting_that_would_compare_bodies_is_named() {
    let (mut items, documents) = project();
    let mut facts = items[0].cassette.as_deref().cloned().unwrap_or_default();
    let setting = facts.match_on.as_mut().unwrap();
    setting.texts = Some(vec!["uri".into()]);
    items[0] = items[0].clone().with_cassette(Some(facts));
    let log = log("test_x", "AssertionError: assert 'b' == 'a'");
    let failures = read_log("ci.log", &log).failures.into_iter().map(|f| (f, Err(String::new())));
    let files = CassetteFiles {
        index: CassetteIndex::new(items.iter()),
        documents,
        ..CassetteFiles::default()
    };
    let triage = Triage::new(failures.collect(), &BTreeMap::new(), &BTreeMap::new(), &files);
    insta::assert_snapshot!(triage.cassette_fix(&triage.groups[0]).unwrap(), @r#"Add `"body"` to `match_on` in tests/conftest.py:1, which is for 5 cassettes: 2 of 2 calls that are equal now would be distinct"#);
}

#[test]
fn a_log_and_a_report_of_one_run_have_one_failure() {
    let error = "vcr.errors.CannotOverwriteExistingCassetteException: Can&apos;t play back this request: the cassette has nothing similar to it.\nrecord_mode &apos;none&apos; doesn&apos;t record new requests.\n\n  POST https://x/\n\nCassette: /ci/tests/cassettes/test_a/test_x.yaml";
    let junit = format!(
        "<testsuites><testsuite><testcase classname=\"tests.test_a\" name=\"test_x\"><failure message=\"{error}\">tests/test_a.py:1: in x</failure></testcase></testsuite></testsuites>"
    );
    let mut failures =
        read_log("ci.log", &new("test_x", MISMATCH, URL, &chat("Hi", ""), "")).failures;
    failures.extend(read_log("junit.xml", &junit).failures);
    assert_eq!(failures.len(), 2);
    crate::triage::remove_repeated(&mut failures, |failure| failure);
    assert_eq!(failures.len(), 1);
}

#[test]
fn a_test_of_the_code_that_did_not_fail_keeps_its_call() {
    let log = new("test_named", MISMATCH, URL, &chat("Hello", ""), "")
        .replace("tests/cassettes/test_a/test_named.yaml", "tests/cassettes/own.yaml");
    let (sentence, prompts) = fixed(&log.replace("test_named", "test_other"));
    assert_eq!(
        sentence,
        "1 of 1 | Add a call with the request that is sent and the answer of call 1, which `test_named` may play, too; or delete the cassette, and run the test with a record mode that records, such as `once`"
    );
    assert_eq!(prompts, ["Hi", "Hello"]);
    assert_eq!(fixed(&log).1, ["Hello"]);
}

#[test]
fn all_renamed_tests_are_one_cause() {
    let rename = new("test_new_name", MISSING, URL, &chat("Bye", ""), "");
    let triage = triage(&rename);
    assert_eq!(triage.groups[0].cause.title(), "Test renamed: `test_old_name` → `test_new_name`");
    let other = CassetteCause::TestRenamed { names: Some(("a".into(), "b".into())) };
    let common = triage.groups[0].cause.common(&Cause::Cassette(other)).unwrap();
    assert_eq!(common.title(), "Tests renamed");
    let after = triage.after_fixes(&BTreeMap::new(), &Pool::default());
    assert_eq!((after.answered.len(), after.unplayed), (1, 0));
}

#[test]
fn a_sentence_that_several_prompts_got_is_one_cause() {
    let log =
        of_x("test_a", "Sum up in three words, please.") + &of_x("test_b", "Other words, please");
    let triage = triage(&log);
    let titles: Vec<String> = triage.groups.iter().map(|group| group.cause.title()).collect();
    assert_eq!(titles, ["Prompt changed: `, please` added"]);
}

#[test]
fn a_call_that_was_played_is_not_overwritten() {
    let log = new("test_x", MISMATCH, URL, &chat("Sum up in two words.", ""), "");
    let all_played = log.replace(" recorded, 0 played", " recorded, 9 played");
    let offered = [&log, &all_played].map(|log| {
        let triage = triage(log);
        let result = triage.failures[0].result.as_ref().unwrap();
        let fix = &result.diagnosis.cassette.as_ref().unwrap().fix;
        (result.diagnosis.cause.title(), fix.title().is_some())
    });
    let [changed, unrecorded] = offered;
    assert_eq!(changed, ("Prompt changed: `three` → `two`".to_owned(), true));
    assert_eq!(unrecorded, ("A request is not recorded".to_owned(), false));
}

#[test]
fn a_test_without_a_plugin_is_not_recorded_again_by_an_option() {
    let log = new("test_named", MISMATCH, URL, &chat("Sum up in two words.", ""), "");
    let triage =
        triage(&log.replace("tests/cassettes/test_a/test_named.yaml", "tests/cassettes/own.yaml"));
    assert_eq!(triage.record_command(&triage.groups[0]), None);
}
