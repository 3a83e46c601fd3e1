//! Events of OpenAI's responses.

use super::calls::StreamedCall;
use super::stream_builder::{StreamBuilder, index, instant, text};
use crate::format::{Node, NodeKind};

pub(super) fn handle_event(builder: &mut StreamBuilder, event: Node<'_>, at_nanos: Option<f64>) {
    let response = event.get("response");
    match event.get("type").and_then(Node::as_str).unwrap_or_default() {
        "response.created" => {
            builder.model = text(response.and_then(|response| response.get("model")));
            builder.created_at = instant(response.and_then(|response| response.get("created_at")));
        }
        "response.output_text.delta" | "response.refusal.delta" => {
            builder.on_text(event.get("delta"), at_nanos);
        }
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            builder.leave_out("Thinking");
        }
        "response.output_item.added" => {
            if let Some(item) = function_call(event) {
                let at = index(event, "output_index");
                builder.calls.insert(at, call(item));
            }
        }
        "response.function_call_arguments.delta" => {
            let at = index(event, "output_index");
            builder.on_call_part(at, event.get("delta"), at_nanos);
        }
        "response.output_item.done" => {
            let Some(item) = function_call(event) else {
                return;
            };
            let begun = builder.calls.remove(&index(event, "output_index"));
            let begun = begun.unwrap_or_default();
            let mut call = StreamedCall {
                parts: begun.parts,
                arguments: begun.arguments,
                ..call(item)
            };
            call.settle(text(item.get("arguments")).unwrap_or_default());
            builder.finish_call(&call, at_nanos);
        }
        "response.completed" => builder.done = true,
        "response.incomplete" => {
            builder.done = true;
            let details = response.and_then(|response| response.get("incomplete_details"));
            let reason = details
                .and_then(|details| details.get("reason"))
                .and_then(Node::as_str);
            builder.notes.push(format!(
                "The answer is not complete ({})",
                reason.unwrap_or("no reason given")
            ));
        }
        "response.failed" => {
            let error = response.and_then(|response| response.get("error"));
            let error = error.filter(|error| error.kind() == NodeKind::Object);
            builder.on_error(error.unwrap_or(event));
        }
        "error" => builder.on_error(event),
        _ => {}
    }
}

/// Returns the item of an event if it is a tool call.
fn function_call(event: Node<'_>) -> Option<Node<'_>> {
    let item = event.get("item")?;
    (item.get("type")?.as_str()? == "function_call").then_some(item)
}

/// Creates a tool call without its input.
fn call(item: Node<'_>) -> StreamedCall {
    StreamedCall {
        id: text(item.get("call_id")).or_else(|| text(item.get("id"))),
        name: text(item.get("name")),
        ..StreamedCall::default()
    }
}
