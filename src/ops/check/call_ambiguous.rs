//! `call-ambiguous`: a cassette has calls that its program cannot distinguish.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::document::ProblemCollector;
use crate::format::call::ModelCall;
use crate::format::cassette::{CassetteClient, Interaction};
use crate::format::{Document, Node, RuleId};
use crate::text::{counted, listed};

rule! {
    /// Several calls of the cassette are equal in all that its program compares by default, and have different answers. The
    /// order in the file decides which answer a request gets: a test that sends something else, or in another order, gets
    /// a wrong answer and may still pass.
    ///
    /// vcrpy compares method, scheme, host, port, path and query, never the body; cassetter and VCR for Ruby method and
    /// address; vcr for R the body too; go-vcr all of the request. Settings of the test are not read.
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
    calls: &[ModelCall<'_>],
    findings: &mut ProblemCollector<'_>,
) {
    if calls.len() < 2 {
        return;
    }
    let mut order: Vec<String> = Vec::new();
    let mut groups: HashMap<String, Vec<(usize, Interaction<'_>)>> = HashMap::new();
    for (number, call) in (1..).zip(calls) {
        let Some(interaction) = Interaction::parse(document.node(call.node)) else {
            continue;
        };
        let key = matched(client, &interaction);
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
            compared(client)
        );
        findings.add_at(RuleId::CallAmbiguous, first.node, message);
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
            format!("{} {}", method.unwrap_or_default(), vcrpy_address(uri))
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

/// Returns what vcrpy compares of an address: scheme, host, port, path and query.
fn vcrpy_address(uri: &str) -> String {
    let (scheme, rest) = uri.split_once("://").unwrap_or(("", uri));
    let scheme = scheme.to_ascii_lowercase();
    let rest = rest.split('#').next().unwrap_or(rest);
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or(authority);
    let host = host.to_ascii_lowercase();
    let (host, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, port),
        _ => (&*host, ""),
    };
    let port = match (port, &*scheme) {
        ("", "https") => "443",
        ("", "http") => "80",
        (port, _) => port,
    };
    // The parameters of the last segment are no part of the path.
    let (folders, last) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let last = last.split(';').next().unwrap_or(last);
    let path = if path.is_empty() { "/" } else { folders };
    let mut fields: Vec<String> = query
        .split('&')
        .filter(|field| {
            field
                .split_once('=')
                .is_some_and(|(_, value)| !value.is_empty())
        })
        .map(|field| field.replace('+', "%20"))
        .collect();
    fields.sort_unstable();
    format!("{scheme} {host} {port} {path}{last} {}", fields.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::found;

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
    fn addresses_are_compared_as_vcrpy_compares_them() {
        let is_same = |a: &str, b: &str| vcrpy_address(a) == vcrpy_address(b);
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
