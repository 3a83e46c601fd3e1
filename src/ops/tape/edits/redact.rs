//! Redacts text, also across chunk borders; keeps all chunks and delays.

use std::collections::BTreeMap;
use std::ops::Range;

use super::editor::TapeEditor;
use super::{Fill, RedactTarget};
use crate::ops::edit::EditRefusal;
use crate::ops::tape::text::{HALF_LEN, TapeText};
use crate::text::counted;

/// Replacements in each chunk, as byte ranges of its own text, in order.
type PhraseParts = BTreeMap<usize, Vec<(Range<usize>, String)>>;

pub(super) fn apply(
    editor: &mut TapeEditor<'_>,
    words: &RedactTarget,
    fill: &Fill,
) -> Result<(), EditRefusal> {
    let text = TapeText::new(editor.tape);
    let mut parts = PhraseParts::new();
    for (at, range) in find_phrases(editor, words, &text)?.into_iter().enumerate() {
        redact(editor, &text, (at, range), fill, &mut parts);
    }
    for (index, parts) in parts {
        let chunk = editor.chunk(index)?;
        let raw = editor.replaced(chunk, &parts).ok_or_else(|| {
            editor.refuse_at(index, "The text to redact begins or ends inside an escape sequence")
        })?;
        editor.write(index, None, &raw);
    }
    if let RedactTarget::Phrase(phrase) = words {
        let elsewhere = editor.count_elsewhere(phrase);
        if elsewhere > 0 {
            let times = counted(elsewhere, "value", "values");
            editor.remark = Some(format!(
                "The text also occurs outside of the stream, in {times}, where it was not redacted"
            ));
        }
    }
    Ok(())
}

/// Finds the text to redact in the whole text.
fn find_phrases(
    editor: &TapeEditor<'_>,
    words: &RedactTarget,
    text: &TapeText,
) -> Result<Vec<Range<usize>>, EditRefusal> {
    match words {
        RedactTarget::Phrase(phrase) if phrase.is_empty() => {
            Err(editor.refuse("The text to redact is empty"))
        }
        RedactTarget::Phrase(phrase) => {
            let found = text.text().match_indices(phrase.as_str());
            let found: Vec<_> = found.map(|(at, phrase)| at..at + phrase.len()).collect();
            if found.is_empty() {
                Err(editor.refuse("The text to redact does not occur in the tape"))
            } else {
                Ok(found)
            }
        }
        RedactTarget::Parts(parts) => {
            let is_apart = parts.windows(2).all(|pair| pair[0].end <= pair[1].start);
            let is_there =
                |part: &Range<usize>| !part.is_empty() && text.text().get(part.clone()).is_some();
            if is_apart && parts.iter().all(is_there) {
                Ok(parts.clone())
            } else {
                Err(editor
                    .refuse("The parts to redact are not parts of the text in ascending order"))
            }
        }
    }
}

/// Distributes one redaction over the chunks that contain the text.
fn redact(
    editor: &TapeEditor<'_>,
    text: &TapeText,
    (at, range): (usize, Range<usize>),
    fill: &Fill,
    parts: &mut PhraseParts,
) {
    let chunks = text.chunks_of(range.clone());
    let chars = |range: &Range<usize>| {
        text.text().get(range.clone()).map_or(0, |part| part.chars().count())
    };
    let whole = chars(&range);
    let mut before = 0;
    for index in chunks {
        let own = text.range(index);
        let part = own.start.max(range.start)..own.end.min(range.end);
        if part.is_empty() {
            continue;
        }
        let after = before + chars(&part);
        let new = match fill {
            Fill::Each(c) => std::iter::repeat_n(*c, after - before).collect(),
            Fill::Text(fill) => split_fill(fill, before, after, whole),
            Fill::Texts(fills) => {
                let fill = fills.get(at).map_or("", String::as_str);
                split_fill(fill, before, after, whole)
            }
        };
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
    // Rounded up, so that the first chunk has as much as it may.
    let at = |place: usize| (place * chars).div_ceil(whole.max(1));
    fill.chars().skip(at(before)).take(at(after) - at(before)).collect()
}
