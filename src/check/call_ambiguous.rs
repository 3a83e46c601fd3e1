//! `call-ambiguous`: a cassette has calls that its program cannot distinguish.

use std::sync::Arc;

use crate::check_document::ProblemCollector;
use compare::review::RecordedAnswers;
use document::text::some_and_others;
use document::{Node, ProblemCalls, RuleId};
use play::client::{CallGroups, NumberedCall};

rule! {
    /// Several calls of the cassette are equal in all that its program compares by default, and have different answers. The
    /// order in the file decides which answer a request gets: a test that sends something else, or in another order, gets
    /// a wrong answer and may still pass.
    ///
    /// vcrpy compares method, scheme, host, port, path and query, never the body; cassetter and VCR for Ruby method and
    /// address; vcr for R the body too; go-vcr all of the request. Matchers that `retake.toml` or the test set are used in
    /// place of these, and nothing is reported if they are only known when the test runs. Answers that differ only in what `retake review`
    /// ignores, such as dates, ids, token counts and most headers, are equal.
    ///
    /// Of several cassettes that are played with the same settings there is one finding, at the settings if a file has them. It says for how many
    /// of the cassettes comparing the body would be enough, and lists them as `files` in JSON.
    CallAmbiguous {
        title: "The order of the file decides which call answers",
        fix: "Compare the body as well: `match_on` with `body` (vcrpy), `json_body` (cassetter) or `body_as_json` (Ruby). Where the body is compared already, the requests are equal: only their order can distinguish them.",
        before: "Either answers" => "uri: https://api.openai.com/v1/responses\n…\nuri: https://api.openai.com/v1/responses",
        after: "The body decides" => "match_on=[\"method\", \"uri\", \"body\"]",
    }
}

pub(super) fn judge(calls: &CallGroups<'_>, findings: &mut ProblemCollector<'_>) {
    // Where calls repeat, the first of equal ones always answers.
    if calls.repeats.is_some() {
        return;
    }
    let answers = RecordedAnswers::new(calls.document, calls.calls);
    let is_alike = |first: &NumberedCall<'_>, other: &NumberedCall<'_>| {
        first.1.response.map(Node::raw) == other.1.response.map(Node::raw)
            || answers.are_alike(first.0, other.0)
    };
    for group in &calls.groups {
        let [first, rest @ ..] = &group[..] else { continue };
        if rest.iter().all(|other| is_alike(first, other)) {
            continue;
        }
        let matcher = calls.settling_matcher(group, is_alike);
        let numbers: Vec<usize> = group.iter().map(|(number, _)| *number).collect();
        let message = format!(
            "{} cannot distinguish calls {}: it compares {}, and their answers differ",
            calls.client.as_str(),
            format_numbers(&numbers),
            calls.compared
        );
        if let Some(problem) = findings.add_at(RuleId::CallAmbiguous, first.1.node, message) {
            let numbers = numbers.iter().map(|number| number - 1).collect();
            problem.help = Some(match matcher {
                Some(matcher) => format!("Compare `{matcher}` as well: it differs between these requests.").into(),
                None => "Keep their order, or make the requests differ: comparing their bodies would not distinguish them.".into(),
            });
            problem.calls = Some(Box::new(ProblemCalls {
                numbers,
                settled_by: matcher.map(Arc::from),
                files: Box::default(),
            }));
        }
    }
}

