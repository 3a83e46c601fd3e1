//! Events of OpenAI's chat completions.

use super::stream_builder::{StreamBuilder, index, instant, text};
use crate::format::{Node, NodeKind};

pub(super) fn handle_event(builder: &mut StreamBuilder, event: Node<'_>, at_nanos: Option<f64>) {
    if builder.model.is_none() {
        builder.model = text(event.get("model")).filter(|model| !model.is_empty());
    }
    if builder.created_at.is_none() {
        builder.created_at = instant(
            event
                .get("created")
                .filter(|at| at.as_f64().is_some_and(|at| at > 0.0)),
        );
    }
    for choice in event.get("choices").into_iter().flat_map(Node::items) {
        if index(choice, "index") > 0 {
            builder.leave_out("What further choices say");
            continue;
        }
        if let Some(delta) = choice.get("delta") {
            handle_delta(builder, delta, at_nanos);
        }
        if choice
            .get("finish_reason")
            .is_some_and(|reason| reason.kind() != NodeKind::Null)
        {
            builder.finish_calls(at_nanos);
        }
    }
}

fn handle_delta(builder: &mut StreamBuilder, delta: Node<'_>, at_nanos: Option<f64>) {
    // Beside something else an empty text is a form, not a chunk.
    let has_content = |text: &Node<'_>| text.as_str() != Some("");
    let content = delta.get("content");
    builder.on_text(
        content.filter(|text| delta.len() == 1 || has_content(text)),
        at_nanos,
    );
    builder.on_text(delta.get("refusal").filter(has_content), at_nanos);
    if delta
        .get("reasoning_content")
        .is_some_and(|text| text.as_str().is_some_and(|text| !text.is_empty()))
    {
        builder.leave_out("Thinking");
    }
    for part in delta.get("tool_calls").into_iter().flat_map(Node::items) {
        let index = index(part, "index");
        let call = builder.calls.entry(index).or_default();
        call.id = call.id.take().or_else(|| text(part.get("id")));
        let function = part.get("function");
        let get = |key| function.and_then(|function| function.get(key));
        call.name = call.name.take().or_else(|| text(get("name")));
        builder.on_call_part(index, get("arguments"), at_nanos);
    }
}
