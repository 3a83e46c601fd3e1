//! Secrets in every place and layer: found where they are, and replaced in the spelling of the file.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::redact::{NameList, PersonalValues, Redactor, redact};
use calls::decoded_view::{
    DocumentTexts, MarkedSecret, Part, SecretSearch, TextName, TextSearch, marked_tree,
    replace_in_text,
};
use calls::reading::listed_calls;
use calls::secret::testing::sample_key;
use calls::secret::{CustomPatterns, RedactionKey};
use document::body::pack;
use document::body::testing::{event_message, packed_body};
use document::call::BodyLayer;
use document::text::{Source, Span};
use document::{Document, Node, json, read};
use proptest::prelude::*;

/// Returns a key in the issuer's format, assembled at run time so that this file contains no complete key.
fn token() -> String {
    format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2))
}

const MAIL: &str = "ines.haller@nordlicht-reisen.de";

fn secrets(document: &Document) -> Vec<String> {
    let calls = listed_calls(document);
    let found = DocumentTexts::new(document, &calls).secrets(&CustomPatterns::default());
    let lines = found.iter().map(|secret| {
        let pointer = secret.node.map(Node::pointer).unwrap_or_default();
        format!("{pointer}{} {} {:?}", secret.place, secret.text, secret.covering)
    });
    lines.collect()
}

/// Redacts a file by itself; the reasons if it is refused.
fn redacted(name: &str, text: &str) -> Result<String, String> {
    let (own, document) = (CustomPatterns::default(), read(Source::new(text), name));
    let mut values = PersonalValues::default();
    values.add(&document, &own, &NameList::default());
    let redactor = Redactor::new(&values.redaction(RedactionKey::from_random(b"key")))?;
    match redact(&document, name, &redactor, &own) {
        Ok(result) => {
            Ok(result.map_or_else(|| text.to_owned(), |result| result.after.text().to_owned()))
        }
        Err(refused) => Err(format!("{refused:?}")),
    }
}

fn cassette(request: &str, response: &str) -> String {
    format!(
        "interactions:\n- request:\n{request}    method: POST\n    uri: https://a.example/v1\n  response:\n{response}    status: {{code: 200, message: OK}}\nversion: 1\n"
    )
}

fn with_response(body: &str, headers: &str) -> String {
    let response =
        format!("    body:\n      string: {body}\n    headers:\n{headers}      x-a: [b]\n");
    cassette("    body: ''\n    headers: {}\n", &response)
}

/// Checks that exactly one secret is found, and that it is replaced so that nothing is left.
fn check_one(name: &str, text: &str, secret: &str) {
    let document = read(Source::new(text), name);
    let found = secrets(&document);
    assert!(found.len() == 1 && found[0].contains(secret), "{found:?} in {text}");
    let after = redacted(name, text).unwrap_or_else(|reason| panic!("{reason} in {text}"));
    assert_ne!(after, text);
    let document = read(Source::new(after.as_str()), name);
    assert_eq!(secrets(&document), [""; 0], "{after}");
    assert_eq!(redacted(name, &after).as_deref(), Ok(&*after));
}

