//! Events of Anthropic's messages.

use super::calls::StreamedCall;
use super::stream_builder::{StreamBuilder, index, text};
use crate::format::Node;

pub(super) fn handle_event(builder: &mut StreamBuilder, event: Node<'_>, at_nanos: Option<f64>) {
    let part = index(event, "index");
    match event.get("type").and_then(Node::as_str).unwrap_or_default() {
        "message_start" => {
            let model = event
                .get("message")
                .and_then(|message| message.get("model"));
            builder.model = text(model).or_else(|| builder.model.take());
        }
        "content_block_start" => {
            let Some(block) = event.get("content_block") else {
                return;
            };
            match block.get("type").and_then(Node::as_str) {
                Some("text") => {
                    let text = block.get("text").filter(|text| text.as_str() != Some(""));
                    builder.on_text(text, at_nanos);
                }
                Some("tool_use" | "server_tool_use") => {
                    let call = StreamedCall {
                        id: text(block.get("id")),
                        name: text(block.get("name")),
                        ..StreamedCall::default()
                    };
                    builder.calls.insert(part, call);
                }
                Some("thinking" | "redacted_thinking") => {}
                _ => builder.leave_out("What is neither text nor a tool call"),
            }
        }
        "content_block_delta" => {
            let Some(delta) = event.get("delta") else {
                return;
            };
            match delta.get("type").and_then(Node::as_str) {
                Some("text_delta") => builder.on_text(delta.get("text"), at_nanos),
                Some("input_json_delta") => {
                    builder.on_call_part(part, delta.get("partial_json"), at_nanos);
                }
                Some("thinking_delta") => builder.leave_out("Thinking"),
                _ => {}
            }
        }
        "content_block_stop" => {
            if let Some(call) = builder.calls.remove(&part) {
                builder.finish_call(&call, at_nanos);
            }
        }
        "message_stop" => builder.done = true,
        _ => {}
    }
}
