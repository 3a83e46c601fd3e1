//! `stream-truncated`: a recorded stream has no end.

use super::body_not_decodable::fault_of_events;
use crate::check_document::ProblemCollector;
use calls::api::has_stream_end;
use document::RuleId;
use document::body::{EventStreamFault, decode_base64, event_stream};
use document::call::{BodyForm, HttpBody};

rule! {
    /// The answer of a model is a stream, and its last event is not the one that ends it: the connection was closed, or the
    /// test stopped reading; or it ends within a message of an event stream of Amazon. A client that waits for the end fails, or takes the part for the whole.
    StreamTruncated {
        title: "The recorded stream has no end",
        fix: "Record the call again, and read the stream to its end.",
        before: "Breaks off" => "data: {\"type\":\"content_block_delta\",…}",
        after: "Complete" => "data: {\"type\":\"content_block_delta\",…}\n…\ndata: {\"type\":\"message_stop\"}",
    }
}

pub(super) fn judge(findings: &mut ProblemCollector<'_>) {
    for (number, call) in (1..).zip(findings.calls).filter(|(_, call)| call.is_of_model()) {
        // An error is answered with one document, whatever the request wanted.
        let http = call.facts.http.as_ref().filter(|http| http.status < 400);
        let Some(body) = http.and_then(|http| http.response_body.as_ref()) else { continue };
        let description = match fault_of_events(body) {
            Some(EventStreamFault::BreaksOff(message)) => {
                format!("breaks off in message {message}")
            }
            // Reported as a body that cannot be decoded.
            Some(EventStreamFault::Damaged(_)) => continue,
            None if has_end(body) == Some(false) => "has no end".to_owned(),
            None => continue,
        };
        let message = format!("The stream that answers call {number} {description}");
        findings.add_at(RuleId::StreamTruncated, findings.document.node(body.node), message);
    }
}

