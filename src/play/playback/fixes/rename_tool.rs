//! Renames a tool everywhere in a recording or a request.

use document::edit::{Edit, JsonValue};
use document::recording::{MessageBlock, RecordedAnswer, Recording, Request};
use document::signature::utf16_order;
use document::text::quoted;
use document::{Document, Field, Node, NodeId, text};
use machine::stamp::recording_of;

/// Returns the edits that rename a tool wherever a recording or a request offers, calls or stores it, or names it beside a result.
///
/// # Errors
///
/// Returns an error if a tool with the new name is offered already, or the document has no request.
pub fn edits(document: &Document, from: &str, to: &str) -> Result<Vec<Edit>, String> {
    let Some(request) = document.body.request() else {
        return recording_of(document).map(|_| Vec::new());
    };
    let is_named = |node: &Node<'_>| node.as_str() == Some(from);
    let nodes: Vec<Node<'_>> = names(document, request, document.body.answer())
        .map(|id| document.node(id))
        .filter(is_named)
        .collect();
    let has_it = request.tools.iter().any(|tool| text(&tool.name) == Some(to));
    // Afterwards the two tools could no longer be distinguished, so no edit could separate them.
    if has_it && !nodes.is_empty() {
        return Err(format!("It already offers a tool named {}", quoted(to)));
    }
    let mut edits: Vec<Edit> = nodes.into_iter().map(|node| set(node.pointer(), to)).collect();
    if let Some(recording) = document.body.recording() {
        edits.extend(stored(recording, from, to));
    }
    Ok(edits)
}

/// Returns every place with a tool's name except the signature.
fn names<'d>(
    document: &'d Document,
    request: &'d Request,
    answer: Option<&'d RecordedAnswer>,
) -> impl Iterator<Item = NodeId> {
    let node = |field: &Option<Field<String>>| field.as_ref().map(|field| field.node);
    let tool_names = request.tools.iter().filter_map(move |tool| node(&tool.name));
    let message_blocks = request.messages.iter().flat_map(|message| &message.blocks);
    let answer_blocks = answer.into_iter().flat_map(|answer| &answer.blocks);
    let call_names = message_blocks.chain(answer_blocks).filter_map(move |block| match block {
        MessageBlock::ToolUse(tool) => node(&tool.name),
        MessageBlock::ToolResult { node, .. } => document.node(*node).get("name").map(|n| n.id()),
        _ => None,
    });
    tool_names.chain(call_names)
}

/// Sorts the stored names again and returns an edit for each changed position.
fn stored(recording: &Recording, from: &str, to: &str) -> Vec<Edit> {
    let signatures = recording.signature.iter();
    let old_names: Vec<&str> =
        signatures.flat_map(|field| &field.value.tool_names).map(String::as_str).collect();
    if !old_names.contains(&from) {
        return Vec::new();
    }
    let names = old_names.iter().map(|name| if *name == from { to } else { name });
    let mut names: Vec<&str> = names.collect();
    // Clients compare the lists name by name, so the new name needs its sorted position.
    names.sort_by(|a, b| utf16_order(a, b));
    let changes = old_names.iter().zip(names).enumerate().filter(|(_, (old, new))| **old != *new);
    changes.map(|(at, (_, new))| set(format!("/signature/toolNames/{at}"), new)).collect()
}

fn set(pointer: String, name: &str) -> Edit {
    Edit::Set { pointer, value: JsonValue::text(name) }
}
