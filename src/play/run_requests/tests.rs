use std::sync::Arc;

use super::{RunRequests, TestOutcome};
use crate::client::RequestBody;

const HEAD: &str = r#"{"retake": "pytest-log", "version": 1, "client": "vcrpy 9.4.0"}"#;
const REQUEST: &str = r#"{"test": "t.py::x", "phase": "call", "line": 41, "after_assertions": false, "cassette": "c.yaml", "call": 2, "method": "POST", "url": "https://h/p", "headers": {"a": ["1", "2"], "b": "3"}, "body": "{}"}"#;
const TEST: &str = r#"{"test": "t.py::x", "outcome": "failed", "reason": "no", "cassettes": {"c.yaml": {"calls": 4, "played": [2]}}, "line": 12}"#;
const END: &str = r#"{"tests": 1, "selected": 1, "unlogged": 0}"#;

fn read(lines: &[&str]) -> RunRequests {
    let name: Arc<str> = "run.jsonl".into();
    RunRequests::read([(&name, lines.join("\n").as_str())])
}

#[test]
fn a_log_gives_the_requests_and_the_tests_with_their_places() {
    let run = read(&[HEAD, "", REQUEST, TEST, END]);
    assert!(run.is_complete(), "{:?} {:?}", run.faults, run.missing);
    assert_eq!(run.client.as_deref(), Some("vcrpy 9.4.0"));
    let [request] = &run.requests[..] else { panic!("{run:?}") };
    assert_eq!(request.place.to_string(), "run.jsonl:3");
    assert_eq!(
        (request.line, request.after_assertions, request.call),
        (Some(41), Some(false), Some(2))
    );
    let headers = request.request.headers.iter().flatten().map(|(n, v)| format!("{n}={v}"));
    assert_eq!(headers.collect::<Vec<_>>().join(" "), "a=1 a=2 b=3");
    assert!(matches!(&request.request.body, RequestBody::Bytes(bytes) if bytes == b"{}"));
    let [test] = &run.tests[..] else { panic!("{run:?}") };
    assert_eq!((test.outcome, &*test.reason, test.line), (TestOutcome::Failed, "no", Some(12)));
    assert_eq!(test.cassettes["c.yaml"].played, [2]);
}

#[test]
fn what_a_log_lacks_is_reported_and_the_rest_is_read() {
    for (lines, faults, missing) in [
        (
            &[HEAD, REQUEST, TEST][..],
            "",
            "run.jsonl: the log has no end, so that the run was stopped",
        ),
        (
            &[HEAD, r#"{"tests": 3, "selected": 40, "unlogged": 1}"#],
            "",
            "run.jsonl: the run ended after 3 of 40 tests; run.jsonl: 1 line could not be written",
        ),
        (&[HEAD, "{", REQUEST, END], "run.jsonl:2: EOF while parsing an object", ""),
        (
            &[HEAD, "[]", END],
            "run.jsonl:2: expected a request, the end of a test or the end of the log",
            "",
        ),
        (
            &[r#"{"retake": "pytest-log", "version": 2}"#, REQUEST, END],
            "run.jsonl:1: the log has version 2, this program reads 1",
            "",
        ),
        (
            &[HEAD, &REQUEST.replace("\"call\", \"line\"", "\"lunch\", \"line\""), END],
            "run.jsonl:2: unknown variant `lunch`, expected one of `setup`, `call`, `teardown`",
            "",
        ),
        (&[HEAD, r#"{"method": "GET"}"#, END], "run.jsonl:2: missing field `url`", ""),
        (&[r#"{"retake": "serve-log", "version": 1}"#, REQUEST], "", ""),
    ] {
        let run = read(lines);
        let found: Vec<String> = run.faults.iter().map(ToString::to_string).collect();
        assert_eq!((&*found.join("; "), &*run.missing.join("; ")), (faults, missing));
    }
}

#[test]
fn a_log_is_recognised_by_its_head() {
    for (text, is_log) in [
        (HEAD, true),
        ("\n{\"retake\": \"serve-log\", \"version\": 1}", true),
        (REQUEST, false),
        ("", false),
    ] {
        assert_eq!(RunRequests::is_log(text), is_log, "{text}");
    }
}
