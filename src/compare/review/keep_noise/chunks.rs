//! The stream of an old tape with the words of a new one.

use document::tape::{Chunk, Tape};
use document::text::Source;
use document::{Document, DocumentBody, Node, read};

/// Returns the tape of a document that is one.
pub(super) fn tape(document: &Document) -> Option<&Tape> {
    match &document.body {
        DocumentBody::Tape(tape) => Some(tape),
        _ => None,
    }
}

/// Returns the text of an old tape with the words of a new one. Chunks in front of the changed words and behind them stay as they are; if the
/// changed ones are as many as before, each keeps its delay, else they have the new ones.
///
/// # Errors
///
/// The reason that it is not possible, as a sentence without a full stop.
pub(super) fn with_words(text: &str, new: &Document) -> Result<String, String> {
    let old = read(Source::new(text), "tape.json");
    let unclear = || "The stream has elements that are not chunks".to_owned();
    let (old_tape, new_tape) = tape(&old).zip(tape(new)).ok_or_else(unclear)?;
    if old_tape.joined() == new_tape.joined() {
        return Ok(text.to_owned());
    }
    let [old_chunks, new_chunks] = [&old_tape.chunks, &new_tape.chunks];
    let stream = [&old, new].map(|d| d.tree.root().and_then(|root| root.get("stream")));
    let is_whole = stream.iter().zip([old_chunks, new_chunks]);
    let mut is_whole = is_whole.map(|(s, c)| s.is_some_and(|s| s.len() == c.len()));
    if !is_whole.all(|b| b) {
        return Err(unclear());
    }
    let same = |(a, b): &(&Chunk, &Chunk)| a.text == b.text;
    let start = old_chunks.iter().zip(new_chunks).take_while(same).count();
    // Chunks that are equal at the start are not counted again at the end.
    let most = old_chunks.len().min(new_chunks.len()) - start;
    let backwards = old_chunks.iter().rev().zip(new_chunks.iter().rev());
    let end = backwards.take(most).take_while(same).count();
    let old_middle = &old_chunks[start..old_chunks.len() - end];
    let new_middle = &new_chunks[start..new_chunks.len() - end];
    let mut edited = text.to_owned();
    if old_middle.len() == new_middle.len() {
        // From the end, so that the spans in front stay valid.
        for (old_chunk, new_chunk) in old_middle.iter().zip(new_middle).rev() {
            let old_text = old.node(old_chunk.node).get("text").ok_or_else(unclear)?;
            let new_text = new.node(new_chunk.node).get("text").ok_or_else(unclear)?;
            edited.replace_range(old_text.span().range(), new_text.raw());
        }
        return Ok(edited);
    }
    let first = old_chunks.first().ok_or("The old tape has no chunks")?;
    let separator = match &**old_chunks {
        [one, two, ..] => &text[one.span.range().end..two.span.range().start],
        // A stream of one chunk has no separator to copy.
        _ => ", ",
    };
    let in_style = |chunk: &Chunk| in_style_of(old.node(first.node), new.node(chunk.node));
    let chunks = new_middle.iter().map(in_style).collect::<Vec<String>>().join(separator);
    let place = |at: usize| old_chunks.get(at).map(|chunk| chunk.span.range());
    let head = start.checked_sub(1).and_then(place);
    let next = place(old_chunks.len() - end);
    let (range, new) = match (old_middle, new_middle, head, next) {
        ([], _, Some(head), _) => (head.end..head.end, format!("{separator}{chunks}")),
        ([], _, None, Some(next)) => (next.start..next.start, format!("{chunks}{separator}")),
        ([only, ..], [], _, Some(next)) => (only.span.range().start..next.start, String::new()),
        ([.., last], [], Some(head), None) => (head.end..last.span.range().end, String::new()),
        ([only, ..], ..) => {
            let last = old_middle.last().unwrap_or(only);
            (only.span.range().start..last.span.range().end, chunks)
        }
        ([], _, None, None) => return Err(unclear()),
    };
    edited.replace_range(range, &new);
    Ok(edited)
}

/// Returns a chunk as another one is written, if both have the same members.
fn in_style_of(model: Node<'_>, chunk: Node<'_>) -> String {
    let members = model.items().zip(chunk.items());
    let is_alike = model.len() == chunk.len() && members.clone().all(|(a, b)| a.key() == b.key());
    if !is_alike {
        return chunk.raw().to_owned();
    }
    let mut text = model.raw().to_owned();
    let start = model.span().range().start;
    let members: Vec<_> = members.collect();
    for (old, new) in members.into_iter().rev() {
        let range = old.span().range();
        text.replace_range(range.start - start..range.end - start, new.raw());
    }
    text
}
