//! `body-not-decodable`: the layers around a recorded body cannot be removed.

use crate::check_document::ProblemCollector;
use document::RuleId;
use document::body::{EventStreamFault, event_stream_fault};
use document::call::{BodyForm, HttpBody};

rule! {
    /// A body is stored in an encoding, such as Base64 or gzip, and its bytes are not valid in it, or break off. The
    /// client that gets it fails, often far from the cause.
    ///
    /// A body that is not in the encoding that its headers name is reported here if it is not readable without it, and by
    /// `encoding-mismatch` if it is. Mostly its compressed bytes were stored as text. If each byte is still there, as in Latin-1, in
    /// Python's `b'\x1f…'` or in Base64, they can be restored by decoding that text; if U+FFFD is in their place, they are lost.
    ///
    /// An event stream of Amazon, as Bedrock sends it, is reported if a length or a checksum in it does not fit: bytes were changed, mostly
    /// because they were stored as text.
    ///
    /// A body that expands to more than 32 MiB is reported as well, and not read.
    BodyNotDecodable {
        title: "A recorded body cannot be decoded",
        fix: "Record the call again; or if each byte is still in the text, as in Latin-1, `b'\\x1f…'` or Base64, decode it from there.",
        before: "Breaks off" => "string: !!binary |\n  H4sIAAAAAAAC",
        after: "Complete" => "string: !!binary |\n  H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA",
    }
}

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    for (n, call) in (1..).zip(findings.calls) {
        let Some(http) = &call.facts.http else { continue };
        for (side, body) in [("request", &http.request_body), ("response", &http.response_body)] {
            let Some(body) = body else { continue };
            let fault = match (body.fault, fault_of_events(body)) {
                (Some(fault), _) => fault.to_string(),
                (None, Some(EventStreamFault::Damaged(message))) if http.status < 400 => format!(
                    "a length or a checksum in message {message} of its event stream does not fit"
                ),
                (None, _) => continue,
            };
            let message = format!("The body of the {side} of call {n} cannot be decoded: {fault}");
            findings.add_at(RuleId::BodyNotDecodable, findings.document.node(body.node), message);
        }
    }
}

/// Returns what is wrong in a body that is an event stream of Amazon.
pub(super) fn fault_of_events(body: &HttpBody) -> Option<EventStreamFault> {
    event_stream_fault(body.bytes()?).filter(|_| body.form == BodyForm::EventStream)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use crate::testing::found;
    use document::RuleId;
    use document::body::testing::event_message;

    #[test]
    fn damaged_bytes_are_reported_at_their_body() {
        let cassette = |bytes: &str| {
            format!(
                "interactions:\n- request:\n    body: null\n    headers: {{}}\n    method: GET\n    uri: https://a.example/\n  response:\n    body:\n      string: !!binary |\n        {bytes}\n    headers:\n      content-encoding:\n      - gzip\n    status:\n      code: 200\n      message: OK\nversion: 1\n"
            )
        };
        let report_of =
            |bytes: &str| found(RuleId::BodyNotDecodable, "a.yaml", &cassette(bytes)).join("\n");
        insta::assert_snapshot!(report_of("H4sIAAAAAAAC"), @"warning 9:24 /interactions/0/response/body/string The body of the response of call 1 cannot be decoded: it is not valid gzip");
        insta::assert_snapshot!(report_of("H4sI*AAA"), @"warning 9:24 /interactions/0/response/body/string The body of the response of call 1 cannot be decoded: it is not valid base64");
        assert_eq!(report_of("H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA"), "");
    }

    #[test]
    fn a_body_in_base64_is_read_where_a_member_beside_it_says_so() {
        let mut stream = event_message("messageStart", r#"{"role":"assistant"}"#);
        stream.extend(event_message("messageStop", r#"{"stopReason":"end_turn"}"#));
        let cassette = |bytes: &[u8]| {
            let body = BASE64_STANDARD.encode(bytes);
            format!(
                r#"{{"version": 1, "interactions": [{{"transport": "http", "request": {{"method": "POST", "url": "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse-stream", "headers": {{}}, "body": "{{\"messages\":[]}}"}}, "response": {{"status": 200, "headers": {{"content-type": "application/vnd.amazon.eventstream"}}, "body": "{body}", "bodyEncoding": "base64"}}}}]}}"#
            )
        };
        let count_of = |text: &str| found(RuleId::BodyNotDecodable, "a.json", text).len();
        assert_eq!(count_of(&cassette(&stream)), 0);
        stream[20] ^= 1;
        assert_eq!(count_of(&cassette(&stream)), 1);
    }

    #[test]
    fn what_is_readable_without_its_layer_is_another_problem() {
        let body = |body: &str, kind: &str| {
            let text = format!(
                r#"{{"version": 1, "interactions": [{{"request": {{"method": "GET", "uri": "http://a.example/", "body": null, "headers": {{}}}}, "response": {{"status": {{"code": 200, "message": "OK"}}, "headers": {{"content-encoding": ["gzip"], "content-type": ["{kind}"]}}, "body": {{"string": {body}}}}}}}]}}"#
            );
            let rules = [RuleId::BodyNotDecodable, RuleId::EncodingMismatch];
            rules.map(|rule| found(rule, "a.json", &text).len())
        };
        let cases = [
            (r#""{\"a\": 1}""#, "application/json", [0, 1]),
            (r#""""#, "application/json", [0, 0]),
            (r#""{\"a\": ""#, "application/json", [1, 0]),
            (r#""\u001f\ufffd\b\u0000""#, "application/json", [1, 0]),
            (r#""\u001f\u008b\b\u0000""#, "text/plain", [1, 0]),
            (r#""b'\\x1f\\x8b\\x08'""#, "text/plain", [1, 0]),
            (r#""H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA""#, "text/plain", [1, 0]),
            (r#""H4sIAAAAAAACA6tWSlSyMqwFAK+sG1YHAAAA""#, "application/json", [1, 0]),
        ];
        for (text, kind, expected) in cases {
            assert_eq!(body(text, kind), expected, "{text} {kind}");
        }
    }
}
