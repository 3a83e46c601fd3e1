//! `secret`: a key, a token, a password or an address in a file.

use std::collections::HashSet;

use super::account_notes;
use crate::check_document::ProblemCollector;
use author::redact::{NameList, scan_personal};
use calls::decoded_view::{Covering, MarkedSecret};
use calls::secret::{Mask, SecretClass};
use document::tape::received;
use document::{DocumentBody, Node, RuleId, Severity};

rule! {
    /// A text contains what looks like a key, a token or a password. Fixtures are committed and shared: everyone who can read
    /// the repository, now or later, can use it.
    ///
    /// Secrets are recognised by the formats that their issuers publish, or by a name such as `password` or `api_key`.
    /// Hashes, UUIDs, images and signatures are not secrets. An e-mail address is reported as a note. In cassettes, cookies are
    /// known by their names, also without a published format, and ids of accounts and organizations are notes; Base64, escapes and
    /// compressed bodies are decoded, and the pieces of a stream joined. In sessions, phone numbers, bank accounts, cards, street addresses and the values of fields such
    /// as `customer_name` are notes. To add patterns for
    /// other secrets, or to allow a text that only looks like a secret, use `[secrets]` in `retake.toml`.
    Secret {
        title: "The text contains a secret",
        fix: "Revoke the secret where it was issued, because it is stored in a file, and replace it with a placeholder.",
        before: "Readable by everyone" => "\"authorization\": \"Bearer b7Zk03…\"",
        after: "Redacted" => "\"authorization\": \"Bearer [redacted-bearer-token-1]\"",
    }
}

/// Checks a document with these calls and returns the secrets that were found in it.
pub(super) fn judge(findings: &mut ProblemCollector<'_>) -> Mask {
    let ProblemCollector { document, facts, texts, .. } = findings;
    let (document, rules) = (*document, &facts.secrets);
    let mut mask = Mask::default();
    let secrets = match document.body {
        // Sessions are made of what people wrote, so personal data counts as well.
        DocumentBody::Session(_) | DocumentBody::Config(_) => {
            scan_personal(texts, rules, &NameList::default())
        }
        _ => texts.secrets(rules),
    };
    let received_node = received(document);
    let is_in = |secret: &MarkedSecret<'_>, place: Node<'_>| {
        place.span().range().contains(&(secret.span.start as usize))
    };
    let stream = received_node.and_then(|node| node.parent()?.get("stream"));
    let chunk_secrets: HashSet<_> = secrets
        .iter()
        .filter(|s| stream.is_some_and(|stream| is_in(s, stream)))
        .map(|s| (s.kind.name, &*s.text))
        .collect();
    for secret in &secrets {
        let is_received = received_node.is_some_and(|received_node| is_in(secret, received_node));
        // A tape has its answer twice; a secret in both is reported once, at the chunk.
        if !(is_received && chunk_secrets.contains(&(secret.kind.name, &*secret.text))) {
            report(secret, findings);
        }
        // A secret that is not reported must not be in a message either.
        mask.add(secret.kind, &secret.text);
    }
    mask
}

