//! Whether a stream ends as its API ends one.

use super::event_lines::{SseReader, lines};
use super::{Api, ApiError};
use document::text::Source;
use document::{Node, NodeKind, json};

/// Number of events at the end of a stream that are read: the end is followed by token counts at most.
const MAX_END_EVENTS: usize = 8;

/// Returns whether server-sent events of a model end as they do when the answer is complete, or with an error. `None` if no API is
/// recognised.
pub fn has_stream_end(text: &str) -> Option<bool> {
    let mut reader = SseReader::default();
    lines(text).for_each(|line| reader.line(line, None));
    let events = reader.finish();
    let parse = |data: &str| json::parse(&Source::new(data)).0;
    let is_done = events.last().is_some_and(|event| event.data.trim() == "[DONE]");
    // The first event may show no API: Anthropic's `ping` has none of its marks.
    let trees = events.iter().take(MAX_END_EVENTS).map(|event| parse(&event.data));
    let api = trees.into_iter().find_map(|tree| {
        let root = tree.root()?;
        ApiError::of_body(root).is_some().then_some(None).or_else(|| Api::of_answer(root).map(Some))
    })?;
    let Some(api) = api else { return Some(true) };
    let last_events = &events[events.len().saturating_sub(MAX_END_EVENTS)..];
    let is_end_event = |data: &str| parse(data).root().is_some_and(|event| is_end(api, event));
    Some(is_done || last_events.iter().any(|event| is_end_event(&event.data)))
}

/// Returns whether an event says that the answer is complete, or why it is not.
fn is_end(api: Api, event: Node<'_>) -> bool {
    // Each chunk of a chat completion has `finish_reason`, with `null` until the last.
    let is_given = |node: Option<Node<'_>>| node.is_some_and(|node| node.kind() != NodeKind::Null);
    let kind = event.get("type").and_then(Node::as_str).unwrap_or_default();
    let items = |key: &str, end: &str| {
        let items = event.get(key).into_iter().flat_map(Node::items);
        items.into_iter().any(|item| is_given(item.get(end)))
    };
    if ApiError::of_body(event).is_some() || kind == "error" {
        return true;
    }
    match api {
        Api::AnthropicMessages => kind == "message_stop",
        Api::OpenAiChat => items("choices", "finish_reason"),
        Api::OpenAiResponses => {
            matches!(kind, "response.completed" | "response.incomplete" | "response.failed")
        }
        // A prompt that was blocked has no candidates that could end.
        Api::Gemini => items("candidates", "finishReason") || is_given(event.get("promptFeedback")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_api_has_its_own_end() {
        for (expected, text) in [
            (None, "data: {\"a\": 1}\n\n"),
            (
                Some(false),
                "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
            ),
            (
                Some(true),
                "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
            ),
            (
                Some(true),
                "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n",
            ),
            (
                Some(false),
                "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n",
            ),
            (
                Some(true),
                "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n",
            ),
            (
                Some(true),
                "data: {\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\ndata: [DONE]\n\n",
            ),
            (
                Some(false),
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}],\"modelVersion\":\"g\"}\n\n",
            ),
            (
                Some(true),
                "data: {\"candidates\":[{\"finishReason\":\"SAFETY\"}],\"modelVersion\":\"g\"}\n\n",
            ),
            (Some(false), "data: {\"type\":\"response.created\",\"response\":{}}\n\n"),
            (
                Some(true),
                "data: {\"type\":\"response.created\",\"response\":{}}\n\ndata: {\"type\":\"response.incomplete\",\"response\":{}}\n\n",
            ),
        ] {
            assert_eq!(has_stream_end(text), expected, "{text}");
        }
    }
}
