//! The answer file for a client that waits at a queue.

use jiff::Timestamp;

use calls::api::AnswerStop;
use calls::json::{Json, list, object};
use document::recording::Recording;
use document::{Document, Node, text};

/// An answer without its request id and time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueReply {
    /// Explanation of the choice; may be empty.
    pub reasoning: String,
    /// The content blocks as a JSON list.
    pub content: String,
    /// Such as `tool_use`.
    pub stop_reason: String,
}

impl QueueReply {
    /// Builds an answer that calls a tool. `input` is JSON; the text before the call may be empty.
    pub fn from_call(text: &str, tool: &str, input: &str) -> Self {
        let call = object! {
            "type": "tool_use", "id": "tool-1", "name": tool, "input": Json::raw(input),
        };
        let content = if text.is_empty() {
            list![call]
        } else {
            list![object! { "type": "text", "text": text }, call]
        };
        Self::new(content, "tool_use")
    }

    /// Builds an answer of text without a tool call.
    pub fn from_text(text: &str) -> Self {
        Self::new(list![object! { "type": "text", "text": text }], "end_turn")
    }

    fn new(content: Json, stop_reason: &str) -> Self {
        Self {
            reasoning: String::new(),
            content: content.into_string(),
            stop_reason: stop_reason.to_owned(),
        }
    }

    /// Builds the answer of a recording.
    ///
    /// # Errors
    ///
    /// Returns an error if it has none, as a sentence without a full stop.
    pub fn from_recording(document: &Document, recording: &Recording) -> Result<Self, String> {
        let answer = recording.answer.as_ref();
        let content = answer.and_then(|answer| document.node(answer.node).get("content"));
        let (Some(answer), Some(content)) = (answer, content) else {
            return Err("The recording has no answer".to_owned());
        };
        let is_call = |node: Node<'_>| node.get("type").and_then(Node::as_str) == Some("tool_use");
        let stop = if content.items().any(is_call) { "tool_use" } else { "end_turn" };
        Ok(Self {
            reasoning: text(&answer.reasoning).unwrap_or_default().to_owned(),
            content: Json::from(content).into_string(),
            stop_reason: text(&answer.stop_reason)
                .and_then(AnswerStop::recorded_word)
                .unwrap_or(stop)
                .to_owned(),
        })
    }

    /// Adds this reasoning if it has none.
    #[must_use]
    pub fn with_default_reasoning(mut self, reasoning: impl FnOnce() -> String) -> Self {
        if self.reasoning.is_empty() {
            self.reasoning = reasoning();
        }
        self
    }

    /// Returns the text of the file that the client reads, formatted like `JSON.stringify(answer, null, 2)`.
    pub fn json(&self, request_id: &str, at: Timestamp) -> String {
        // Milliseconds, as JavaScript's `toISOString()` writes them.
        let at = format!("{at:.3}");
        let inner = object! {
            "content": Json::raw(self.content.as_str()), "stop_reason": self.stop_reason.as_str(),
        };
        let reply = object! {
            "type": "llm_invocation_response", "requestId": request_id, "timestamp": at.as_str(),
            "reasoning": self.reasoning.as_str(), "response": inner,
        };
        reply.pretty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    #[test]
    fn a_recording_answers_in_the_form_that_clients_wait_for() {
        let recording = r#"{"request": {"requestId": "old", "messages": [], "tools": []},
            "response": {"content": [{"type": "tool_use", "id": "t", "name": "go", "input": {"b": 1, "a": []}}]}, "recordedAt": "t"}"#;
        let document = read(Source::new(recording), "turn.json");
        let recording = document.body.recording().unwrap();
        let at = "2026-03-09T11:02:17.5Z".parse().unwrap();
        let reply = QueueReply::from_recording(&document, recording).unwrap();
        insta::assert_snapshot!(reply.json("req-1", at), @r#"
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

    #[test]
    fn text_precedes_the_tool_call() {
        let reply = QueueReply::from_call("So.", "go", "{\"b\": 1}")
            .with_default_reasoning(|| "It fits".to_owned());
        insta::assert_snapshot!(reply.json("req-1", Timestamp::UNIX_EPOCH), @r#"
        {
          "type": "llm_invocation_response",
          "requestId": "req-1",
          "timestamp": "1970-01-01T00:00:00.000Z",
          "reasoning": "It fits",
          "response": {
            "content": [
              {
                "type": "text",
                "text": "So."
              },
              {
                "type": "tool_use",
                "id": "tool-1",
                "name": "go",
                "input": {
                  "b": 1
                }
              }
            ],
            "stop_reason": "tool_use"
          }
        }
        "#);
        let reply = QueueReply::from_text("Done");
        assert_eq!(
            (&*reply.content, &*reply.stop_reason),
            (r#"[{"type":"text","text":"Done"}]"#, "end_turn")
        );
    }

    #[test]
    fn a_client_waits_for_the_words_of_recordings() {
        for (content, word, expected) in [
            ("", "end_turn", "end_turn"),
            ("", "stop_sequence", "stop_sequence"),
            ("", "content_filter", "refusal"),
            ("", "stop", "end_turn"),
            ("", "completed", "end_turn"),
            ("", "length", "max_tokens"),
            ("", "MAX_TOKENS", "max_tokens"),
            (r#"{"type": "tool_use", "name": "go"}"#, "tool_calls", "tool_use"),
            (r#"{"type": "tool_use", "name": "go"}"#, "STOP", "tool_use"),
        ] {
            let recording = format!(
                r#"{{"request": {{"messages": [], "tools": []}}, "response": {{"content": [{content}], "stop_reason": "{word}"}}, "recordedAt": "t"}}"#
            );
            let document = read(Source::new(recording), "turn.json");
            let recording = document.body.recording().unwrap();
            let reply = QueueReply::from_recording(&document, recording).unwrap();
            assert_eq!(reply.stop_reason, expected, "{word}");
        }
    }
}