/// Returns whether a stream has its end; `None` if it is no stream of a known API.
fn has_end(body: &HttpBody) -> Option<bool> {
    match body.form {
        BodyForm::Events => has_stream_end(body.text()?),
        BodyForm::EventStream => {
            let events = event_stream(body.bytes()?);
            let has_kind = |name: &str| events.iter().any(|(kind, _)| kind == name);
            // InvokeModel sends the parts of a model's stream in Base64, and the last part has the numbers of tokens.
            let is_last = |payload: &[u8]| {
                let text = String::from_utf8_lossy(payload);
                let start = text.find("\"bytes\":\"").map(|index| index + 9);
                let encoded_text = start.and_then(|index| text[index..].split('"').next());
                let bytes = encoded_text.and_then(decode_base64);
                let metrics = b"amazon-bedrock-invocationMetrics";
                bytes.is_some_and(|b| memchr::memmem::find(&b, metrics).is_some())
            };
            (has_kind("messageStart") || has_kind("chunk")).then(|| {
                // An exception is the last message of a stream that failed.
                let is_failed = events.iter().any(|(kind, _)| kind.ends_with("Exception"));
                let is_end = |(k, payload): &(String, &[u8])| k == "chunk" && is_last(payload);
                is_failed || has_kind("messageStop") || events.iter().any(is_end)
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use crate::testing::found;
    use document::RuleId;
    use document::body::testing::event_message;

    #[test]
    fn a_stream_that_breaks_off_is_reported_at_its_body() {
        let cassette = |events: &str| {
            format!(
                "interactions:\n- request:\n    body: '{{\"model\":\"m\",\"messages\":[]}}'\n    headers: {{}}\n    method: POST\n    uri: https://api.anthropic.com/v1/messages\n  response:\n    body:\n      string: \"{events}\"\n    headers:\n      content-type:\n      - text/event-stream\n    status:\n      code: 200\n      message: OK\nversion: 1\n"
            )
        };
        let start = r#"data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n"#;
        let end = r#"data: {\"type\":\"message_stop\"}\n\n"#;
        insta::assert_snapshot!(found(RuleId::StreamTruncated, "a.yaml", &cassette(start)).join("\n"), @"warning 9:15 /interactions/0/response/body/string The stream that answers call 1 has no end");
        let text = cassette(&format!("{start}{end}"));
        assert!(found(RuleId::StreamTruncated, "a.yaml", &text).is_empty());
    }

    /// Returns what is reported of an event stream that answers a call of Bedrock, in the file of vcrpy and in that of go-vcr.
    fn reported(bytes: &[u8]) -> String {
        let as_text = std::str::from_utf8(bytes).is_ok_and(|text| text.contains('\u{fffd}'));
        let body = if as_text {
            document::json::quote(std::str::from_utf8(bytes).unwrap())
        } else {
            format!("!!binary {}", BASE64_STANDARD.encode(bytes))
        };
        let url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.m/invoke-with-response-stream";
        let request_body = r#"'{"messages":[]}'"#;
        let kind = "content-type: [application/vnd.amazon.eventstream]";
        let vcrpy = format!(
            "interactions:\n- request: {{body: {request_body}, headers: {{}}, method: POST, uri: '{url}'}}\n  response:\n    body: {{string: {body}}}\n    headers: {{{kind}}}\n    status: {{code: 200, message: OK}}\nversion: 1\n"
        );
        let go = format!(
            "---\nversion: 2\ninteractions:\n- id: 0\n  request: {{proto: HTTP/1.1, body: {request_body}, headers: {{}}, url: '{url}', method: POST}}\n  response:\n    body: {body}\n    headers: {{{kind}}}\n    status: 200 OK\n    code: 200\n"
        );
        let rules = [RuleId::StreamTruncated, RuleId::BodyNotDecodable];
        let messages_of =
            |text: &str| rules.map(|rule| found(rule, "a.yaml", text).join("")).concat();
        let message = |line: String| line.split("call 1 ").nth(1).unwrap_or_default().to_owned();
        let [vcrpy, go] = [message(messages_of(&vcrpy)), message(messages_of(&go))];
        assert_eq!(vcrpy, go);
        vcrpy
    }

    #[test]
    fn event_streams_that_are_cut_or_damaged_are_reported() {
        let chunk = |event: &str| {
            let bytes = BASE64_STANDARD.encode(event);
            event_message("chunk", &format!(r#"{{"bytes":"{bytes}","p":"ab"}}"#))
        };
        let start = chunk(r#"{"type":"message_start","message":{"id":"m","usage":{}}}"#);
        let end = chunk(
            r#"{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":1}}"#,
        );
        let stream = [start.clone(), end].concat();
        assert_eq!(reported(&stream), "");
        let failed_stream =
            [start.clone(), event_message("modelStreamErrorException", "{}")].concat();
        assert_eq!(reported(&failed_stream), "");
        assert_eq!(reported(&start), "has no end");
        assert_eq!(reported(&stream[..stream.len() - 1]), "breaks off in message 2");
        assert_eq!(reported(&stream[..start.len() + 5]), "breaks off in message 2");
        assert_eq!(reported(&stream[..9]), "breaks off in message 1");
        let fault_text = "cannot be decoded: a length or a checksum in message";
        let report_of = |index: usize| {
            let mut bytes = stream.clone();
            bytes[index] ^= 1;
            reported(&bytes)
        };
        for (index, message) in
            [(2, 1), (9, 1), (30, 1), (start.len() + 6, 2), (stream.len() - 1, 2)]
        {
            assert_eq!(
                report_of(index),
                format!("{fault_text} {message} of its event stream does not fit"),
                "{index}"
            );
        }
        let text = String::from_utf8_lossy(&stream);
        assert_eq!(
            reported(text.as_bytes()),
            format!("{fault_text} 1 of its event stream does not fit")
        );
    }
}
