//! Events of OpenAI's responses.

use super::calls::Call;
use super::heard::{Heard, index, instant, text};
use crate::format::{Node, NodeKind};

pub(super) fn hear(heard: &mut Heard, event: Node<'_>, at_nanos: Option<f64>) {
    let response = event.get("response");
    match event.get("type").and_then(Node::as_str).unwrap_or_default() {
        "response.created" => {
            heard.model = text(response.and_then(|response| response.get("model")));
            heard.created_at = instant(response.and_then(|response| response.get("created_at")));
        }
        "response.output_text.delta" | "response.refusal.delta" => {
            heard.say(event.get("delta"), at_nanos);
        }
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            heard.leave_out("Thinking");
        }
        "response.output_item.added" => {
            if let Some(item) = function_call(event) {
                let at = index(event, "output_index");
                heard.calls.insert(at, call(item));
            }
        }
        "response.function_call_arguments.delta" => {
            let at = index(event, "output_index");
            heard.part(at, event.get("delta"), at_nanos);
        }
        "response.output_item.done" => {
            let Some(item) = function_call(event) else {
                return;
            };
            let begun = heard.calls.remove(&index(event, "output_index"));
            let begun = begun.unwrap_or_default();
            let mut call = Call {
                parts: begun.parts,
                arguments: begun.arguments,
                ..call(item)
            };
            call.settle(text(item.get("arguments")).unwrap_or_default());
            heard.call(&call, at_nanos);
        }
        "response.completed" => heard.done = true,
        "response.incomplete" => {
            heard.done = true;
            let details = response.and_then(|response| response.get("incomplete_details"));
            let reason = details
                .and_then(|details| details.get("reason"))
                .and_then(Node::as_str);
            heard.notes.push(format!(
                "The answer is not complete ({})",
                reason.unwrap_or("no reason given")
            ));
        }
        "response.failed" => {
            let error = response.and_then(|response| response.get("error"));
            let error = error.filter(|error| error.kind() == NodeKind::Object);
            heard.fail(error.unwrap_or(event));
        }
        "error" => heard.fail(event),
        _ => {}
    }
}

/// Returns the item of an event if it is a tool call.
fn function_call(event: Node<'_>) -> Option<Node<'_>> {
    let item = event.get("item")?;
    (item.get("type")?.as_str()? == "function_call").then_some(item)
}

/// Creates a tool call without its input.
fn call(item: Node<'_>) -> Call {
    Call {
        id: text(item.get("call_id")).or_else(|| text(item.get("id"))),
        name: text(item.get("name")),
        ..Call::default()
    }
}
