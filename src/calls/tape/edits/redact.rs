//! Redacts text, also across chunk borders; keeps all chunks and delays.

use std::collections::BTreeMap;
use std::ops::Range;

use super::editor::TapeEditor;
use crate::tape::text::{HALF_LEN, TapeText};
use document::edit::EditRefusal;

/// Replacements in each chunk, as byte ranges of its own text, in order.
type PhraseParts = BTreeMap<usize, Vec<(Range<usize>, String)>>;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    parts: &[(Range<usize>, String)],
) -> Result<(), EditRefusal> {
    let text = TapeText::new(editor.tape);
    let is_apart = parts.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start);
    let is_there =
        |part: &Range<usize>| !part.is_empty() && text.text().get(part.clone()).is_some();
    if !is_apart || !parts.iter().all(|(part, _)| is_there(part)) {
        let reason = "The parts to redact are not parts of the text in ascending order";
        return Err(editor.refuse(reason));
    }
    let mut parts_by_chunk = PhraseParts::new();
    for (range, fill) in parts {
        redact(editor, &text, range, fill, &mut parts_by_chunk);
    }
    for (index, parts) in parts_by_chunk {
        let raw = editor.replaced(editor.chunk(index)?, &parts).ok_or_else(|| {
            editor.refuse_at(index, "The text to redact begins or ends inside an escape sequence")
        })?;
        editor.write(index, None, &raw);
    }
    Ok(())
}

/// Distributes one redaction over the chunks that contain the text.
fn redact(
    editor: &TapeEditor<'_>,
    text: &TapeText,
    span: &Range<usize>,
    fill: &str,
    parts: &mut PhraseParts,
) {
    let chunks = text.chunks_of(span.clone());
    let chars =
        |span: &Range<usize>| text.text().get(span.clone()).map_or(0, |part| part.chars().count());
    let char_count = chars(span);
    let mut char_start = 0;
    for index in chunks {
        let chunk_range = text.range(index);
        let part = chunk_range.start.max(span.start)..chunk_range.end.min(span.end);
        if part.is_empty() {
            continue;
        }
        let char_end = char_start + chars(&part);
        let new = split_fill(fill, char_start, char_end, char_count);
        char_start = char_end;
        let joint = text.split_char_to(index).filter(|_| part.start == chunk_range.start);
        if let Some(joint) = joint {
            // The first half of the first character is in another chunk.
            let end = editor.tape.chunks.get(joint.from).map_or(0, |chunk| chunk.text.len());
            parts
                .entry(joint.from)
                .or_default()
                .push((end.saturating_sub(HALF_LEN)..end, String::new()));
        }
        let local = text.local(index, part.start)..text.local(index, part.end);
        parts.entry(index).or_default().push((local, new));
    }
}

/// Returns the part of the replacement for characters `start..end` of `char_count`.
fn split_fill(fill: &str, start: usize, end: usize, char_count: usize) -> String {
    let chars = fill.chars().count();
    // Rounded up, so that the first chunk gets the larger part.
    let at = |place: usize| (place * chars).div_ceil(char_count.max(1));
    fill.chars().skip(at(start)).take(at(end) - at(start)).collect()
}
