//! `length-mismatch`: the header `content-length` does not fit the recorded body.

use crate::check_document::ProblemCollector;
use document::body::{BodyHeaders, is_readable};
use document::call::{BodyContent, ModelCall};
use document::cassette::Interaction;
use document::text::counted;
use document::{Document, Node, NodeId, NodeKind, RuleId};

rule! {
    /// The header `content-length` of a response has another number than its body has bytes. Clients that rely on the
    /// header wait for the rest, or report an incomplete answer.
    ///
    /// The body was edited without the header, or a filter replaced a part of it; or a part of it is lost. A body that may be damaged is
    /// not fixed: JSON that is not complete, text with characters that stand for lost bytes, and bytes of which some are missing.
    ///
    /// A body that is stored as a tree, such as `parsed_body`, or as JSON that was written again, as in TOML, is not judged: the number of
    /// its bytes follows from how the serializer of the project writes it when it loads the file, and the header is that of the text that
    /// was received.
    LengthMismatch {
        title: "The length of a body is not the one in its header",
        fix: "Write the number of bytes of the body into the header; if the body is damaged, record the call again.",
        before: "Two bytes are missing" => "content-length:\n- '4'\n…\nstring: ok",
        after: "Fits" => "content-length:\n- '2'\n…\nstring: ok",
    }
}

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    for fault in wrong_lengths(findings.document, findings.calls) {
        let (end, node) = match fault.damaged {
            Some(body) => ("; it may be damaged", findings.document.node(body)),
            None => ("", fault.header),
        };
        let message = format!(
            "The header says {} of the body of the response of call {}, and it has {}{end}",
            counted(fault.written, "byte", "bytes"),
            fault.number,
            counted(fault.bytes, "byte", "bytes"),
        );
        findings.add_at(RuleId::LengthMismatch, node, message);
    }
}

/// A `content-length` that does not fit its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrongLength<'a> {
    /// The number of the call, from 1.
    number: usize,
    pub(crate) header: Node<'a>,
    written: usize,
    /// Number of bytes of the body.
    pub(crate) bytes: usize,
    /// The body, if a part of it may be lost, which the length shows.
    pub(crate) damaged: Option<NodeId>,
}

/// Finds the responses of a cassette with a wrong length.
pub(crate) fn wrong_lengths<'a>(
    document: &'a Document,
    calls: &[ModelCall<'_>],
) -> Vec<WrongLength<'a>> {
    let faults = (1..).zip(calls).filter_map(|(number, call)| {
        let http = call.facts.http.as_ref()?;
        let body = http.response_body.as_ref()?;
        let bytes = body.sent_bytes.filter(|_| body.fault.is_none())?;
        // By RFC 9110, such responses have no body, even if a header gives its length.
        let has_none = http.method == "HEAD" || matches!(http.status, 204 | 304);
        let headers = BodyHeaders::new(&http.response_headers);
        // Without the encoding that the headers name, a body has another length.
        let is_whole = headers.encodings.iter().all(|layer| body.layers.contains(layer));
        if has_none || !is_whole && bytes > 0 {
            return None;
        }
        let header = header(document.node(call.node))?;
        let written_length = header.scalar_text()?.trim().parse::<usize>().ok()?;
        if written_length == bytes {
            return None;
        }
        let is_damaged = match &body.content {
            BodyContent::Text(text) => !is_readable(text.text().as_bytes(), &headers),
            // What ends before its layer does has a fault.
            BodyContent::Bytes(_) => bytes < written_length && headers.encodings.is_empty(),
            BodyContent::Tree(_) => false,
        };
        Some(WrongLength {
            number,
            header,
            written: written_length,
            bytes,
            damaged: is_damaged.then_some(body.node),
        })
    });
    faults.collect()
}

/// Returns the value of the only `content-length`.
fn header(call: Node<'_>) -> Option<Node<'_>> {
    let headers = Interaction::parse(call)?.response_headers();
    let mut lengths = headers.into_iter().filter(|(n, _)| n.eq_ignore_ascii_case("content-length"));
    let (_, header) = lengths.next()?;
    let is_only = lengths.next().is_none() && header.kind() != NodeKind::Object;
    is_only.then_some(header)
}

#[cfg(test)]
mod tests {
    use crate::testing::found;
    use document::RuleId;

    #[test]
    fn the_number_is_that_of_the_bytes_on_the_network() {
        let cassette = |length: &str, body: &str, encoding: &str| {
            format!(
                "interactions:\n- request:\n    body: null\n    headers: {{}}\n    method: GET\n    uri: https://a.example/\n  response:\n    body:\n      string: {body}\n    headers:\n      Content-Length:\n      - '{length}'\n{encoding}    status:\n      code: 200\n      message: OK\nversion: 1\n"
            )
        };
        let report_of = |length: &str, body: &str, encoding: &str| {
            found(RuleId::LengthMismatch, "a.yaml", &cassette(length, body, encoding)).join("\n")
        };
        insta::assert_snapshot!(report_of("4", "\"\\xE9\"", ""), @"warning 12:9 /interactions/0/response/headers/Content-Length/0 The header says 4 bytes of the body of the response of call 1, and it has 2 bytes");
        assert_eq!(report_of("2", "\"\\xE9\"", ""), "");
        let gzip = "      content-encoding:\n      - gzip\n";
        let packed = "!!binary |\n        H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA";
        assert_eq!(report_of("27", packed, gzip), "");
        insta::assert_snapshot!(report_of("7", packed, gzip), @"warning 13:9 /interactions/0/response/headers/Content-Length/0 The header says 7 bytes of the body of the response of call 1, and it has 27 bytes");
        assert_eq!(report_of("27", "'{\"a\":1}'", gzip), "");
        // Nothing is as long whatever encoding it is in.
        for encoding in ["", gzip] {
            assert_eq!(report_of("20", "''", encoding).matches("it has 0 bytes").count(), 1);
            assert_eq!(report_of("0", "''", encoding), "");
        }
        let json = "      content-type:\n      - application/json\n";
        insta::assert_snapshot!(report_of("9", "'{\"a\": '", json), @"warning 9:15 /interactions/0/response/body/string The header says 9 bytes of the body of the response of call 1, and it has 6 bytes; it may be damaged");
        for (length, body, headers, is_fixed) in [
            ("9", "'{\"a\": 1}  '", json, true),
            ("9", "''", json, false),
            ("9", "''", "", true),
            ("9", "!!binary /wA=", "", false),
            ("1", "!!binary /wA=", "", true),
            ("9", "caf\u{fffd}", "", false),
        ] {
            let report = report_of(length, body, headers);
            assert_eq!(report.contains("/headers/"), is_fixed, "{report}");
            assert_eq!(report.contains("may be damaged"), !is_fixed, "{report}");
        }
        let parsed_text =
            cassette("7", "ok", "").replace("body:\n      string: ok", "parsed_body: {a: 1}");
        assert!(parsed_text.contains("parsed_body"));
        let problems = super::super::testing::found(RuleId::LengthMismatch, "a.yaml", &parsed_text);
        assert!(problems.is_empty());
    }
}
