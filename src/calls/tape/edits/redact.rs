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
    let mut of_chunks = PhraseParts::new();
    for (range, fill) in parts {
        redact(editor, &text, range, fill, &mut of_chunks);
    }
    for (index, parts) in of_chunks {
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
    range: &Range<usize>,
    fill: &str,
    parts: &mut PhraseParts,
) {
    let chunks = text.chunks_of(range.clone());
    let chars = |range: &Range<usize>| {
        text.text().get(range.clone()).map_or(0, |part| part.chars().count())
    };
    let whole = chars(range);
    let mut before = 0;
    for index in chunks {
        let own = text.range(index);
        let part = own.start.max(range.start)..own.end.min(range.end);
        if part.is_empty() {
            continue;
        }
        let after = before + chars(&part);
        let new = split_fill(fill, before, after, whole);
        before = after;
        let joint = text.split_char_to(index).filter(|_| part.start == own.start);
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

/// Returns the part of the replacement for characters `before..after` of `whole`.
fn split_fill(fill: &str, before: usize, after: usize, whole: usize) -> String {
    let chars = fill.chars().count();
    // Rounded up, so that the first chunk gets the larger part.
    let at = |place: usize| (place * chars).div_ceil(whole.max(1));
    fill.chars().skip(at(before)).take(at(after) - at(before)).collect()
}
