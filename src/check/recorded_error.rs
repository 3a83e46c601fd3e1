//! `recorded-error`: a call of a cassette was answered with an error.

use crate::check_document::ProblemCollector;
use calls::api::ApiError;
use calls::first_words;
use document::RuleId;
use document::cassette::Interaction;
use document::text::visible;

rule! {
    /// The answer of a call is an error: its status is 400 or more, or its body is the error of an API. The client
    /// under test may have tried again, so that the test passes, and each run depends on the retry.
    ///
    /// It is not reported if the test expects it: the name of the test or of the cassette says so, such as `test_rate_limit.yaml`, or the
    /// function has `pytest.raises`, a parameter such as `expected_error`, or compares a status of 400 or more. If no test is found, it
    /// is reported.
    RecordedError {
        title: "A recorded answer is an error",
        fix: "Record the call again, or name the test after the error.",
        before: "Recorded while the limit was reached" => "status:\n  code: 429\n  message: Too Many Requests",
        after: "Recorded again" => "status:\n  code: 200\n  message: OK",
    }
}

/// Parts of names of tests that are about errors.
const EXPECTED_WORDS: [&str; 31] = [
    "error",
    "fail",
    "exceed",
    "limit",
    "invalid",
    "unauthor",
    "forbid",
    "denied",
    "deny",
    "not_found",
    "notfound",
    "missing",
    "retry",
    "retries",
    "timeout",
    "exception",
    "refus",
    "reject",
    // Not `bad` alone, which is a part of other words.
    "bad_",
    "badre",
    "overload",
    "unavailable",
    "wrong",
    "expired",
    "block",
    "unsupported",
    "quota",
    "throttl",
    "abort",
    "unknown",
    "raise",
];

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    let ProblemCollector { document, calls, facts, .. } = *findings;
    let name = facts.file_name.rsplit('/').next().unwrap_or_default();
    let test = facts.cassette.test.as_ref().map(|test| &*test.name);
    let name = format!("{name} {}", test.unwrap_or_default()).to_ascii_lowercase();
    // `test_429` expects this answer.
    let names_status = |status: u16| name.contains(&status.to_string());
    if facts.cassette.expects_error || EXPECTED_WORDS.iter().any(|part| name.contains(part)) {
        return;
    }
    for (number, call) in (1..).zip(calls) {
        let (Some(http), Some(interaction)) =
            (&call.facts.http, Interaction::parse(document.node(call.node)))
        else {
            continue;
        };
        let is_failed = http.status >= 400 && !names_status(http.status);
        let error =
            // With a status of success, only the API of a model is known to report an error in the body.
            ApiError::of_exchange(document, http).filter(|_| is_failed || call.is_of_model());
        let description = match (is_failed, &error) {
            (true, _) => format!("with status {}", http.status),
            (false, Some(_)) if http.status < 400 => "with an error".to_owned(),
            _ => continue,
        };
        let words = error.map(|e| first_words(&e.message)).filter(|words| !words.is_empty());
        let words = words.map_or_else(String::new, |words| format!(": {}", visible(&words)));
        let node = interaction.status_node().filter(|_| is_failed).unwrap_or(interaction.node);
        let message = format!("Call {number} is answered {description}{words}");
        findings.add_at(RuleId::RecordedError, node, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckFacts;
    use crate::testing::{shown, with_facts};
    use calls::cassette_config::{CassetteFacts, ConfigOrigin, TestPlace};

    fn reported(name: &str, status: u16, received: &str) -> String {
        reported_with(name, CassetteFacts::default(), status, received)
    }

    fn reported_with(name: &str, cassette: CassetteFacts, status: u16, received: &str) -> String {
        let text = format!(
            "interactions:\n- request:\n    body: '{{\"model\":\"m\",\"messages\":[]}}'\n    headers: {{}}\n    method: POST\n    uri: https://api.openai.com/v1/chat/completions\n  response:\n    body:\n      string: '{received}'\n    headers: {{}}\n    status:\n      code: {status}\n      message: X\nversion: 1\n"
        );
        let facts = CheckFacts { file_name: name.into(), cassette, ..CheckFacts::default() };
        shown(RuleId::RecordedError, &with_facts(name, &text, &facts)).join("\n")
    }

    #[test]
    fn an_error_is_reported_unless_the_name_of_the_test_says_so() {
        let error = r#"{"error":{"message":"Too many requests","type":"tokens"}}"#;
        insta::assert_snapshot!(reported("test_refund.yaml", 429, error), @"warning 12:13 /interactions/0/response/status/code Call 1 is answered with status 429: Too many requests");
        insta::assert_snapshot!(reported("test_refund.yaml", 200, error), @"warning 2:3 /interactions/0 Call 1 is answered with an error: Too many requests");
        insta::assert_snapshot!(reported("test_refund.yaml", 500, ""), @"warning 12:13 /interactions/0/response/status/code Call 1 is answered with status 500");
        for name in ["cassettes/test_rate_limit.yaml", "test_429.yaml", "test_ErrorBody.yaml"] {
            assert_eq!(reported(name, 429, error), "", "{name}");
        }
        assert_eq!(reported("test_refund.yaml", 200, r#"{"error":null}"#), "");
        let stream =
            r#"data: {"type":"error","error":{"type":"overloaded_error","message":"Later"}}"#;
        insta::assert_snapshot!(reported("test_refund.yaml", 200, stream), @"warning 2:3 /interactions/0 Call 1 is answered with an error: Later");
    }

    #[test]
    fn an_error_that_the_test_expects_is_not_reported() {
        let set = |name: &str, expects_error| CassetteFacts {
            test: Some(TestPlace {
                name: name.into(),
                origin: ConfigOrigin { path: "tests/test_a.py".into(), line: 3 },
            }),
            expects_error,
            ..CassetteFacts::default()
        };
        let report_of = |facts| reported_with("a.yaml", facts, 429, "");
        assert_ne!(report_of(set("test_refund", false)), "");
        for facts in [
            set("test_refund", true),
            set("TestRefund.test_refund_error", false),
            set("test_refusals_of_files", false),
        ] {
            assert_eq!(report_of(facts.clone()), "", "{facts:?}");
        }
    }
}
