//! Events of Gemini's `streamGenerateContent`.

use super::calls::StreamedCall;
use super::stream_builder::{StreamBuilder, index, text};
use crate::format::{Node, NodeKind};
use crate::ops::tape::javascript::stringify;

pub(super) fn handle_event(builder: &mut StreamBuilder, event: Node<'_>, at_nanos: Option<f64>) {
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
            handle_part(builder, part, at_nanos);
        }
        builder.done |= candidate
            .get("finishReason")
            .is_some_and(|reason| reason.kind() == NodeKind::String);
    }
}

fn handle_part(builder: &mut StreamBuilder, part: Node<'_>, at_nanos: Option<f64>) {
    if part.get("thought").and_then(Node::as_bool) == Some(true) {
        builder.leave_out("Thinking");
    } else if let Some(call) = part.get("functionCall") {
        let call = StreamedCall {
            id: text(call.get("id")),
            name: text(call.get("name")),
            arguments: call.get("args").map(stringify).unwrap_or_default(),
            ..StreamedCall::default()
        };
        builder.finish_call(&call, at_nanos);
    } else if part.get("text").is_some() {
        builder.on_text(part.get("text"), at_nanos);
    } else {
        builder.leave_out("What is neither text nor a tool call");
    }
}
