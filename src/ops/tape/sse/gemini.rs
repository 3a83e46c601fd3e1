//! Events of Gemini's `streamGenerateContent`.

use super::calls::Call;
use super::heard::{Heard, index, text};
use crate::format::{Node, NodeKind};
use crate::ops::tape::javascript::stringify;

pub(super) fn hear(heard: &mut Heard, event: Node<'_>, at_nanos: Option<f64>) {
    if heard.model.is_none() {
        heard.model = text(event.get("modelVersion"));
    }
    if heard.created_at.is_none() {
        heard.created_at = text(event.get("createTime"));
    }
    if let Some(reason) = event
        .get("promptFeedback")
        .and_then(|feedback| feedback.get("blockReason"))
    {
        heard.notes.push(format!(
            "The prompt was blocked ({})",
            reason.as_str().unwrap_or_default()
        ));
        heard.done = true;
    }
    for candidate in event.get("candidates").into_iter().flat_map(Node::items) {
        if index(candidate, "index") > 0 {
            heard.leave_out("What further candidates say");
            continue;
        }
        let parts = candidate
            .get("content")
            .and_then(|content| content.get("parts"));
        for part in parts.into_iter().flat_map(Node::items) {
            hear_part(heard, part, at_nanos);
        }
        heard.done |= candidate
            .get("finishReason")
            .is_some_and(|reason| reason.kind() == NodeKind::String);
    }
}

fn hear_part(heard: &mut Heard, part: Node<'_>, at_nanos: Option<f64>) {
    if part.get("thought").and_then(Node::as_bool) == Some(true) {
        heard.leave_out("Thinking");
    } else if let Some(call) = part.get("functionCall") {
        let call = Call {
            id: text(call.get("id")),
            name: text(call.get("name")),
            arguments: call.get("args").map(stringify).unwrap_or_default(),
            ..Call::default()
        };
        heard.call(&call, at_nanos);
    } else if part.get("text").is_some() {
        heard.say(part.get("text"), at_nanos);
    } else {
        heard.leave_out("What is neither text nor a tool call");
    }
}
