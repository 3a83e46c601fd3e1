//! A live queue: programs write requests and wait for their answers.
//!
//! Defined by DyGram's recording client: a request lies in `requests/ID.json`, its answer in `responses/ID.json`, which has to
//! be there as a whole at once. A client waits half a minute for it ([`PATIENCE`]).

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::json::{Json, object};
use super::serve::Choice;
use crate::format::recording::Recording;
use crate::format::{Document, Node, text};
use crate::ops::playback::Asked;

/// The folder of a queue in which requests wait.
pub const REQUESTS: &str = "requests";

/// The folder of a queue for the answers.
pub const RESPONSES: &str = "responses";

/// How long a client waits for its answer, unless it was told otherwise.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Something happened at a queue.
#[derive(Clone, Debug)]
pub enum Event {
    /// A request waits; the name of its file without `.json`.
    Waits(Arc<str>, Arc<Asked>),
    /// It has its answer.
    Answered(Arc<str>, Arc<Choice>),
    /// Nothing answers it.
    Unanswered(Arc<str>, Arc<Choice>),
    /// It cannot be read, or its answer not be written; why, in a sentence.
    Failed(Arc<str>, String),
    /// The folder of the queue is not there.
    Gone,
    /// It is there again.
    Back,
}

/// An answer in the form that clients wait for, laid out as `JSON.stringify(answer, null, 2)` does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response<'a> {
    /// The request's.
    pub request_id: &'a str,
    /// Why it is this one, for people.
    pub reasoning: &'a str,
    /// The blocks of the answer, as a JSON list.
    pub content: String,
    /// Such as `tool_use`.
    pub stop_reason: &'a str,
}

impl Response<'_> {
    /// The text of the file.
    pub fn json(&self, at: Timestamp) -> String {
        let inner = object! {
            "content": Json::raw(self.content.as_str()), "stop_reason": self.stop_reason,
        };
        let whole = object! {
            "type": "llm_invocation_response", "requestId": self.request_id, "timestamp": format!("{at:.3}"),
            "reasoning": self.reasoning, "response": inner,
        };
        whole.laid_out()
    }
}

/// The answer that a recording gives to a request.
///
/// # Errors
///
/// That it has none, as a sentence without a full stop.
pub fn of_recording(
    document: &Document,
    recording: &Recording,
    request_id: &str,
    choice: &Choice,
    at: Timestamp,
) -> Result<String, String> {
    let answer = recording.answer.as_ref();
    let content = answer.and_then(|answer| document.node(answer.node).get("content"));
    let (Some(answer), Some(content)) = (answer, content) else {
        return Err("The recording has no answer".to_owned());
    };
    let how = choice
        .chosen
        .as_ref()
        .map(|chosen| format!("Retake: {} of {}", chosen.how.words(), chosen.path));
    let reasoning = text(&answer.reasoning).filter(|text| !text.is_empty());
    let reasoning = reasoning.map(str::to_owned).or(how).unwrap_or_default();
    let is_call = |block: Node<'_>| block.get("type").and_then(Node::as_str) == Some("tool_use");
    let stop = match content.items().any(is_call) {
        true => "tool_use",
        false => "end_turn",
    };
    let response = Response {
        request_id,
        reasoning: &reasoning,
        content: Json::from(content).into_string(),
        stop_reason: text(&answer.stop_reason).unwrap_or(stop),
    };
    Ok(response.json(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Body, read};
    use crate::text::Source;

    #[test]
    fn a_recording_answers_in_the_form_that_clients_wait_for() {
        let recording = r#"{"request": {"requestId": "old", "messages": [], "tools": []},
            "response": {"content": [{"type": "tool_use", "id": "t", "name": "go", "input": {"b": 1, "a": []}}]}, "recordedAt": "t"}"#;
        let document = read(Source::new(recording), "turn.json");
        let Body::Recording(recording) = &document.body else {
            panic!("{:?}", document.body);
        };
        let at = "2026-03-09T11:02:17.5Z".parse().unwrap();
        let json = of_recording(&document, recording, "req-1", &Choice::default(), at).unwrap();
        insta::assert_snapshot!(json, @r#"
        {
          "type": "llm_invocation_response",
          "requestId": "req-1",
          "timestamp": "2026-03-09T11:02:17.500Z",
          "reasoning": "",
          "response": {
            "content": [
              {
                "type": "tool_use",
                "id": "t",
                "name": "go",
                "input": {
                  "b": 1,
                  "a": []
                }
              }
            ],
            "stop_reason": "tool_use"
          }
        }
        "#);
    }
}
