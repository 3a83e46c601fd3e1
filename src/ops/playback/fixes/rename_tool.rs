//! Renames a tool everywhere in a recording.

use crate::format::recording::{MessageBlock, Recording};
use crate::format::{Document, Field, text};
use crate::ops::edit::{Edit, JsonValue};
use crate::ops::signature::utf16_order;
use crate::ops::stamp::recording_of;
use crate::text::quoted;

pub(super) fn edits(document: &Document, from: &str, to: &str) -> Result<Vec<Edit>, String> {
    let recording = recording_of(document)?;
    let named = |field: &&Field<String>| field.value == from;
    let fields: Vec<&Field<String>> = names(recording).filter(named).collect();
    let mut offered = recording.request.tools.iter();
    let has_it = offered.any(|tool| text(&tool.name) == Some(to));
    if has_it && !fields.is_empty() {
        return Err(format!("It already offers a tool named {}", quoted(to)));
    }
    let mut edits: Vec<Edit> = fields
        .into_iter()
        .map(|field| set(document.node(field.node).pointer(), to))
        .collect();
    edits.extend(stored(recording, from, to));
    Ok(edits)
}

/// Returns every place with a tool's name except the signature.
fn names(recording: &Recording) -> impl Iterator<Item = &Field<String>> {
    let request = &recording.request;
    let offered = request.tools.iter().filter_map(|tool| tool.name.as_ref());
    let requested = request.messages.iter().flat_map(|message| &message.blocks);
    let answered = recording.answer.iter().flat_map(|answer| &answer.blocks);
    let called = requested.chain(answered).filter_map(|block| match block {
        MessageBlock::ToolUse(tool) => tool.name.as_ref(),
        _ => None,
    });
    offered.chain(called)
}

/// Sorts the stored names again and returns an edit for each changed position.
fn stored(recording: &Recording, from: &str, to: &str) -> Vec<Edit> {
    let stored = recording.signature.iter();
    let stored: Vec<&str> = stored
        .flat_map(|field| &field.value.tool_names)
        .map(String::as_str)
        .collect();
    if !stored.contains(&from) {
        return Vec::new();
    }
    let renamed = stored
        .iter()
        .map(|name| if *name == from { to } else { name });
    let mut renamed: Vec<&str> = renamed.collect();
    renamed.sort_by(|a, b| utf16_order(a, b));
    let places = stored.iter().zip(renamed).enumerate();
    let changed = places.filter(|(_, (old, new))| **old != *new);
    changed
        .map(|(at, (_, new))| set(format!("/signature/toolNames/{at}"), new))
        .collect()
}

fn set(pointer: String, name: &str) -> Edit {
    Edit::Set {
        pointer,
        value: JsonValue::text(name),
    }
}
