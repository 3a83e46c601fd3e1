//! `encoding-mismatch`: the header `content-encoding` does not fit the recorded body.

use crate::check_document::ProblemCollector;
use document::body::BodyHeaders;
use document::call::{BodyLayer, ModelCall};
use document::cassette::{CassetteClient, Interaction};
use document::{Document, Node, RuleId};

rule! {
    /// The headers of a response say that its body is compressed, and it is not, or the other way round. The client
    /// unpacks what is not packed, and fails, or takes compressed bytes for the text.
    ///
    /// The body was edited as text, or stored without its header. A body that is neither compressed nor readable is reported by
    /// `body-not-decodable`. In cassettes of vcr for R, headers are those that were received, and no bodies are compressed by them.
    EncodingMismatch {
        title: "The encoding of a body is not the one in its header",
        fix: "Remove the header `content-encoding` if the body is readable; add it if the body is compressed; or record the call again.",
        before: "Not compressed" => "content-encoding:\n- gzip\n…\nstring: '{\"ok\": true}'",
        after: "No header" => "string: '{\"ok\": true}'",
    }
}

pub(super) fn judge(client: CassetteClient, findings: &mut ProblemCollector<'_>) {
    for fault in wrong_encodings(findings.document, client, findings.calls) {
        let node = fault.header.unwrap_or(fault.body);
        findings.add_at(RuleId::EncodingMismatch, node, fault.message);
    }
}

/// A response whose `content-encoding` does not fit its body.
#[derive(Clone, Debug)]
pub(crate) struct WrongEncoding<'a> {
    message: String,
    body: Node<'a>,
    /// The value of the header, if the body is readable without any of what it names.
    pub(crate) header: Option<Node<'a>>,
}

/// Finds the responses of a cassette of this program with a wrong encoding.
pub(crate) fn wrong_encodings<'a>(
    document: &'a Document,
    client: CassetteClient,
    calls: &[ModelCall<'_>],
) -> Vec<WrongEncoding<'a>> {
    // These programs give the body to the client as it is stored, whatever the header says.
    if matches!(client, CassetteClient::Cassetter | CassetteClient::GoVcr | CassetteClient::RVcr) {
        return Vec::new();
    }
    (1..).zip(calls).filter_map(|(number, call)| {
        let http = call.facts.http.as_ref()?;
        let body = http.response_body.as_ref().filter(|body| {
            // An empty body is in no encoding, whatever its header says.
            body.fault.is_none() && body.sent_bytes.is_some_and(|bytes| bytes > 0)
        })?;
        let declared_layers = BodyHeaders::new(&http.response_headers).encodings;
        let has_layer = |layer: &&BodyLayer| body.layers.contains(*layer);
        let missing_layer = declared_layers.iter().find(|layer| !has_layer(layer));
let known_layers = [BodyLayer::Gzip, BodyLayer::Deflate, BodyLayer::Brotli, BodyLayer::Zstd];
let undeclared_layer = known_layers.iter().find(|layer| declared_layers.is_empty() && has_layer(layer));
        let message = match (missing_layer, undeclared_layer) {
            (Some(layer), _) => format!(
                "The headers say that the body of the response of call {number} is in {}, and it is not",
                layer.as_str()
            ),
            (None, Some(layer)) => format!(
                "The body of the response of call {number} is in {}, and no header says so",
                layer.as_str()
            ),
            (None, None) => return None,
        };
let interaction = Interaction::parse(document.node(call.node));
let mut headers = interaction.into_iter().flat_map(|i| i.response_headers());
let header = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
        let is_readable = body.text().is_some() && !declared_layers.iter().any(|layer| has_layer(&layer));
        Some(WrongEncoding {
            message,
            body: document.node(body.node),
            header: header.map(|(_, node)| node).filter(|_| is_readable),
        })
    }).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn a_header_without_its_encoding_is_reported_and_the_other_way_round() {
        let cassette = |body: &str, headers: &str| {
            format!(
                "interactions:\n- request:\n    body: null\n    headers: {{}}\n    method: GET\n    uri: https://a.example/\n  response:\n    body:\n      string: {body}\n    headers: {headers}\n    status:\n      code: 200\n      message: OK\nversion: 1\n"
            )
        };
        let report_of = |body: &str, headers: &str| {
            found(RuleId::EncodingMismatch, "a.yaml", &cassette(body, headers)).join("\n")
        };
        let packed = "!!binary |\n        H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA";
        insta::assert_snapshot!(report_of("'{}'", "{Content-Encoding: [gzip]}"), @"warning 10:34 /interactions/0/response/headers/Content-Encoding/0 The headers say that the body of the response of call 1 is in gzip, and it is not");
        insta::assert_snapshot!(report_of(packed, "{}"), @"warning 9:24 /interactions/0/response/body/string The body of the response of call 1 is in gzip, and no header says so");
        assert_eq!(report_of(packed, "{content-encoding: [gzip]}"), "");
        assert_eq!(report_of("'{}'", "{}"), "");
        assert_eq!(report_of("''", "{content-encoding: [gzip]}"), "");
        // vcr for R stores what curl has decoded, with the headers that were received.
        let of_r = |body: &str| {
            let text = format!(
                "http_interactions:\n- request: {{method: GET, uri: 'https://a.example/'}}\n  response:\n    status: 200\n    headers: {{content-encoding: gzip}}\n    body: {{{body}}}\nrecorded_with: VCR-vcr/2.1.1\n"
            );
            super::super::testing::found(RuleId::EncodingMismatch, "a.yml", &text).len()
        };
        assert_eq!(of_r("string: '{}'"), 0);
        assert_eq!(of_r("raw_gzip: H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA"), 0);
        assert_eq!(of_r("base64_string: e30="), 0);
        // Version 1 names itself in each call.
        let of_first = |name: &str| {
            let text = format!(
                "http_interactions:\n- request: {{method: get, uri: 'https://a.example/', body: {{encoding: '', string: ''}}, headers: {{}}}}\n  response:\n    status: {{status_code: 200, reason: OK}}\n    headers: {{content-encoding: gzip}}\n    body: {{encoding: UTF-8, file: no, string: '{{}}'}}\n  recorded_at: 2024-01-01 00:00:00 GMT\n{name}"
            );
            super::super::testing::found(RuleId::EncodingMismatch, "a.yml", &text).len()
        };
        assert_eq!(of_first("  recorded_with: vcr/1.2.0, webmockr/0.9.0\n"), 0);
        assert_eq!(of_first("recorded_with: VCR 6.1.0\n"), 1);
    }
}
