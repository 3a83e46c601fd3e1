//! `call-ambiguous`: a cassette has calls that its program cannot distinguish.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::address::AddressParts;
use super::document::ProblemCollector;
use crate::format::call::{BodyContent, ModelCall};
use crate::format::cassette::{CassetteClient, Interaction};
use crate::format::{Document, Node, ProblemCalls, RuleId};
use crate::ops::cassette_config::ConfigTexts;
use crate::text::{counted, listed};

rule! {
    /// Several calls of the cassette are equal in all that its program compares by default, and have different answers. The
    /// order in the file decides which answer a request gets: a test that sends something else, or in another order, gets
    /// a wrong answer and may still pass.
    ///
    /// vcrpy compares method, scheme, host, port, path and query, never the body; cassetter and VCR for Ruby method and
    /// address; vcr for R the body too; go-vcr all of the request. Matchers that `retake.toml` or the test set are used in
    /// place of these, and nothing is reported if they are only known when the test runs.
    CallAmbiguous {
        title: "The order of the file decides which call answers",
        fix: "Compare the body as well: `match_on` with `body` (vcrpy), `json_body` (cassetter) or `body_as_json` (Ruby).",
        before: "Either answers" => "uri: https://api.openai.com/v1/responses\n…\nuri: https://api.openai.com/v1/responses",
        after: "The body decides" => "match_on=[\"method\", \"uri\", \"body\"]",
    }
}

