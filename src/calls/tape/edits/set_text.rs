//! Sets the text of a chunk; the common start and end keep their spelling.

use super::editor::TapeEditor;
use crate::tape::text::HALF_LEN;
use document::edit::EditRefusal;
use document::tape::Chunk;
use document::text::TextEdit;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    index: usize,
    text: &str,
) -> Result<(), EditRefusal> {
    let chunk = editor.chunk(index)?;
    let old = &chunk.text;
    let Some(TextEdit { mut range, .. }) = TextEdit::between(old, text) else { return Ok(()) };
    // If the texts first differ inside an escape, all of it is rewritten.
    for escape in halves(chunk) {
        if (escape.start + 1..escape.end).contains(&range.start) {
            range.start = escape.start;
        }
        if (escape.start + 1..escape.end).contains(&range.end) {
            range.end = escape.end;
        }
    }
    let end = text.len() - (old.len() - range.end);
    let new = text.get(range.start..end).unwrap_or_default().to_owned();
    let raw = editor.replaced(chunk, &[(range, new)]).ok_or_else(|| {
        editor.refuse_at(index, "The text cannot be changed inside an escape sequence")
    })?;
    editor.write(index, None, &raw);
    Ok(())
}

/// Returns the ranges of half characters in a chunk's text.
fn halves(chunk: &Chunk) -> impl Iterator<Item = std::ops::Range<usize>> {
    let end = chunk.text.len();
    let half = chunk.leading_half.map(|_| 0..HALF_LEN);
    half.into_iter().chain(chunk.trailing_half.map(|_| end.saturating_sub(HALF_LEN)..end))
}
