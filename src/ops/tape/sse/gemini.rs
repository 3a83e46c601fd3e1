//! Events of Gemini's `streamGenerateContent`.

use super::calls::Call;
use super::heard::{Heard, index, text};
use crate::format::{Node, NodeKind};
use crate::ops::tape::javascript::stringify;

pub(super) fn hear(builder: &mut Heard, event: Node<'_>, at_nanos: Option<f64>) {
    if builder.model.is_none() {
        builder.model = text(event.get("modelVersion"));
    }
    if builder.created_at.is_none() {
        builder.created_at = text(event.get("createTime"));
    }
    if let Some(reason) = event
        .get("promptFeedback")
        .and_then(|feedback| feedback.get("blockReason"))
    {
        builder.notes.push(format!(
            "The prompt was blocked ({})",
            reason.as_str().unwrap_or_default()
        ));
        builder.done = true;
    }
    for candidate in event.get("candidates").into_iter().flat_map(Node::items) {
        if index(candidate, "index") > 0 {
            builder.leave_out("What further candidates say");
            continue;
        }
        let parts = candidate
            .get("content")
            .and_then(|content| content.get("parts"));
        for part in parts.into_iter().flat_map(Node::items) {
            hear_part(builder, part, at_nanos);
        }
        builder.done |= candidate
            .get("finishReason")
            .is_some_and(|reason| reason.kind() == NodeKind::String);
    }
}

fn hear_part(builder: &mut Heard, part: Node<'_>, at_nanos: Option<f64>) {
    if part.get("thought").and_then(Node::as_bool) == Some(true) {
        builder.leave_out("Thinking");
    } else if let Some(call) = part.get("functionCall") {
        let call = Call {
            id: text(call.get("id")),
            name: text(call.get("name")),
            arguments: call.get("args").map(stringify).unwrap_or_default(),
            ..Call::default()
        };
        builder.call(&call, at_nanos);
    } else if part.get("text").is_some() {
        builder.say(part.get("text"), at_nanos);
    } else {
        builder.leave_out("What is neither text nor a tool call");
    }
}
