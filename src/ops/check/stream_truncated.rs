//! `stream-truncated`: a recorded stream has no end.

use super::document::ProblemCollector;
use crate::format::call::{BodyContent, BodyForm, HttpBody, ModelCall};
use crate::format::{Document, RuleId};
use crate::ops::api::has_stream_end;
use crate::ops::body::event_stream;

rule! {
    /// The answer of a model is a stream, and its last event is not the one that ends it: the connection was closed, or the
    /// test stopped reading. A client that waits for the end fails, or takes the part for the whole.
    StreamTruncated {
        title: "The recorded stream has no end",
        fix: "Record the call again, and read the stream to its end.",
        before: "Breaks off" => "data: {\"type\":\"content_block_delta\",…}",
        after: "Complete" => "data: {\"type\":\"content_block_delta\",…}\n…\ndata: {\"type\":\"message_stop\"}",
    }
}

pub(super) fn judge(
    document: &Document,
    calls: &[ModelCall<'_>],
    findings: &mut ProblemCollector<'_>,
) {
    for (number, call) in (1..).zip(calls).filter(|(_, call)| call.is_of_model()) {
        let http = call.facts.http.as_ref().filter(|http| http.status < 400);
        let Some(body) = http.and_then(|http| http.response_body.as_ref()) else {
            continue;
        };
        if has_end(body) == Some(false) {
            let message = format!("The stream that answers call {number} has no end");
            findings.add_at(RuleId::StreamTruncated, document.node(body.node), message);
        }
    }
}

/// Returns whether a stream has its end; `None` if it is no stream of a known API.
fn has_end(body: &HttpBody) -> Option<bool> {
    match (&body.content, body.form) {
        (BodyContent::Text(text), BodyForm::Events) => has_stream_end(text.text()),
        (BodyContent::Bytes(bytes), BodyForm::EventStream) => {
            let kinds = event_stream(bytes).into_iter().map(|(kind, _)| kind);
            let kinds: Vec<String> = kinds.collect();
            let is_converse = kinds.iter().any(|kind| kind == "messageStart");
            is_converse.then(|| {
                let is_end = |kind: &String| kind == "messageStop" || kind.ends_with("Exception");
                kinds.iter().any(is_end)
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::format::RuleId;
    use crate::ops::check::testing::found;

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
        let whole = cassette(&format!("{start}{end}"));
        assert!(found(RuleId::StreamTruncated, "a.yaml", &whole).is_empty());
    }
}
