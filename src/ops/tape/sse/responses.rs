//! Events of OpenAI's responses.

use super::heard::{Call, Heard, instant, text};
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
        "response.output_item.done" => {
            let item = event.get("item");
            let Some(item) = item
                .filter(|item| item.get("type").and_then(Node::as_str) == Some("function_call"))
            else {
                return;
            };
            let id = text(item.get("call_id")).or_else(|| text(item.get("id")));
            let arguments = text(item.get("arguments")).unwrap_or_default();
            heard.call(
                &Call {
                    id,
                    name: text(item.get("name")),
                    arguments,
                    ..Call::default()
                },
                at_nanos,
            );
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
            if let Some(error) = error.filter(|error| error.kind() == NodeKind::Object) {
                heard.fail(error);
            }
        }
        "error" => heard.fail(event),
        _ => {}
    }
}
