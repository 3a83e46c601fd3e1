use std::collections::BTreeMap;
use std::sync::Arc;

use super::{DriftReport, RequestResult};
use crate::run_requests::RunRequests;
use crate::triage::{CassetteFiles, CassetteIndex};
use calls::{Pool, summarise};
use document::text::Source;

const URL: &str = "https://api.openai.com/v1/chat/completions";

/// A body of a request.
fn body(model: &str, prompt: &str, more: &str) -> String {
    format!(
        r#"{{"model": "{model}", "messages": [{{"role": "system", "content": "Be brief."}}, {{"role": "user", "content": "{prompt}"}}]{more}}}"#
    )
}

/// A cassette with one call, whose answer has 7 tokens.
fn cassette(body: &str) -> String {
    let answer = r#"{"id": "c1", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 12, "completion_tokens": 7}}"#;
    format!(
        r#"{{"version": 1, "interactions": [{{"request": {{"method": "POST", "uri": "{URL}", "headers": {{"User-Agent": ["sdk/1"], "authorization": ["XX"]}}, "body": {body:?}}}, "response": {{"status": {{"code": 200, "message": "OK"}}, "headers": {{}}, "body": {{"string": {answer:?}}}}}}}]}}"#
    )
}

/// A line of a log: a test with the number of its cassette, what it sends, and its SDK.
fn line(number: usize, body: &str, agent: &str) -> String {
    format!(
        r#"{{"test": "t.py::test_{number}", "phase": "call", "line": 4, "after_assertions": null, "cassette": "cassettes/t{number}.json", "call": 0, "method": "POST", "url": "{URL}", "headers": {{"user-agent": "{agent}", "authorization": "[masked by Retake]"}}, "body": {body:?}}}"#
    )
}

/// The report of requests, each with what was recorded, what is sent and the SDK.
fn report(requests: &[(String, String, &str)]) -> DriftReport {
    let mut log =
        r#"{"retake": "pytest-log", "version": 1, "recorder": "pytest-recording"}"#.to_owned();
    let (mut items, mut documents) = (Vec::new(), BTreeMap::new());
    for (number, (recorded, sent, agent)) in requests.iter().enumerate() {
        let path: Arc<str> = format!("cassettes/t{number}.json").into();
        let source = Source::new(cassette(recorded));
        let document = document::read(source, &path);
        let item =
            summarise(Arc::clone(&path), &path, 0, &document, Vec::new(), None, &Pool::default());
        items.push(item);
        documents.insert(Arc::clone(&path), document);
        log += &format!("\n{}", line(number, sent, agent));
    }
    let name: Arc<str> = "run.jsonl".into();
    let run = RunRequests::read([(&name, log.as_str())]);
    assert!(run.faults.is_empty(), "{:?}", run.faults);
    let index = CassetteIndex::new(items.iter());
    let files = CassetteFiles { index, documents, ..CassetteFiles::default() };
    DriftReport::new(&run, &files, &[])
}

/// The causes with their numbers of calls.
fn causes(report: &DriftReport) -> String {
    let lines = report.causes.iter().map(|cause| {
        let (verdict, calls) = (cause.verdict.as_str(), cause.requests.len());
        format!("{verdict} {calls}: {} ({})", cause.name, cause.reason)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_change_has_a_verdict_and_equal_changes_are_one_cause() {
    let tool = |strict: &str| {
        format!(
            r#", "tools": [{{"type": "function", "function": {{"name": "f", "parameters": {{"type": "object"}}{strict}}}}}]"#
        )
    };
    let same = |more: &str| body("m", "Where is order 17 now?", more);
    let report = report(&[
        (same(""), same(""), "sdk/1"),
        (same(""), same(""), "sdk/2"),
        (same(&tool("")), same(&tool(r#", "strict": true"#)), "sdk/2"),
        (same(&tool("")), same(&tool(r#", "strict": true"#)), "sdk/1"),
        (same(""), body("m2", "Where is order 17 now?", ""), "sdk/1"),
        (same(""), body("m", "Where is order 18 now?", ""), "sdk/1"),
        (same(""), body("m", "Please show where order 17 is now", ""), "sdk/1"),
        (same(r#", "max_tokens": 100"#), same(r#", "max_tokens": 200"#), "sdk/1"),
        (same(r#", "max_tokens": 100"#), same(r#", "max_tokens": 5"#), "sdk/1"),
        (same(r#", "user": "a""#), same(r#", "user": "b""#), "sdk/1"),
        (same(r#", "temperature": 0"#), same(r#", "temperature": 1"#), "sdk/1"),
    ]);
    insta::assert_snapshot!(causes(&report), @r"
    matcher-too-loose 1: “17” became “18” (The last message says something else, and the recording answers it all the same)
    record-again 2: Field `strict` added (The model is offered other tools)
    record-again 1: Message reworded (The model gets other messages)
    record-again 1: Model `m` became `m2` (Another model answers)
    record-again 1: Field `max_tokens` `100` became `5` (The longest recorded answer has 7 tokens)
    record-again 1: Field `temperature` `0` became `1` (The answer may depend on this value)
    harmless 2: Header `user-agent` `sdk/1` became `sdk/2` (A header that no answer depends on)
    harmless 1: Field `max_tokens` `100` became `200` (The longest recorded answer has 7 tokens)
    harmless 1: Field `user` `a` became `b` (The answer does not depend on it)
    ");
    insta::assert_snapshot!(report.title(), @"6 causes: 7 of 11 calls in 7 of 11 tests");
    assert_eq!((report.same(), report.unanswered()), (1, 0));
    insta::assert_snapshot!(report.record.command(None).unwrap(), @"pytest t.py::test_2 t.py::test_3 t.py::test_4 t.py::test_6 t.py::test_8 t.py::test_10 --record-mode=rewrite");
    let tokens = report.record.tokens;
    assert_eq!((report.record.calls, tokens.input, tokens.output), (6, 72, 42));
}

#[test]
fn what_is_not_known_of_a_request_is_no_difference() {
    let sent = body("m", "Where is order [masked by Retake] now?", "");
    let report = report(&[(body("m", "Where is order 17 now?", ""), sent, "sdk/1")]);
    assert_eq!(causes(&report), "");
    assert!(matches!(&report.requests[0].result, RequestResult::Answered { call: 0, .. }));
}

#[test]
fn a_call_that_is_not_compared_is_not_free_of_drift() {
    let sent = || (body("m", "Hi", ""), body("m", "Hi", ""), "sdk/1");
    let mut report = report(&[sent(), sent(), sent()]);
    let not_compared = RequestResult::NotCompared("t.json is no cassette".into());
    for (at, result, title) in [
        (None, RequestResult::Unanswered, "No drift in 3 calls"),
        (Some(0), RequestResult::Unanswered, "No drift in 2 calls, 1 not compared"),
        (Some(1), not_compared, "No drift in 1 call, 2 not compared"),
        (Some(2), RequestResult::Unanswered, "No request was compared"),
    ] {
        if let Some(at) = at {
            report.requests[at].result = result;
        }
        assert_eq!(report.title(), title);
    }
}