/// Adds a problem about a secret; those that give no access are notes.
fn report(secret: &MarkedSecret<'_>, findings: &mut ProblemCollector<'_>) {
    let (name, hint) = (secret.kind.name, &secret.hint);
    let (intro, remark) = match secret.covering {
        Covering::None => ("This looks like", String::new()),
        Covering::Escapes => ("An escaped text contains what looks like", String::new()),
        Covering::Layers => ("The decoded body contains what looks like", String::new()),
        Covering::Base64 => ("A text in Base64 contains what looks like", String::new()),
        Covering::Split(count, noun) => ("This looks like", format!(", split over {count} {noun}")),
    };
    let message = format!("{intro} {name}{remark}: `{hint}`");
    let pointer = secret.node.map(Node::bounded_pointer).unwrap_or_default();
    let pointer = format!("{pointer}{}", secret.place);
    let problem = findings.add_at_bytes(RuleId::Secret, secret.span, pointer, message);
    let help = match secret.kind.class {
        SecretClass::Key => return,
        SecretClass::Address => {
            "Replace it with an address of example.com if it belongs to a person."
        }
        SecretClass::Personal => "Replace it with `retake redact` if it belongs to a person.",
        SecretClass::Account => account_notes::HELP,
    };
    if let Some(problem) = problem {
        problem.severity = Severity::Note;
        problem.help = Some(help.into());
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use crate::testing::{found, project, recording, with_facts};
    use document::RuleId;
    use document::body::testing::event_message;

    /// Returns a key in the issuer's format, assembled at run time so that this file contains no complete key.
    fn token() -> String {
        format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2))
    }

    #[test]
    fn a_token_that_is_cut_into_chunks_of_a_tape_is_found_once() {
        let token = token();
        let (first, rest) = token.split_at(20);
        let tape = format!(
            r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {{"model": "m", "contents": ""}}, "stream": [
            {{"delayNs": 1, "text": "Use {first}"}}, {{"delayNs": 1, "text": "{rest}."}}, {{"delayNs": 1, "text": " Or {token}."}}]}}"#
        );
        insta::assert_snapshot!(found(RuleId::Secret, "tape.json", &tape).join("\n"), @"
        warning 2:36 /stream/0/text This looks like a GitHub token, split over 2 chunks: `ghp_…`
        warning 2:146 /stream/2/text This looks like a GitHub token: `ghp_…`
        ");
    }

    #[test]
    fn what_a_tape_has_as_it_was_received_is_reported_at_the_chunk_only() {
        let token = token();
        let (first, rest) = token.split_at(20);
        let other = token.replace("Zk3v", "Aa9b");
        let tape = |received: &str| {
            let received = serde_json::to_string(received).unwrap();
            let tape = format!(
                r#"{{"meta": {{"model": "m", "recordedAt": "t"}}, "request": {{"model": "m", "contents": ""}}, "received": {received}, "stream": [
                {{"delayNs": 1, "text": "{first}"}}, {{"delayNs": 1, "text": "{rest}."}}]}}"#
            );
            found(RuleId::Secret, "tape.json", &tape).join("\n")
        };
        let event =
            |text: &str| format!("data: {}\n\n", serde_json::json!({ "delta": { "text": text } }));
        let at_chunk = "warning 2:40 /stream/0/text This looks like a GitHub token, split over 2 chunks: `ghp_…`";
        assert_eq!(tape(&token), at_chunk);
        assert_eq!(tape(&(event(first) + &event(rest))), at_chunk);
        assert_eq!(tape(&event(&format!("{token}."))), at_chunk);
        assert_eq!(tape(&other).lines().count(), 2);
    }

    #[test]
    fn a_token_in_a_decoded_body_of_a_cassette_is_found_at_its_place_in_it() {
        let token = token();
        let body = base64::Engine::encode(
            &base64::prelude::BASE64_STANDARD,
            format!(r#"{{"a": [1, "{token}"]}}"#),
        );
        let cassette = format!(
            "interactions:\n- request:\n    body: a=b&c=%67hp_{}\n    headers:\n      content-type: [application/x-www-form-urlencoded]\n    method: POST\n    uri: https://a.example/?x=%67hp_{}\n  response:\n    body:\n      string: !!binary |\n        {body}\n    headers: {{}}\n    status: {{code: 200, message: OK}}\nversion: 1\n",
            &token[4..],
            &token[4..]
        );
        insta::assert_snapshot!(found(RuleId::Secret, "a.yaml", &cassette).join("\n"), @"
        warning 3:17 /interactions/0/request/body An escaped text contains what looks like a GitHub token: `ghp_…`
        warning 7:31 /interactions/0/request/uri An escaped text contains what looks like a GitHub token: `ghp_…`
        warning 10:24 /interactions/0/response/body/string#/a/1 The decoded body contains what looks like a GitHub token: `ghp_…`
        ");
    }

    #[test]
    fn no_message_about_a_file_shows_a_secret_of_it() {
        let token = token();
        let texts = [
            // As a key twice, and as a value without quotes.
            format!(
                r#"{{"request": {{"messages": [], "tools": [], "{token}": 1, "{token}": 2, "a": {token}}}, "response": {{}}}}"#
            ),
            format!(
                "id: a\ninput: b\n{token}: 1\n{token}: 2\nname: [1]\ntool_responses:\n- tool: t\n  response: [{token}]\n"
            ),
            "password: \"abc-7rX!\"\ninput: 3\nid: b\ncontract: [abc-7rX!]\ntool_responses: \"abc-7rX!\"\n".to_owned(),
            format!(
                r#"{{"request": {{"messages": [], "tools": [{{"name": "b"}}], "context": {{"{token}": 1}}}},
                "response": {{"response": {{"content": [{{"type": "tool_use", "name": "{token}", "input": {{}}}}]}}}},
                "signature": {{"toolNames": ["{token}"], "messageCount": 0, "contextKeys": []}}}}"#
            ),
        ];
        for (name, text) in ["a.json", "a.yaml", "a.yaml", "a.json"].iter().zip(texts) {
            let problems = with_facts(name, &text, &Default::default());
            assert!(problems.iter().any(|p| p.rule == RuleId::Secret));
            assert!(problems.iter().any(|p| p.rule != RuleId::Secret), "{problems:?}");
            let debug_text = format!("{problems:?}");
            assert!(
                !debug_text.contains(&token[4..14]) && !debug_text.contains("abc-7rX"),
                "{debug_text}"
            );
        }
    }

    #[test]
    fn no_message_about_files_together_shows_a_secret_of_one() {
        let token = token();
        let tools = format!(r#"[{{"name": "{token}"}}]"#);
        let file = recording("{}", "[]", &tools, "");
        let report = project(
            RuleId::SignatureShared,
            &[("a/turn-1.json", file.clone()), ("a/turn-2.json", file)],
        );
        assert!(report.contains("note") && !report.contains(&token[4..14]), "{report}");
    }

    fn cassette(uri: &str, sent: (&str, &str), received: (&str, &str)) -> String {
        format!(
            "interactions:\n- request:\n    body: {}\n    headers: {{{}}}\n    method: POST\n    uri: {uri}\n  response:\n    body: {{string: {}}}\n    headers: {{{}}}\n    status: {{code: 200, message: OK}}\nversion: 1\n",
            sent.1, sent.0, received.1, received.0
        )
    }

    fn shown(uri: &str, sent: (&str, &str), received: (&str, &str)) -> String {
        found(RuleId::Secret, "a.yaml", &cassette(uri, sent, received)).join("\n")
    }

    #[test]
    fn secrets_of_headers_and_addresses_are_known_by_their_names() {
        insta::assert_snapshot!(shown(
            "https://a.example/v1?key=9f8e7d6c5b4a39281706f5e4&alt=sse",
            (
                "x-api-key: [8f3e9d1c7b5a4e2f], cookie: ['sessionid=38afes7a8d91c0b2e4f6; a=b'], x-auth: [!!binary c2s=]",
                "''",
            ),
            (
                "set-cookie: ['__cf_bm=jQ2l1nB3xK.9s0aPq7; path=/'], openai-organization: [user-ab3kq91m]",
                "''",
            ),
        ), @"
        warning 4:27 /interactions/0/request/headers/x-api-key/0 This looks like a key or token: `…`
        warning 4:66 /interactions/0/request/headers/cookie/0 This looks like the session cookie `sessionid`: `…`
        warning 6:35 /interactions/0/request/uri This looks like a key or token: `…`
        note 9:37 /interactions/0/response/headers/set-cookie/0 This looks like the cookie `__cf_bm`: `…`
        note 9:89 /interactions/0/response/headers/openai-organization/0 This looks like the id of an organization or a project: `…`
        ");
    }

    #[test]
    fn ids_of_accounts_are_notes_and_reported_once() {
        insta::assert_snapshot!(shown(
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A380917264509%3Ainference-profile%2Fx/converse",
            ("openai-project: [REDACTED]", "'{\"arn\": \"arn:aws:bedrock:us-east-1:380917264509:x\"}'"),
            ("", "projects/748392016534/locations"),
        ), @"
        note 3:47 /interactions/0/request/body#/arn This looks like the id of an AWS account: `…`
        note 8:29 /interactions/0/response/body/string This looks like the number of a Google project: `…`
        ");
    }

    #[test]
    fn an_account_in_an_escaped_address_is_found() {
        insta::assert_snapshot!(shown(
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A380917264509%3Ainference-profile%2Fx/converse",
            ("", "'{}'"),
            ("", "{}"),
        ), @"note 6:98 /interactions/0/request/uri This looks like the id of an AWS account: `…`");
    }

    #[test]
    fn base64_is_decoded_wherever_it_is() {
        let token = token();
        let packed = |text: &str| BASE64_STANDARD.encode(text);
        let inner = packed(&format!(r#"{{"a": ["{token}"]}}"#));
        let body = packed(&format!(r#"{{"config": "{inner}"}}"#));
        insta::assert_snapshot!(shown(
            "https://a.example/",
            (
                &format!("x-config: [{inner}], x-bytes: [!!binary {}]", packed(&token)),
                &format!("'{{\"b\": \"see {} there\"}}'", packed(&format!("it is {token}"))),
            ),
            ("", &format!("!!binary {body}")),
        ), @"
        warning 3:23 /interactions/0/request/body#/b A text in Base64 contains what looks like a GitHub token: `ghp_…`
        warning 4:26 /interactions/0/request/headers/x-config/0#/a/0 A text in Base64 contains what looks like a GitHub token: `ghp_…`
        warning 4:124 /interactions/0/request/headers/x-bytes/0 A text in Base64 contains what looks like a GitHub token: `ghp_…`
        warning 8:29 /interactions/0/response/body/string#/config#/a/0 A text in Base64 contains what looks like a GitHub token: `ghp_…`
        ");
    }

    #[test]
    fn payloads_of_an_event_stream_are_read() {
        let token = token();
        let event = format!(r#"{{"delta":{{"text":"it is {token}"}}}}"#);
        let encoded = BASE64_STANDARD.encode(event.replace("it is", "and then"));
        let stream = [
            event_message("contentBlockDelta", &event),
            event_message("chunk", &format!(r#"{{"bytes":"{encoded}"}}"#)),
        ];
        let report_of = |stream: &[u8]| {
            let body = format!("!!binary {}", BASE64_STANDARD.encode(stream));
            let kind = "content-type: [application/vnd.amazon.eventstream]";
            shown("https://a.example/", ("", "''"), (kind, &body))
        };
        insta::assert_snapshot!(stream.map(|s| report_of(&s)).join("\n"), @"
        warning 8:29 /interactions/0/response/body/string#/delta/text The decoded body contains what looks like a GitHub token: `ghp_…`
        warning 8:29 /interactions/0/response/body/string#/bytes#/delta/text A text in Base64 contains what looks like a GitHub token: `ghp_…`
        ");
    }

    #[test]
    fn placeholders_are_no_secrets() {
        let login = BASE64_STANDARD.encode("user:REDACTED");
        assert_eq!(
            shown(
                "https://a.example/?key=scrubbed-scrubbed-scrubbed-1",
                (
                    &format!(
                        "authorization: [Bearer scrubbed, Basic {login}], x-api-key: [DUMMY-1234567890], openai-organization: [REDACTED]"
                    ),
                    "'{\"access_token\": \"scrubbed\"}'",
                ),
                ("set-cookie: [scrubbed, 'session=REDACTED; path=/']", "''"),
            ),
            ""
        );
    }
}
