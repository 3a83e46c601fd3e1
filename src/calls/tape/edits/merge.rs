//! Merges chunks into one that arrives when the last of them did.

use std::ops::Range;

use super::editor::TapeEditor;
use document::edit::EditRefusal;

pub(super) fn apply(editor: &mut TapeEditor<'_>, chunks: Range<usize>) -> Result<(), EditRefusal> {
    editor.check_range(&chunks)?;
    if chunks.len() < 2 {
        return Err(
            editor.refuse_at(chunks.start, "A single chunk cannot be merged; select at least two")
        );
    }
    let merged_chunks = &editor.tape.chunks[chunks.clone()];
    let delay = merged_chunks.iter().map(|chunk| chunk.delay_nanos).sum();
    // The sum of delays that are valid may be infinite.
    editor.check_delay(delay)?;
    let mut text = String::from("\"");
    for chunk in merged_chunks {
        // Joined as they are written: the escapes of a character's two halves then are that character.
        let raw = editor.raw(chunk);
        text.push_str(raw.get(1..raw.len() - 1).unwrap_or_default());
    }
    text.push('"');
    if merged_chunks.iter().skip(1).any(|chunk| editor.has_other_members(chunk)) {
        editor.remark =
            Some("Other members of merged chunks than delay and text are deleted".to_owned());
    }
    editor.write(chunks.start, Some(delay), &text);
    editor.remove(|chunk| chunks.contains(&chunk) && chunk != chunks.start);
    Ok(())
}