#[test]
fn a_secret_behind_an_escape_is_found_and_the_escape_stays() {
    let token = token();
    for secret in [&*token, MAIL] {
        for escape in ["\\n", "\\t", "\\r\\n", "\\u00e9 ", "\\\\ ", "\\\""] {
            let json = format!(r#"{{"a": "Mail:{escape}{secret}\n"}}"#);
            let body = format!("'{}'", json.replace('\'', "''"));
            let cassette = with_response(&body, "");
            check_one("a.yaml", &cassette, secret);
            let after = redacted("a.yaml", &cassette).unwrap();
            assert!(after.contains(&format!("Mail:{escape}")), "{after}");
            let nested = serde_json::to_string(&json).unwrap();
            let twice = serde_json::to_string(&nested).unwrap();
            check_one("a.json", &format!(r#"{{"tool_result": {twice}}}"#), secret);
        }
    }
    let code =
        with_response(r#"'{"a": "import pytest\n@pytest.mark.vcr\n\t@app.get(\"/x\")"}'"#, "");
    assert_eq!(secrets(&read(Source::new(code.as_str()), "a.yaml")), [""; 0]);
    assert_eq!(redacted("a.yaml", &code), Ok(code));
}

#[test]
fn a_secret_is_found_and_replaced_in_each_layer() {
    use document::call::BodyLayer::{Brotli, Deflate, Gzip, Zstd};
    let token = token();
    let json = format!(r#"{{"user": {{"note": "it is\n{token}"}}}}"#);
    for coding in [Gzip, Deflate, Brotli, Zstd] {
        let [body, headers] = packed_body(&json, coding);
        check_one("a.yaml", &with_response(&body, &headers), &token);
    }
    let packed = BASE64_STANDARD.encode(&json);
    let escaped = token.replace("hp_", "%68p%5F");
    let bodies = [
        format!("!!binary {packed}"),
        format!(r#"'{{"config": "{packed}"}}'"#),
        format!(r#"'{{"config": "{}"}}'"#, BASE64_STANDARD.encode(&packed)),
        format!(r#"'{{"a": "{}"}}'"#, token.replace('_', "\\u005f")),
        format!(
            r#"'<a href="https://a.example/?next=https%3A%2F%2Fb.example%2F%3Fa%3D{escaped}">'"#
        ),
        format!("'<p>&lt;{}&gt;</p>'", token.replace('_', "&#95;")),
        format!(r#"'<script>let a = "\u006{}";</script>'"#, "7".to_owned() + &token[1..]),
        format!(r#""{{\"a\": \"\\n{token}\"}}""#),
        format!("|\n        line\n        {{\"a\": \"{token}\"}}"),
    ];
    for body in bodies {
        check_one("a.yaml", &with_response(&body, ""), &token);
    }
}

#[test]
fn values_are_known_by_their_names_wherever_they_are() {
    let value = "RokJZpgroEpA6gSmQNwgk6mgbr8KQrK8jayAt2EL";
    let header = |name: &str| {
        let request = format!("    body: ''\n    headers:\n      {name}: [{value}]\n");
        cassette(&request, "    body: {string: ''}\n    headers: {}\n")
    };
    let names =
        ["x-api-key", "api-key", "Ocp-Apim-Subscription-Key", "X-Vault-Token", "X-Auth-Token"];
    for name in names {
        check_one("a.yaml", &header(name), value);
    }
    check_one("a.yaml", &header("cookie").replace("[Rok", "[a=b; sessionid=Rok"), value);
    check_one(
        "a.yaml",
        &header("x").replace("/v1", &format!("/v1?sig={value}&a=b")).replace("x: [Rok", "x: [a"),
        value,
    );
    let nested = format!("/v1?next=https%3A%2F%2Fb.example%2F%3Fsig%3D{value}%26a%3Db");
    check_one("a.yaml", &header("x").replace("/v1", &nested).replace("x: [Rok", "x: [a"), value);
    let form = "      content-type: [application/x-www-form-urlencoded]\n";
    check_one("a.yaml", &with_response(&format!("a=b&refresh_token={value}"), form), value);
    let parts = format!(
        "\"--x1\\r\\nContent-Disposition: form-data; name=\\\"token\\\"\\r\\n\\r\\n{value}\\r\\n--x1--\\r\\n\""
    );
    let kind = "      content-type: [multipart/form-data; boundary=x1]\n";
    check_one("a.yaml", &with_response(&parts, kind), value);
    let mut json = format!(r#"{{"token": "{value}"}}"#);
    for _ in 0..3 {
        json = serde_json::json!({ "a": json }).to_string();
    }
    check_one("a.yaml", &with_response(&format!("'{json}'"), ""), value);
}

#[test]
fn a_secret_that_a_stream_splits_is_found_once() {
    let token = token();
    type Event = fn(&str) -> String;
    let apis: [Event; 5] = [
        |piece| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":{piece}}}}}]}}"#),
        |piece| {
            format!(
                r#"{{"type":"content_block_delta","index":1,"delta":{{"type":"text_delta","text":{piece}}}}}"#
            )
        },
        |piece| {
            format!(r#"{{"type":"response.output_text.delta","output_index":0,"delta":{piece}}}"#)
        },
        |piece| format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":{piece}}}]}}}}]}}"#),
        |piece| {
            format!(
                r#"{{"type":"content_block_delta","index":1,"delta":{{"type":"input_json_delta","partial_json":{piece}}}}}"#
            )
        },
    ];
    let arguments = format!(r#"{{"to": "x", "text": "a\n{token}"}}"#);
    for (number, event) in apis.iter().enumerate() {
        let text = if number == 4 { arguments.clone() } else { format!("it is\n{token}, yes") };
        let pieces = text.as_bytes().chunks(7).map(|piece| std::str::from_utf8(piece).unwrap());
        let events: Vec<String> =
            pieces.map(|piece| event(&serde_json::to_string(piece).unwrap())).collect();
        let sse: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let body = serde_json::to_string(&sse).unwrap();
        check_one("a.yaml", &with_response(&body, ""), &token);
        let lines = serde_json::to_string(&events.join("\n")).unwrap();
        check_one("a.yaml", &with_response(&lines, ""), &token);
        if number == 3 {
            let list = serde_json::to_string(&format!("[{}]", events.join(",\n"))).unwrap();
            check_one("a.yaml", &with_response(&list, ""), &token);
        }
        let wrapped = events.iter().map(|event| {
            let bytes = format!(r#"{{"bytes":"{}"}}"#, BASE64_STANDARD.encode(event));
            event_message("chunk", &bytes)
        });
        let stream: Vec<u8> = wrapped.flatten().collect();
        let body = format!("!!binary {}", BASE64_STANDARD.encode(stream));
        let kind = "      content-type: [application/vnd.amazon.eventstream]\n";
        check_one("a.yaml", &with_response(&body, kind), &token);
    }
}

#[test]
fn archives_of_http_are_read_as_cassettes_are() {
    let token = token();
    let packed = BASE64_STANDARD.encode(format!(r#"{{"a": "{token}"}}"#));
    let har = |entry: &str| {
        format!(
            r#"{{"log": {{"version": "1.2", "creator": {{"name": "x", "version": "1"}}, "entries": [{{"request": {{"method": "GET", "url": "https://a.example/"}}, "response": {{"status": 200, {entry}}}}}]}}}}"#
        )
    };
    let content = format!(
        r#""content": {{"mimeType": "application/json", "encoding": "base64", "text": "{packed}"}}"#
    );
    check_one("a.har", &har(&content), &token);
    for (coding, header) in [
        (BodyLayer::Gzip, true),
        (BodyLayer::Gzip, false),
        (BodyLayer::Brotli, true),
        (BodyLayer::Deflate, true),
        (BodyLayer::Zstd, false),
    ] {
        let layers = [BodyLayer::Base64, coding];
        let body = format!(r#"{{"a": "{token}"}}"#).into_bytes();
        let (packed, _) = pack(body, &layers, "").unwrap();
        let name = coding.as_str();
        let headers = if header {
            format!(r#""headers": [{{"name": "Content-Encoding", "value": "{name}"}}], "#)
        } else {
            String::new()
        };
        let content = r#""content": {"mimeType": "application/json", "encoding": "base64""#;
        let entry = format!(r#"{headers}{content}, "text": "{packed}"}}"#);
        check_one("a.har", &har(&entry), &token);
    }
    let session = "38afes7a8d91c0b2e4f6";
    let cookies = format!(r#""cookies": [{{"name": "sessionid", "value": "{session}"}}]"#);
    check_one("a.har", &har(&cookies), session);
}

#[test]
fn what_cannot_be_written_is_refused_with_its_place() {
    let body = format!("\n      - !!binary {}\n", BASE64_STANDARD.encode([0x1f, 0x8b]));
    assert!(redacted("a.yaml", &with_response(&body, "")).is_ok());
    let broken = format!("{{\"a\": \"{}\", \"b\": [", token());
    assert!(redacted("a.json", &broken).unwrap_err().contains("line: 1"));
}

/// Each secret of a document: its place as written, and of what value.
fn marked(name: &str, text: &str) -> Vec<String> {
    let document = read(Source::new(text), name);
    let marks = marked_tree(&document.tree, &mut SecretSearch::new(&CustomPatterns::default()));
    let describe = |secret: &MarkedSecret<'_>| {
        format!(
            "{} {} {}",
            secret.node.map(Node::pointer).unwrap_or_default(),
            secret.kind.label,
            document.source().slice(secret.span)
        )
    };
    marks.iter().map(describe).collect()
}

#[test]
fn places_are_exact_through_the_escapes_of_json() {
    let key = sample_key("ghp_", 36);
    let hidden = key.replacen('g', "\\u0067", 1);
    let text = format!(
        r#"{{"a": "é\n\ud83d\ude00 \"{key}\" \/", "b": "x {hidden}", "password": "p\u0040ss\"w0rd", "{key}": 1,
        "headers": [{{"name": "X-Api-Key", "value": "k29dkq02kd93jd8s"}}], "inner": "{{\"password\": \"tr0ub4dor\"}}"}}"#
    );
    assert_eq!(
        marked("a.json", &text),
        [
            format!("/a github-token {key}"),
            format!("/b github-token {hidden}"),
            r#"/password password p\u0040ss\"w0rd"#.to_owned(),
            format!("/{key} github-token {key}"),
            "/headers/0/value key k29dkq02kd93jd8s".to_owned(),
            "/inner password tr0ub4dor".to_owned(),
        ]
    );
}

#[test]
fn yaml_is_looked_through_where_escapes_and_lines_hide_a_key() {
    let key = sample_key("ghp_", 36);
    let hidden = key.replacen('g', "\\x67", 1);
    let text = format!(
        "a: \"see {hidden}\"\nb: '{{\"c\": \"it''s \\\"{key}\\\"\"}}'\nd: 'a \\ Basic\n  dXNlcjpwNHNzdzByZA== and'\ne: 'C:\\dir'\n"
    );
    assert_eq!(
        marked("a.yaml", &text),
        [
            format!("/a github-token {hidden}"),
            format!("/b github-token {key}"),
            "/d basic-login dXNlcjpwNHNzdzByZA==".to_owned(),
        ]
    );
}

#[test]
fn yaml_is_looked_through_with_its_comments_and_blocks() {
    let key = sample_key("glpat-", 20);
    let text = format!(
        "id: a # {key}\ninput: |\n  -----BEGIN RSA PRIVATE KEY-----\n  MIIEpAIBAAKCAQEA04up8hoqzS1\n  -----END RSA PRIVATE KEY-----\n\
         name: \"\\x67{}\"\npassword: 'don''t-t3ll'\ncontract: {key}\n",
        &key[1..]
    );
    assert_eq!(
        marked("a.yaml", &text),
        [
            format!(" gitlab-token {key}"),
            "/input private-key -----BEGIN RSA PRIVATE KEY-----\n  MIIEpAIBAAKCAQEA04up8hoqzS1\n  -----END RSA PRIVATE KEY-----".to_owned(),
            format!("/name gitlab-token \\x67{}", &key[1..]),
            "/password password don''t-t3ll".to_owned(),
            format!("/contract gitlab-token {key}"),
        ]
    );
}

#[test]
fn a_value_is_known_by_the_name_of_its_credential() {
    let text = "aws_credential: k29dKq02kd93jd8sZ1mQ7xPv4Ln6\n";
    let found = "/aws_credential key k29dKq02kd93jd8sZ1mQ7xPv4Ln6";
    assert_eq!(marked("a.yaml", text), [found]);
}

#[test]
fn a_text_that_is_all_escapes_is_read_a_bounded_number_of_times() {
    struct Counter(usize);
    impl TextSearch for Counter {
        fn search(&mut self, _: &str, _: TextName<'_>) -> Vec<Part> {
            self.0 += 1;
            Vec::new()
        }

        fn marks(&self, _: &str) -> Option<Vec<usize>> {
            None
        }
    }
    let text = format!("%{}41 &{}#64; {}n", "25".repeat(9), "amp;".repeat(9), "\\".repeat(512));
    let mut counter = Counter(0);
    replace_in_text(&text, &mut counter);
    assert!((2..=40).contains(&counter.0), "{}", counter.0);
}

/// A search without marks, which reads every text.
struct Everywhere<'o>(SecretSearch<'o>);

impl TextSearch for Everywhere<'_> {
    fn search(&mut self, text: &str, name: TextName<'_>) -> Vec<Part> {
        self.0.search(text, name)
    }

    fn marks(&self, _: &str) -> Option<Vec<usize>> {
        None
    }
}

proptest! {
    #![proptest_config(document::text::cases(128))]

    #[test]
    fn a_secret_is_found_in_the_events_of_a_stream_whether_or_not_marks_show_where(
        events in proptest::collection::vec((0..8_usize, "[a-z {}:,%&]{0,12}"), 1..8),
    ) {
        let key = token();
        let (first, rest) = key.split_at(17);
        let delta = |text: &str| format!("data: {{\"choices\": [{{\"delta\": {{\"content\": {}}}}}]}}\n\n", json::quote(text));
        let event = |(kind, text): &(usize, String)| match kind {
            0 => delta(text),
            1 => delta(&format!("{text} {key} {text}")),
            2 => delta(&format!("{text} {first}")) + &delta(&format!("{rest} {text}")),
            3 => delta(&format!("{text} {key}")).replace("ghp_", "\\u0067hp_"),
            4 => delta(&BASE64_STANDARD.encode(format!("{text} {key}"))),
            5 => format!("event: {text}\n"),
            6 => format!("data: https://a.example/x?sig=k29dKq02kd93jd8sZ1mQ7xPv4Ln6&b={}\n\n", text.len()),
            _ => delta(&delta(&format!("{text} {key}"))),
        };
        let stream: String = events.iter().map(event).collect();
        let document = read(Source::new(format!("{{\"body\": {}}}", json::quote(&stream))), "a.json");
        let found = |search: &mut dyn TextSearch| -> Vec<(Span, String)> {
            let secrets = marked_tree(&document.tree, search);
            secrets.into_iter().map(|secret| (secret.span, secret.text)).collect()
        };
        let patterns = CustomPatterns::default();
        let search = SecretSearch::new(&patterns);
        prop_assert_eq!(found(&mut { search }), found(&mut Everywhere(search)));
    }
}
