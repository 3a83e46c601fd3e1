//! A tape of a recording's answer: what a client would see if it were streamed.

use super::{NewTape, Plan, UNKNOWN_MODEL};
use crate::format::recording::{Block, Recording};
use crate::format::{Body, Document};
use crate::ops::edit::json_string;
use crate::ops::tape::javascript::stringify;

/// A tape of a recording's answer. Texts are cut and timed; a tool call is one chunk, a JSON object on a line of its own.
///
/// # Errors
///
/// Why there is no answer to be made a tape of, as a sentence without a full stop.
pub fn from_recording(document: &Document, plan: &Plan) -> Result<NewTape, String> {
    let Body::Recording(recording) = &document.body else {
        return Err("The file is no recording".to_owned());
    };
    let blocks = recording
        .answer
        .as_ref()
        .map_or(&[][..], |answer| &answer.blocks);
    if blocks.is_empty() {
        return Err("The recording has no answer".to_owned());
    }
    let recorded_at = recording
        .recorded_at
        .as_ref()
        .map(|field| field.value.clone());
    let mut tape = NewTape {
        meta: plan.meta(recorded_at, None),
        request: request(document, recording, plan),
        ..NewTape::default()
    };
    let mut left_out = 0;
    for (index, block) in blocks.iter().enumerate() {
        match block {
            Block::Text(text) => tape.push_text(&text.value, plan),
            Block::ToolUse(call) => {
                // A consumer of lines needs the call on a line of its own.
                let lead = if index > 0 && !tape.chunks.is_empty() {
                    "\n"
                } else {
                    ""
                };
                let call = stringify(document.node(call.node));
                tape.push_whole(&format!("{lead}{call}"), plan);
            }
            Block::ToolResult { .. } | Block::Other { .. } => left_out += 1,
        }
    }
    tape.notes.push(plan.timed());
    if left_out > 0 {
        tape.notes.push(format!(
            "{left_out} of {} blocks are neither text nor tool calls and were left out",
            blocks.len()
        ));
    }
    if plan.model.is_none() {
        tape.notes
            .push("The recording does not name its model".to_owned());
    }
    Ok(tape)
}

/// The request in the shape of tapes: model, system prompt, history.
fn request(document: &Document, recording: &Recording, plan: &Plan) -> String {
    let node = document.node(recording.request.node);
    let model = json_string(plan.model.as_deref().unwrap_or(UNKNOWN_MODEL));
    let prompt = node
        .get("systemPrompt")
        .map_or_else(|| "\"\"".to_owned(), stringify);
    let history = node
        .get("messages")
        .map_or_else(|| "[]".to_owned(), stringify);
    format!("{{\"model\":{model},\"systemPrompt\":{prompt},\"history\":{history}}}")
}
