//! The tool calls of a session along the time axis, with the latencies that were recorded.

use std::sync::Arc;

use calls::tape::timing::MILLISECOND;
use document::session::{Session, ToolResponse};
use document::{Problem, Severity, text};
use play::playback::{ResultStatus, RunStrip, TimedCall};

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
        // Flakestorm has status 0 for a tool that gave no answer.
        (_, Some(Severity::Error)) | (Some(..=0 | 408 | 500..), _) => ResultStatus::Bad,
        (_, Some(Severity::Warning)) | (Some(400..), _) => ResultStatus::Doubtful,
        _ => ResultStatus::Good,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::DocumentBody;
    use document::text::Source;

    #[test]
    fn a_session_without_tool_calls_has_an_empty_strip() {
        let document =
            document::read(Source::new("id: a\ninput: b\ntool_responses: []\n"), "a.yaml");
        let DocumentBody::Session(session) = &document.body else {
            panic!("{:?}", document.body);
        };
        let strip = session_strip(session, "", &document.problems);
        assert!(strip.blocks.is_empty() && strip.lanes.is_empty());
    }
}
