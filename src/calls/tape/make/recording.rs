//! Creates a tape from a recording's answer, as if it were streamed.

use super::{NewTape, TapePlan};
use crate::javascript::stringify;
use document::Document;
use document::recording::MessageBlock;

/// Creates a tape from a recording's answer. Texts are split and timed; a tool call is one chunk, a JSON object on a
/// separate line.
///
/// # Errors
///
/// Returns why there is no answer, as a sentence without a full stop.
pub fn from_recording(document: &Document, plan: &TapePlan) -> Result<NewTape, String> {
    let recording = document.body.recording().ok_or("The file is not a recording")?;
    let blocks = recording.answer.as_ref().map_or(&[][..], |answer| &answer.blocks);
    if blocks.is_empty() {
        return Err("The recording has no answer".to_owned());
    }
    let recorded_at = recording.recorded_at.as_ref().map(|field| field.value.clone());
    let request = document.node(recording.request.node);
    let meta = plan.meta(recorded_at);
    let (prompt, messages) = (request.get("systemPrompt"), request.get("messages"));
    let mut tape = NewTape {
        request: plan.request(&meta.model, prompt, messages),
        meta,
        ..NewTape::default()
    };
    let mut other_count = 0;
    for (index, block) in blocks.iter().enumerate() {
        match block {
            MessageBlock::Text(text) => tape.push_text(&text.value, plan),
            MessageBlock::ToolUse(call) => {
                // A consumer of lines needs the call on a line of its own.
                let lead = if index > 0 && !tape.chunks.is_empty() { "\n" } else { "" };
                let call = stringify(document.node(call.node));
                tape.push_whole(&format!("{lead}{call}"), plan);
            }
            _ => other_count += 1,
        }
    }
    tape.notes.push(plan.timing_note());
    if other_count > 0 {
        tape.notes.push(format!(
            "{other_count} of {} blocks are neither text nor tool calls and were left out",
            blocks.len()
        ));
    }
    if plan.model.is_none() {
        tape.notes.push("The recording does not name its model".to_owned());
    }
    Ok(tape)
}
