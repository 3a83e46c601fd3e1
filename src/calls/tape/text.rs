//! The text of a tape, and which chunk contains which part of it.

use std::ops::Range;

use document::tape::{Chunk, Tape};

/// Length of half a surrogate pair as an escape in a chunk's text: `\ud83d`.
pub(super) const HALF_LEN: usize = 6;

/// The text of all chunks, with their borders. Offsets are bytes of [`Self::text`].
///
/// A character that is split over two chunks belongs to the one that completes it, since it cannot be shown before. A
/// lone half of a character is written as its escape.
#[derive(Clone, Debug, Default)]
pub struct TapeText {
    text: String,
    /// End of each chunk.
    ends: Vec<u32>,
    /// Split characters, in order of the chunk with the second half.
    split_chars: Vec<SplitChar>,
}

/// A character that is split over two chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SplitChar {
    /// The chunk that ends with the first half.
    pub(super) from: usize,
    /// The chunk that begins with the second half.
    pub(super) to: usize,
}

impl TapeText {
    /// Joins the texts of all chunks.
    pub fn new(tape: &Tape) -> Self {
        let mut tape_text = Self {
            text: String::with_capacity(tape.chunks.iter().map(|chunk| chunk.text.len()).sum()),
            ends: Vec::with_capacity(tape.chunks.len()),
            split_chars: Vec::new(),
        };
        let mut open_half: Option<(usize, u16)> = None;
        for (index, chunk) in tape.chunks.iter().enumerate() {
            let mut text = chunk.text.as_str();
            if let Some((from, letter)) = complete_char(open_half, chunk) {
                tape_text.give_up_half(from);
                tape_text.text.push(letter);
                tape_text.split_chars.push(SplitChar { from, to: index });
                text = text.get(HALF_LEN..).unwrap_or_default();
            }
            tape_text.text.push_str(text);
            tape_text.ends.push(tape_text.text.len() as u32);
            // An empty chunk between the halves of a character does not part them.
            if !chunk.text.is_empty() {
                open_half = chunk.trailing_half.map(|half| (index, half));
            }
        }
        tape_text
    }