pub(super) fn judge(
    document: &Document,
    client: CassetteClient,
    match_on: Option<&ConfigTexts>,
    calls: &[ModelCall<'_>],
    findings: &mut ProblemCollector<'_>,
) {
    let matchers = match match_on.map(|it| it.texts.as_deref()) {
        Some(None) => return,
        Some(Some(matchers)) if !matchers.iter().all(|it| is_known(client, it)) => return,
        Some(matchers) => matchers,
        None => None,
    };
    if calls.len() < 2 {
        return;
    }
    let mut order: Vec<String> = Vec::new();
    let mut groups: HashMap<String, Vec<(usize, Interaction<'_>)>> = HashMap::new();
    for (number, call) in (1..).zip(calls) {
        let Some(interaction) = Interaction::parse(document.node(call.node)) else {
            continue;
        };
        let key = match matchers {
            Some(matchers) => matched_by(matchers, client, document, call, &interaction),
            None => matched(client, &interaction),
        };
        let group = groups.entry(key).or_insert_with_key(|key| {
            order.push(key.clone());
            Vec::new()
        });
        group.push((number, interaction));
    }
    for group in order.iter().filter_map(|key| groups.get(key)) {
        let [(_, first), rest @ ..] = &group[..] else {
            continue;
        };
        let is_same = |a: &Interaction<'_>, b: &Interaction<'_>| {
            a.response.map(Node::raw) == b.response.map(Node::raw)
        };
        if rest.iter().all(|(_, other)| is_same(first, other)) {
            continue;
        }
        let numbers: Vec<usize> = group.iter().map(|(number, _)| *number).collect();
        let message = format!(
            "{} cannot distinguish calls {}: it compares {}, and their answers differ",
            client.as_str(),
            format_numbers(&numbers),
            match match_on {
                Some(set) => {
                    let matchers = matchers.unwrap_or_default();
                    let names: Vec<&str> = matchers.iter().map(|name| &**name).collect();
                    format!("{} ({})", listed(&names), set.origin)
                }
                None => compared(client).to_owned(),
            }
        );
        if let Some(problem) = findings.add_at(RuleId::CallAmbiguous, first.node, message) {
            let numbers = numbers.iter().map(|number| number - 1).collect();
            problem.calls = Some(Box::new(ProblemCalls { numbers }));
        }
    }
}

/// Formats sorted numbers: `1 to 4`, or `1, 3 and 7`.
fn format_numbers(numbers: &[usize]) -> String {
    const MOST: usize = 6;
    match numbers {
        [first, .., last] if numbers.len() > 2 && last - first + 1 == numbers.len() => {
            format!("{first} to {last}")
        }
        _ if numbers.len() > MOST => {
            let shown: Vec<String> = numbers.iter().take(MOST).map(usize::to_string).collect();
            let more = counted(numbers.len() - MOST, "other", "others");
            format!("{} and {more}", shown.join(", "))
        }
        _ => {
            let shown: Vec<String> = numbers.iter().map(usize::to_string).collect();
            listed(&shown)
        }
    }
}

/// Returns what a program compares by default, as a phrase.
fn compared(client: CassetteClient) -> &'static str {
    match client {
        CassetteClient::Vcrpy => "method, host, path and query",
        CassetteClient::Cassetter | CassetteClient::RubyVcr => "method and address",
        CassetteClient::RVcr => "method, address and body",
        CassetteClient::GoVcr => "the whole request",
    }
}

/// Returns a text that is equal for requests which a program cannot distinguish by default.
fn matched(client: CassetteClient, interaction: &Interaction<'_>) -> String {
    let request = interaction.request;
    let written = |key: &str| request.get(key).map_or("", Node::raw);
    let (method, uri) = (interaction.method(), interaction.uri());
    match client {
        CassetteClient::Vcrpy => {
            // The case of the method counts.
            let method = request.get("method").and_then(Node::scalar_text);
            let address = AddressParts::parse(uri);
            let matched = address.all();
            format!("{} {matched}", method.unwrap_or_default())
        }
        CassetteClient::Cassetter | CassetteClient::RubyVcr => format!("{method} {uri}"),
        CassetteClient::RVcr => format!("{method} {uri} {}", written("body")),
        CassetteClient::GoVcr => {
            let parts = ["proto", "headers", "body", "form", "trailer", "host"];
            let mut key = format!("{method} {uri}");
            for part in parts.map(written) {
                let _ = write!(key, "\n{part}");
            }
            key
        }
    }
}

/// Returns whether it is known what a matcher compares.
fn is_known(client: CassetteClient, matcher: &str) -> bool {
    let parts = ["method", "uri", "headers", "body"];
    let of_vcrpy = ["url", "scheme", "host", "port", "path", "query", "raw_body"];
    parts.contains(&matcher)
        || match client {
            CassetteClient::Vcrpy => of_vcrpy.contains(&matcher),
            CassetteClient::Cassetter => matcher == "json_body",
            CassetteClient::RubyVcr => {
                matches!(matcher, "host" | "path" | "query" | "body_as_json")
            }
            CassetteClient::RVcr => matches!(matcher, "host" | "path" | "query" | "body_json"),
            CassetteClient::GoVcr => false,
        }
}

/// Returns a text that is equal for requests which these matchers cannot distinguish.
fn matched_by(
    matchers: &[Box<str>],
    client: CassetteClient,
    document: &Document,
    call: &ModelCall<'_>,
    interaction: &Interaction<'_>,
) -> String {
    let uri = interaction.uri();
    let address = AddressParts::parse(uri);
    let mut key = String::new();
    for matcher in matchers {
        let part = match &**matcher {
            "method" => Cow::Owned(interaction.method()),
            "scheme" => Cow::Borrowed(&*address.scheme),
            "host" => Cow::Borrowed(&*address.host),
            "port" => Cow::Borrowed(&*address.port),
            "path" => Cow::Borrowed(&*address.path),
            "query" => Cow::Borrowed(&*address.query),
            "headers" => Cow::Borrowed(interaction.request.get("headers").map_or("", Node::raw)),
            "body" | "raw_body" | "json_body" | "body_as_json" | "body_json" => {
                let is_raw = &**matcher == "raw_body";
                Cow::Owned(body_key(document, call, client, is_raw))
            }
            _ => Cow::Borrowed(uri),
        };
        let _ = writeln!(key, "{part:?}");
    }
    key
}

/// Returns a text that is equal for equal bodies. JSON is compared as values, except by vcrpy without its content type.
fn body_key(
    document: &Document,
    call: &ModelCall<'_>,
    client: CassetteClient,
    is_raw: bool,
) -> String {
    let Some(http) = call.facts.http.as_ref() else {
        return String::new();
    };
    let has_json_type = || {
        let mut headers = http.request_headers.iter();
        headers.any(|(name, value)| {
            let value = value.to_ascii_lowercase();
            name.eq_ignore_ascii_case("content-type") && value.contains("application/json")
        })
    };
    match http.request_body.as_ref().map(|body| &body.content) {
        None => String::new(),
        Some(BodyContent::Bytes(bytes)) => format!("{bytes:?}"),
        Some(BodyContent::Tree(node)) => document.node(*node).raw().to_owned(),
        Some(BodyContent::Text(text)) => {
            let is_value = !is_raw && (client != CassetteClient::Vcrpy || has_json_type());
            let value = is_value.then(|| serde_json::from_str::<Value>(text).ok());
            // Its keys are sorted.
            let value = value.flatten().map(|value| value.to_string());
            value.unwrap_or_else(|| text.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::cassette_config::{CassetteFacts, ConfigOrigin};
    use crate::ops::check::CheckFacts;
    use crate::ops::check::testing::{found, shown, with_facts};

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
        let one = "https://api.openai.com/v1/responses";
        let other = "https://API.openai.com:443/v1/responses?";
        let text = vcrpy(&[
            (one, "a", "1"),
            ("https://other.example/", "a", "1"),
            (other, "b", "2"),
            (one, "c", "3"),
        ]);
        insta::assert_snapshot!(found(RuleId::CallAmbiguous, "a.yaml", &text).join("\n"), @"warning 2:3 /interactions/0 vcrpy cannot distinguish calls 1, 3 and 4: it compares method, host, path and query, and their answers differ");
        let same = vcrpy(&[(one, "a", "1"), (one, "b", "1")]);
        assert!(found(RuleId::CallAmbiguous, "a.yaml", &same).is_empty());
    }

    #[test]
    fn each_program_compares_its_own_parts() {
        let cassetter = "version: 1\ninteractions:\n- request: {method: POST, uri: 'https://a.example/x?a=1&b=2', headers: {}, body: {type: text, content: a}}\n  response: {status: 200, headers: {}, body: {type: text, content: '1'}}\n- request: {method: POST, uri: 'https://a.example/x?b=2&a=1', headers: {}, body: {type: text, content: a}}\n  response: {status: 200, headers: {}, body: {type: text, content: '2'}}\n";
        assert!(found(RuleId::CallAmbiguous, "a.yaml", cassetter).is_empty());
        let go = "---\nversion: 2\ninteractions:\n- id: 0\n  request: {proto: HTTP/1.1, body: a, headers: {}, url: 'https://a.example/', method: POST}\n  response: {body: '1', headers: {}, status: 200 OK, code: 200}\n- id: 1\n  request: {proto: HTTP/1.1, body: b, headers: {}, url: 'https://a.example/', method: POST}\n  response: {body: '2', headers: {}, status: 200 OK, code: 200}\n";
        assert!(found(RuleId::CallAmbiguous, "a.yaml", go).is_empty());
        let again = go.replace("body: b", "body: a");
        assert_eq!(found(RuleId::CallAmbiguous, "a.yaml", &again).len(), 1);
    }

    #[test]
    fn matchers_that_the_test_sets_replace_those_of_the_program() {
        let uri = "https://a.example/x";
        let reported = |matchers: Option<&[&str]>, bodies: &[&str]| {
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
                        texts: matchers.map(|all| all.iter().map(|it| Box::from(*it)).collect()),
                        origin: ConfigOrigin {
                            path: "conftest.py".into(),
                            line: 3,
                        },
                    }),
                    ..CassetteFacts::default()
                },
                ..CheckFacts::default()
            };
            shown(RuleId::CallAmbiguous, &with_facts("a.yaml", &text, &facts)).join("\n")
        };
        let (one, same) = (r#"{"a":1,"b":2}"#, r#"{"b": 2, "a": 1}"#);
        insta::assert_snapshot!(reported(Some(&["method", "body"]), &[one, same]), @"warning 2:3 /interactions/0 vcrpy cannot distinguish calls 1 and 2: it compares method and body (conftest.py:3), and their answers differ");
        assert_eq!(reported(Some(&["method", "raw_body"]), &[one, same]), "");
        assert_eq!(reported(Some(&["method", "body"]), &[one, "{}"]), "");
        assert_eq!(reported(Some(&["method", "mine"]), &[one, same]), "");
        assert_eq!(reported(None, &[one, same]), "");
    }

    #[test]
    fn addresses_are_compared_as_vcrpy_compares_them() {
        let is_same =
            |a: &str, b: &str| AddressParts::parse(a).all() == AddressParts::parse(b).all();
        assert!(is_same("https://A.example", "https://a.example:443/"));
        assert!(is_same("http://me:pw@a.example/x", "http://a.example/x#y"));
        assert!(is_same(
            "http://a.example/x?a=1&b=2",
            "http://a.example/x?b=2&a=1"
        ));
        assert!(is_same(
            "http://a.example/x?a=1&b=",
            "http://a.example/x?a=1"
        ));
        assert!(is_same("http://a.example/x;p", "http://a.example/x"));
        assert!(!is_same("http://a.example/x", "http://a.example/x/"));
        assert!(!is_same("http://a.example/x", "https://a.example/x"));
        assert!(!is_same(
            "http://a.example/x?a=1&a=1",
            "http://a.example/x?a=1"
        ));
    }
}
