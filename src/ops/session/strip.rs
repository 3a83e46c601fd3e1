//! The tool calls of a session along the time axis, with the latencies that were recorded.

use std::sync::Arc;

use crate::format::session::{Session, ToolResponse};
use crate::format::{Problem, Severity, text};
use crate::ops::playback::{ResultStatus, RunStrip, TimedCall};
use crate::ops::tape::timing::MILLISECOND;

/// Lays out the tool calls of a session, which is at a JSON Pointer of a file with some problems: a lane for each tool, a block
/// for each call, one after the other.
pub fn session_strip(session: &Session, pointer: &str, problems: &[Problem]) -> RunStrip {
    let mut worst: Vec<Option<Severity>> = vec![None; session.tool_responses.len()];
    for problem in problems {
        let at = response_of(pointer, &problem.pointer).and_then(|at| worst.get_mut(at));
        if let Some(worst) = at {
            *worst = (*worst).max(Some(problem.severity));
        }
    }
    let calls = session.tool_responses.iter().zip(worst);
    RunStrip::from_calls(calls.map(|(response, worst)| TimedCall {
        lane: text(&response.tool).map(Arc::from),
        latency_nanos: latency_nanos(response),
        status: status_of(response, worst),
    }))
}

/// Returns the tool response that a JSON Pointer leads into, if any.
fn response_of(session: &str, pointer: &str) -> Option<usize> {
    pointer.strip_prefix(session)?.strip_prefix("/tool_responses/")?.split('/').next()?.parse().ok()
}

/// Returns the latency of a call; `None` if it is missing or negative.
fn latency_nanos(response: &ToolResponse) -> Option<f64> {
    let millis = response.latency_ms.as_ref()?.value;
    (millis >= 0).then_some(millis as f64 * MILLISECOND)
}

/// Returns how good a response is: bad if it has an error, got no answer, or the tool or a gateway failed or timed out; doubtful
/// if it has a warning, or the tool refused the call.
fn status_of(response: &ToolResponse, worst: Option<Severity>) -> ResultStatus {
    match (response.status.as_ref().map(|status| status.value), worst) {
        (_, Some(Severity::Error)) | (Some(..=0 | 408 | 500..), _) => ResultStatus::Bad,
        (_, Some(Severity::Warning)) | (Some(400..), _) => ResultStatus::Doubtful,
        _ => ResultStatus::Good,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{self, DocumentBody};
    use crate::ops::check::{CheckFacts, check_document};
    use crate::text::Source;

    #[test]
    fn tool_calls_follow_each_other_in_the_lanes_of_their_tools_and_show_what_failed() {
        let text = "id: a
input: b
tool_responses:
  - {tool: lookup, status: 200, latency_ms: 180, response: ok}
  - {tool: refund, status: 504, latency_ms: 30000, response: null}
  - {tool: refund, status: 429, latency_ms: 0, response: wait}
  - {tool: mail, status: 0, response: null}
  - {tool: lookup, latency_ms: 20, response: [wrong]}
  - {response: ok, latency_ms: -5}
";
        let document = format::read(Source::new(text), "a.yaml");
        let DocumentBody::Session(session) = &document.body else {
            panic!("{:?}", document.body);
        };
        let problems = check_document(&document, &CheckFacts::default());
        let strip = session_strip(session, "", &problems);
        let lanes: Vec<_> = strip.lanes.iter().map(|lane| lane.node.as_deref()).collect();
        assert_eq!(lanes, [Some("lookup"), Some("refund"), Some("mail"), None]);
        let blocks = strip.blocks.iter().map(|block| {
            let [from, to] =
                [block.time.from_nanos, block.time.to_nanos].map(|at| at / MILLISECOND);
            let measured = if block.is_measured { "" } else { " nominal" };
            format!("{} {from}..{to} ms{measured} {:?}\n", block.lane, block.status)
        });
        insta::assert_snapshot!(blocks.collect::<String>(), @"
        0 0..180 ms Good
        1 180..30180 ms Bad
        1 30180..30181 ms Doubtful
        2 30181..30281 ms nominal Bad
        0 30281..30301 ms Bad
        3 30301..30401 ms nominal Bad
        ");
    }

    #[test]
    fn a_session_without_tool_calls_has_an_empty_strip() {
        let document = format::read(Source::new("id: a\ninput: b\ntool_responses: []\n"), "a.yaml");
        let DocumentBody::Session(session) = &document.body else {
            panic!("{:?}", document.body);
        };
        let strip = session_strip(session, "", &document.problems);
        assert!(strip.blocks.is_empty() && strip.lanes.is_empty());
    }
}