    /// Removes the first half of a character from the end of the text so far, which is the end of `chunk`; only
    /// empty chunks follow it.
    fn give_up_half(&mut self, chunk: usize) {
        let end = self.text.len().saturating_sub(HALF_LEN);
        self.text.truncate(end);
        self.ends[chunk..].fill(end as u32);
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of chunks.
    pub fn chunks(&self) -> usize {
        self.ends.len()
    }

    /// Returns the range of a chunk; empty for an empty chunk, and past the end.
    pub fn range(&self, c: usize) -> Range<usize> {
        let end = |c: usize| self.ends.get(c).or(self.ends.last()).copied().unwrap_or_default();
        let start = c.checked_sub(1).map(end).unwrap_or_default();
        start as usize..end(c) as usize
    }

    /// Returns the chunk that contains byte `at`; at the end of the text, the last one that is not empty. `None` if
    /// there is no text.
    pub fn chunk_at(&self, at: usize) -> Option<usize> {
        let last = self.text.len().checked_sub(1)?;
        Some(self.ends.partition_point(|end| *end as usize <= at.min(last)))
    }

    /// Returns the chunks that overlap a range of the text.
    pub fn chunks_of(&self, range: Range<usize>) -> Range<usize> {
        let last = range.end.checked_sub(1).and_then(|last| self.chunk_at(last));
        match (self.chunk_at(range.start), last) {
            (Some(first), Some(last)) if !range.is_empty() => first..last + 1,
            _ => 0..0,
        }
    }

    /// Converts an offset in or next to a chunk's range to an offset in the chunk's own text.
    pub(super) fn local(&self, chunk: usize, at: usize) -> usize {
        let range = self.range(chunk);
        let offset = at.clamp(range.start, range.end) - range.start;
        match self.split_char_to(chunk) {
            // The whole character has another length in the text than the escape of its half in the chunk.
            Some(_) if offset > 0 => offset - self.char_len(range.start) + HALF_LEN,
            _ => offset,
        }
    }

    fn char_len(&self, at: usize) -> usize {
        self.text.get(at..).and_then(|tail| tail.chars().next()).map_or(0, char::len_utf8)
    }

    /// Returns the split character that starts in a chunk.
    pub(super) fn split_char_from(&self, chunk: usize) -> Option<SplitChar> {
        let position = self.split_chars.binary_search_by_key(&chunk, |joint| joint.from);
        position.ok().and_then(|index| self.split_chars.get(index).copied())
    }

    /// Returns the split character that a chunk completes.
    pub(super) fn split_char_to(&self, chunk: usize) -> Option<SplitChar> {
        let position = self.split_chars.binary_search_by_key(&chunk, |joint| joint.to);
        position.ok().and_then(|index| self.split_chars.get(index).copied())
    }
}

/// Returns the character that a chunk completes, and the chunk in which it starts.
fn complete_char(open_half: Option<(usize, u16)>, chunk: &Chunk) -> Option<(usize, char)> {
    let ((from, high), low) = (open_half?, chunk.leading_half?);
    Some((from, char::decode_utf16([high, low]).next()?.ok()?))
}

/// Returns the number of characters of each chunk. A split character counts for the chunk that completes it.
pub(super) fn chars_of(tape: &Tape) -> impl Iterator<Item = usize> {
    let mut is_open = false;
    tape.chunks.iter().map(move |chunk| {
        if chunk.text.is_empty() {
            return 0;
        }
        let half = |half: Option<u16>| usize::from(half.is_some());
        // Each half is written as an escape of six characters.
        let halves = half(chunk.leading_half) + half(chunk.trailing_half);
        let chars = chunk.text.chars().count() - halves * HALF_LEN;
        let leading_count = half(chunk.leading_half);
        let lone_count = usize::from(is_open && chunk.leading_half.is_none());
        is_open = chunk.trailing_half.is_some();
        // A lone first half counts as soon as it is known to be one.
        chars + leading_count + lone_count
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{read, tape};
    use super::*;
    use proptest::prelude::*;

    fn text_of(stream: &str) -> TapeText {
        TapeText::new(&read(stream))
    }

    impl TapeText {
        /// Returns the text of the first `chunks` chunks.
        fn text_after(&self, chunks: usize) -> &str {
            chunks.checked_sub(1).map_or("", |last| &self.text[..self.range(last).end])
        }

        /// Converts an offset in the text to a chunk and an offset in its own text ([`Chunk::text`]). At the border of two
        /// chunks, returns the end of the first.
        fn locate(&self, at: usize) -> (usize, usize) {
            let chunk = self.ends.partition_point(|end| (*end as usize) < at);
            (chunk, self.local(chunk, at))
        }
    }

    #[test]
    fn each_part_belongs_to_the_chunk_that_brought_it() {
        let text = TapeText::new(&tape(&[(0.0, "né"), (0.0, ""), (0.0, "e"), (0.0, "")]));
        assert_eq!(text.text(), "née");
        let ranges: Vec<_> = (0..4).map(|chunk| text.range(chunk)).collect();
        assert_eq!(ranges, [0..3, 3..3, 3..4, 4..4]);
        let at: Vec<_> = (0..5).map(|at| text.chunk_at(at)).collect();
        assert_eq!(at, [Some(0), Some(0), Some(0), Some(2), Some(2)]);
        assert_eq!((text.text_after(0), text.text_after(2), text.text_after(9)), ("", "né", "née"));
        assert_eq!((text.chunks_of(1..4), text.chunks_of(2..2)), (0..3, 0..0));
        assert_eq!((text.locate(3), text.locate(4)), ((0, 3), (2, 1)));
    }

    #[test]
    fn a_cut_character_shows_when_it_is_complete() {
        let text = text_of(
            r#"[{"text": "a\ud83d"}, {"text": ""}, {"text": "\ude00b"}, {"text": "\ud83d"}, {"text": "c"}]"#,
        );
        assert_eq!(text.text(), r"a😀b\ud83dc");
        let texts: Vec<_> = (0..=5).map(|chunks| text.text_after(chunks)).collect();
        assert_eq!(texts, ["", "a", "a", "a😀b", r"a😀b\ud83d", r"a😀b\ud83dc"]);
        assert_eq!((text.locate(1), text.locate(5), text.locate(6)), ((0, 1), (2, 6), (2, 7)));
        let chars: Vec<_> =
            chars_of(&read(r#"[{"text": "a\ud83d"}, {"text": ""}, {"text": "\ude00b"}]"#))
                .collect();
        assert_eq!(chars, [1, 0, 2]);
    }

    proptest! {
        #![proptest_config(document::text::cases(256))]

        #[test]
        fn the_text_is_what_all_chunks_join_to(chunks in prop::collection::vec("(\\\\ude00)?[aé]{0,2}(\\\\ud83d)?", 0..6)) {
            let chunks: Vec<String> = chunks.iter().map(|text| format!(r#"{{"delayNs": 0, "text": "{text}"}}"#)).collect();
            let tape = read(&format!("[{}]", chunks.join(",")));
            let text = TapeText::new(&tape);
            prop_assert_eq!(text.text(), tape.joined());
            prop_assert_eq!(text.text_after(chunks.len()), text.text());
            for at in (0..=text.text().len()).filter(|at| text.text().is_char_boundary(*at)) {
                let (chunk, local) = text.locate(at);
                let chunk_text = tape.chunks.get(chunk).map_or("", |chunk| &chunk.text);
                prop_assert!(chunk_text.is_char_boundary(local));
            }
        }
    }
}
