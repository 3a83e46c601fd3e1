//! Secrets of cassettes that are not readable in the file, or known only by their place in a message of HTTP.

use std::collections::HashMap;

use super::document::ProblemCollector;
use super::secret::{report_at, report_marked};
use crate::format::call::{BodyContent, BodyForm, HttpBody, ModelCall};
use crate::format::cassette::{Interaction, is_binary};
use crate::format::{Document, Node, NodeId, NodeKind, json};
use crate::ops::body::event_stream;
use crate::ops::calls::header_text;
use crate::ops::secret::{
    CustomPatterns, LEAST_BASE64, Mask, SecretClass, SecretKind, base64_texts, find, find_accounts,
    find_in_escapes, find_in_header, find_in_query, hint, scan, scan_accounts,
};
use crate::text::Source;

/// Checks a cassette with these calls and returns the secrets that were found in it.
pub(super) fn judge(
    document: &Document,
    calls: &[ModelCall<'_>],
    own: &CustomPatterns,
    findings: &mut ProblemCollector<'_>,
) -> Mask {
    let mut search = SecretSearch {
        own,
        findings,
        mask: Mask::default(),
        known: HashMap::new(),
        accounts: Vec::new(),
    };
    search.readable(document);
    for call in calls {
        if let Some(interaction) = Interaction::parse(document.node(call.node)) {
            search.headers(&interaction);
            search.address(&interaction);
        }
        let http = call.facts.http.as_ref();
        let bodies = http.map(|http| [&http.request_body, &http.response_body]);
        for body in bodies.into_iter().flatten().flatten() {
            search.body(body, document.node(body.node));
        }
    }
    let texts = document.tree.nodes();
    let texts = texts.filter(|it| it.kind() == NodeKind::String && !it.is_alias());
    let texts = texts.filter_map(|node| Some((node, node.as_str()?)));
    let texts = texts.filter(|(node, text)| text.len() >= LEAST_BASE64 && !is_binary(*node));
    for (node, text) in texts {
        search.base64(text, node, || node.bounded_pointer(), 0);
    }
    search.mask
}

/// How many texts in Base64 may be within each other.
const MOST_LAYERS: usize = 3;

struct SecretSearch<'f, 't> {
    own: &'f CustomPatterns,
    findings: &'f mut ProblemCollector<'t>,
    mask: Mask,
    /// What was found in each value.
    known: HashMap<NodeId, Vec<String>>,
    /// The ids of accounts that were found, which are in nearly every call.
    accounts: Vec<String>,
}

impl SecretSearch<'_, '_> {
    /// Finds what is readable in the file.
    fn readable(&mut self, document: &Document) {
        let mut marked = scan(&document.tree, self.own);
        marked.extend(scan_accounts(&document.tree, self.own));
        report_marked(&marked, self.findings, &mut self.mask);
        for one in marked {
            if one.kind.class == SecretClass::Account {
                self.accounts.push(one.text.clone());
            }
            self.known.entry(one.node.id()).or_default().push(one.text);
        }
    }

    /// Adds a secret of a value, unless it is known.
    fn add(
        &mut self,
        kind: SecretKind,
        secret: &str,
        node: Node<'_>,
        pointer: String,
        found_in: &str,
    ) {
        let known = self.known.entry(node.id()).or_default();
        let is_known = |known: &String| known.contains(secret) || secret.contains(known.as_str());
        if known.iter().any(is_known) {
            return;
        }
        known.push(secret.to_owned());
        if kind.class == SecretClass::Account {
            if self.accounts.iter().any(|known| known == secret) {
                return;
            }
            self.accounts.push(secret.to_owned());
        }
        let message = format!("{found_in} {}: `{}`", kind.name, hint(kind, secret));
        report_at(kind, node.span(), pointer, message, self.findings);
        self.mask.add(kind, secret);
    }

    fn headers(&mut self, interaction: &Interaction<'_>) {
        let headers = interaction.request_headers();
        let headers = headers.into_iter().chain(interaction.response_headers());
        for (name, node) in headers {
            let Some(text) = header_text(node) else {
                continue;
            };
            for found in find_in_header(name, &text, self.own) {
                let secret = &text[found.range];
                self.add(
                    found.kind,
                    secret,
                    node,
                    node.bounded_pointer(),
                    "This looks like",
                );
            }
            self.escapes(&text, &[';'], node);
            if is_binary(node) {
                self.base64(&text, node, || node.bounded_pointer(), 0);
            }
        }
    }

    fn address(&mut self, interaction: &Interaction<'_>) {
        let request = interaction.request;
        let address = request.get("uri").or_else(|| request.get("url"));
        let Some((node, text)) = address.and_then(|it| Some((it, it.as_str()?))) else {
            return;
        };
        if let Some((_, query)) = text.split_once('?') {
            for found in find_in_query(query, self.own) {
                let secret = &query[found.range];
                self.add(
                    found.kind,
                    secret,
                    node,
                    node.bounded_pointer(),
                    "This looks like",
                );
            }
        }
        self.escapes(text, &['?', '&'], node);
    }

    /// Finds secrets in the fields of a text that are escaped: unescaped, they are found in the file.
    fn escapes(&mut self, text: &str, separators: &[char], node: Node<'_>) {
        for field in text.split(separators) {
            for (kind, secret) in find_in_escapes(field, self.own) {
                let found_in = "An escaped field contains what looks like";
                self.add(kind, &secret, node, node.bounded_pointer(), found_in);
            }
        }
    }

    fn body(&mut self, body: &HttpBody, node: Node<'_>) {
        let pointer = || node.bounded_pointer();
        match &body.content {
            BodyContent::Text(text) if body.form == BodyForm::Form => {
                self.escapes(text.text(), &['&'], node);
            }
            // Escapes of JSON hide it in the file.
            BodyContent::Text(text) if !body.layers.is_empty() || has_escapes(text.text()) => {
                self.decoded(text.text(), node, pointer(), "The decoded body", 0);
            }
            BodyContent::Bytes(bytes) if body.form == BodyForm::Multipart => {
                let text = String::from_utf8_lossy(bytes);
                self.decoded(&text, node, pointer(), "The decoded body", 0);
            }
            BodyContent::Bytes(bytes) if body.form == BodyForm::EventStream => {
                for (_, payload) in event_stream(bytes) {
                    let text = String::from_utf8_lossy(payload);
                    self.decoded(&text, node, pointer(), "The decoded body", 0);
                }
            }
            BodyContent::Text(_) | BodyContent::Bytes(_) | BodyContent::Tree(_) => {}
        }
    }

    /// Finds secrets in a text that was decoded; the pointer is followed by `#` and the place in it, where that is JSON.
    fn decoded(&mut self, text: &str, node: Node<'_>, pointer: String, what: &str, depth: usize) {
        let found_in = format!("{what} contains what looks like");
        if is_json(text) {
            let (tree, _) = json::parse(&Source::new(text));
            for one in scan(&tree, self.own)
                .into_iter()
                .chain(scan_accounts(&tree, self.own))
            {
                let place = format!("{pointer}#{}", one.node.bounded_pointer());
                self.add(one.kind, &one.text, node, place, &found_in);
            }
        } else {
            let found = find(text, self.own).into_iter();
            for found in found.chain(find_accounts(text, self.own)) {
                let secret = &text[found.range];
                self.add(found.kind, secret, node, pointer.clone(), &found_in);
            }
        }
        self.base64(text, node, || pointer.clone(), depth);
    }

    /// Finds secrets in the parts of a text that are in Base64.
    fn base64(&mut self, text: &str, node: Node<'_>, pointer: impl Fn() -> String, depth: usize) {
        if depth >= MOST_LAYERS {
            return;
        }
        for (range, inner) in base64_texts(text) {
            let run = &text[range.clone()];
            let known = self.known.get(&node.id());
            if known.is_some_and(|known| known.iter().any(|known| known.contains(run))) {
                continue;
            }
            let place = if is_json(text) {
                format!("{}#{}", pointer(), place_in_json(text, range.start))
            } else {
                pointer()
            };
            self.decoded(&inner, node, place, "A text in Base64", depth + 1);
        }
    }
}

/// Returns whether a text of JSON could have an ordinary character as an escape.
fn has_escapes(text: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), b"\\u00").is_some()
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Returns the pointer of the value of a JSON text that has this byte.
fn place_in_json(text: &str, at: usize) -> String {
    let (tree, _) = json::parse(&Source::new(text));
    let mut near = tree.nodes_from(at).take(2);
    let node = near.find(|node| node.span().range().contains(&at));
    node.map(Node::bounded_pointer).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use crate::format::RuleId;
    use crate::ops::body::testing::event_message;
    use crate::ops::check::testing::found;

    /// Returns a key in the issuer's format, assembled at run time so that this file contains no complete key.
    fn token() -> String {
        format!("ghp_{}", "Zk3vQ8rT1mXw7LpBy5Nc".repeat(2))
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
        warning 4:55 /interactions/0/request/headers/cookie/0 This looks like the session cookie `sessionid`: `…`
        warning 6:10 /interactions/0/request/uri This looks like a key or token: `…`
        note 9:28 /interactions/0/response/headers/set-cookie/0 This looks like the cookie `__cf_bm`: `…`
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
        note 3:47 /interactions/0/request/body This looks like the id of an AWS account: `…`
        note 8:29 /interactions/0/response/body/string This looks like the number of a Google project: `…`
        ");
    }

    #[test]
    fn an_account_in_an_escaped_address_is_found() {
        insta::assert_snapshot!(shown(
            "https://bedrock-runtime.us-east-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A380917264509%3Ainference-profile%2Fx/converse",
            ("", "'{}'"),
            ("", "{}"),
        ), @"note 6:10 /interactions/0/request/uri An escaped field contains what looks like the id of an AWS account: `…`");
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
        warning 3:11 /interactions/0/request/body#/b A text in Base64 contains what looks like a GitHub token: `ghp_…`
        warning 4:26 /interactions/0/request/headers/x-config/0#/a/0 A text in Base64 contains what looks like a GitHub token: `ghp_…`
        warning 4:124 /interactions/0/request/headers/x-bytes/0 This looks like a GitHub token: `ghp_…`
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
        let shown = |stream: &[u8]| {
            let body = format!("!!binary {}", BASE64_STANDARD.encode(stream));
            let kind = "content-type: [application/vnd.amazon.eventstream]";
            shown("https://a.example/", ("", "''"), (kind, &body))
        };
        insta::assert_snapshot!(stream.map(|one| shown(&one)).join("\n"), @"
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