/// Formats sorted numbers: `1 to 4`, or `1, 3 and 7`.
fn format_numbers(numbers: &[usize]) -> String {
    const MAX_NUMBERS: usize = 6;
    match numbers {
        [first, .., last] if numbers.len() > 2 && last - first + 1 == numbers.len() => {
            format!("{first} to {last}")
        }
        _ => some_and_others(numbers.iter().map(usize::to_string), MAX_NUMBERS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckFacts;
    use crate::testing::{found, shown, with_facts};
    use calls::cassette_config::{CassetteFacts, ConfigOrigin, ConfigTexts};

    fn vcrpy(calls: &[(&str, &str, &str)]) -> String {
        let calls = calls.iter().map(|(uri, sent, received)| {
            format!(
                "- request:\n    body: '{sent}'\n    headers: {{}}\n    method: POST\n    uri: {uri}\n  response:\n    body:\n      string: '{received}'\n    headers: {{}}\n    status:\n      code: 200\n      message: OK\n"
            )
        });
        format!("interactions:\n{}version: 1\n", calls.collect::<String>())
    }

    #[test]
    fn calls_to_one_address_with_different_answers_are_reported_once() {
        let url = "https://api.openai.com/v1/responses";
        let other_url = "https://API.openai.com:443/v1/responses?";
        let text = vcrpy(&[
            (url, "a", "1"),
            ("https://other.example/", "a", "1"),
            (other_url, "b", "2"),
            (url, "c", "3"),
        ]);
        insta::assert_snapshot!(found(RuleId::CallAmbiguous, "a.yaml", &text).join("\n"), @"warning 2:3 /interactions/0 vcrpy cannot distinguish calls 1, 3 and 4: it compares method, scheme, host, port, path and query, and their answers differ");
        let equal_answers = vcrpy(&[(url, "a", "1"), (url, "b", "1")]);
        assert!(found(RuleId::CallAmbiguous, "a.yaml", &equal_answers).is_empty());
    }

    #[test]
    fn each_program_compares_its_own_parts() {
        let cassetter = "version: 1\ninteractions:\n- request: {method: POST, uri: 'https://a.example/x?a=1&b=2', headers: {}, body: {type: text, content: a}}\n  response: {status: 200, headers: {}, body: {type: text, content: '1'}}\n- request: {method: POST, uri: 'https://a.example/x?b=2&a=1', headers: {}, body: {type: text, content: a}}\n  response: {status: 200, headers: {}, body: {type: text, content: '2'}}\n";
        assert!(found(RuleId::CallAmbiguous, "a.yaml", cassetter).is_empty());
        let go = "---\nversion: 2\ninteractions:\n- id: 0\n  request: {proto: HTTP/1.1, body: a, headers: {}, url: 'https://a.example/', method: POST}\n  response: {body: '1', headers: {}, status: 200 OK, code: 200}\n- id: 1\n  request: {proto: HTTP/1.1, body: b, headers: {}, url: 'https://a.example/', method: POST}\n  response: {body: '2', headers: {}, status: 200 OK, code: 200}\n";
        assert!(found(RuleId::CallAmbiguous, "a.yaml", go).is_empty());
        let equal_requests = go.replace("body: b", "body: a");
        assert_eq!(found(RuleId::CallAmbiguous, "a.yaml", &equal_requests).len(), 1);
    }

    #[test]
    fn matchers_that_the_test_sets_replace_those_of_the_program() {
        let uri = "https://a.example/x";
        let report_of = |matchers: Option<&[&str]>, bodies: &[&str]| {
            let calls: Vec<_> = (bodies.iter().enumerate())
                .map(|(number, body)| (uri, *body, ["1", "2"][number]))
                .collect();
            let text = vcrpy(&calls).replace(
                "headers: {}\n    method",
                "headers: {Content-Type: [application/json]}\n    method",
            );
            let facts = CheckFacts {
                cassette: CassetteFacts {
                    match_on: Some(ConfigTexts {
                        key: "match_on".into(),
                        texts: matchers
                            .map(|names| names.iter().map(|name| Box::from(*name)).collect()),
                        origin: ConfigOrigin { path: "conftest.py".into(), line: 3 },
                    }),
                    ..CassetteFacts::default()
                },
                ..CheckFacts::default()
            };
            shown(RuleId::CallAmbiguous, &with_facts("a.yaml", &text, &facts)).join("\n")
        };
        let (body, equal_body) = (r#"{"a":1,"b":2}"#, r#"{"b": 2, "a": 1}"#);
        insta::assert_snapshot!(report_of(Some(&["method", "body"]), &[body, equal_body]), @"warning 2:3 /interactions/0 vcrpy cannot distinguish calls 1 and 2: it compares method and body (conftest.py:3), and their answers differ");
        assert_eq!(report_of(Some(&["method", "raw_body"]), &[body, equal_body]), "");
        assert_eq!(report_of(Some(&["method", "body"]), &[body, "{}"]), "");
        assert_eq!(report_of(Some(&["method", "mine"]), &[body, equal_body]), "");
        assert_eq!(report_of(None, &[body, equal_body]), "");
    }

    #[test]
    fn answers_that_differ_only_in_noise_are_equal() {
        let uri = "https://api.openai.com/v1/chat/completions";
        let answer = |id: &str, tokens: u32, text: &str| {
            format!(
                r#"{{"id": "{id}", "object": "chat.completion", "created": 17600{tokens}, "model": "m", "choices": [{{"index": 0, "message": {{"role": "assistant", "content": "{text}"}}, "finish_reason": "stop"}}], "usage": {{"prompt_tokens": {tokens}, "completion_tokens": 5, "total_tokens": 9}}}}"#
            )
        };
        let count_of = |first: &str, other: &str, header: &str| {
            let text = vcrpy(&[(uri, "{}", first), (uri, "{}", other)]);
            let index = text.rfind("headers: {}").unwrap();
            let (head, tail) = text.split_at(index);
            let text = format!("{head}{}", tail.replace("{}", header));
            found(RuleId::CallAmbiguous, "a.yaml", &text).len()
        };
        let first_answer = answer("chatcmpl-AbCdEf0123456789AbCdEf01", 11111, "Hi");
        let other_answer = answer("chatcmpl-Zz98765432zZ98765432zZ98", 22222, "Hi");
        let close = other_answer.replace(": ", ":").replace(", ", ",");
        for (received, header, expected) in [
            (
                &first_answer,
                "{date: ['Mon, 06 Jan 2025 09:00:00 GMT'], server-timing: ['a;dur=1'], x-request-id: [r1]}",
                0,
            ),
            (&other_answer, "{}", 0),
            (&close, "{}", 0),
            (&answer("chatcmpl-AbCdEf0123456789AbCdEf01", 11111, "Ho"), "{}", 1),
            (&String::new(), "{}", 1),
        ] {
            assert_eq!(count_of(&first_answer, received, header), expected, "{received} {header}");
        }
        let failed = vcrpy(&[(uri, "", ""), (uri, "", "")]).replacen("code: 200", "code: 500", 1);
        assert_eq!(found(RuleId::CallAmbiguous, "a.yaml", &failed).len(), 1);
    }

    #[test]
    fn what_would_settle_it_is_known() {
        let matcher_of = |calls: &[(&str, &str, &str)], matchers: Option<&[&str]>| {
            let match_on = matchers.map(|names| ConfigTexts {
                key: "match_on".into(),
                texts: Some(names.iter().map(|name| Box::from(*name)).collect()),
                origin: ConfigOrigin { path: "conftest.py".into(), line: 3 },
            });
            let cassette = CassetteFacts { match_on, ..CassetteFacts::default() };
            let facts = CheckFacts { cassette, ..CheckFacts::default() };
            let problems = with_facts("a.yaml", &vcrpy(calls), &facts);
            let mut findings = problems.iter().filter(|p| p.rule == RuleId::CallAmbiguous);
            let calls = findings.next().and_then(|p| p.calls.clone());
            calls.map(|calls| calls.settled_by.unwrap_or_default().to_string())
        };
        let (first_url, other_url) = ("https://a.example/x?a=1", "https://a.example/x?a=2");
        let some_name = |matcher: &str| Some(matcher.to_owned());
        let paths = Some(&["method", "path"][..]);
        assert_eq!(
            matcher_of(&[(first_url, "a", "1"), (first_url, "b", "2")], None),
            some_name("body")
        );
        assert_eq!(
            matcher_of(&[(first_url, "a", "1"), (first_url, "a", "2")], None),
            some_name("")
        );
        assert_eq!(
            matcher_of(
                &[(first_url, "a", "1"), (first_url, "b", "2"), (first_url, "b", "2")],
                None
            ),
            some_name("body")
        );
        assert_eq!(
            matcher_of(
                &[(first_url, "a", "1"), (first_url, "b", "2"), (first_url, "b", "3")],
                None
            ),
            some_name("")
        );
        assert_eq!(
            matcher_of(&[(first_url, "a", "1"), (other_url, "a", "2")], paths),
            some_name("query")
        );
        assert_eq!(
            matcher_of(&[(first_url, "a", "1"), (other_url, "b", "2")], paths),
            some_name("body")
        );
        assert_eq!(
            matcher_of(&[(first_url, "a", "1"), (first_url, "a", "2")], Some(&["uri", "body"])),
            some_name("")
        );
        assert_eq!(
            matcher_of(&[(first_url, "a", "1"), (first_url, "b", "2")], Some(&["uri", "mine"])),
            None
        );
    }
}
