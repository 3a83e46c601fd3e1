//! Playback of a tape: when each chunk is due, and its content as UTF-8.

use std::borrow::Cow;

use super::text::TapeText;
use super::timing::TapePace;
use document::tape::Tape;
use document::{Document, json};

/// Speed at which a tape is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// This many times as fast as recorded; above 0.
    Times(f64),
    /// Everything at once.
    Instant,
}

/// Settings of a playback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TapePlayback {
    /// Factor, or everything at once.
    pub speed: Speed,
    /// Delays as recorded, or in whole milliseconds.
    pub pace: TapePace,
    /// Delays longer than this, in nanoseconds before the speed is applied, are skipped.
    pub skip_over_nanos: Option<f64>,
}

impl Default for TapePlayback {
    fn default() -> Self {
        Self { speed: Speed::Times(1.0), pace: TapePace::Recorded, skip_over_nanos: None }
    }
}

/// Longer delays can be skipped while playing: a minute, in nanoseconds.
pub const LONG_NANOS: f64 = 60e9;

impl TapePlayback {
    /// Returns when each chunk is due, in nanoseconds since the start, limited to 584 years.
    pub fn due_nanos(&self, tape: &Tape) -> Vec<u64> {
        let times = tape.chunks.iter().scan(0.0, |at, chunk| {
            *at += self.wait_nanos(chunk.delay_nanos);
            // The conversion ends at the largest number there is.
            Some(f64::round(*at) as u64)
        });
        times.collect()
    }

    /// Returns the time to wait for a delay, both in nanoseconds.
    pub fn wait_nanos(&self, delay_nanos: f64) -> f64 {
        match self.speed {
            _ if self.is_skipped(delay_nanos) => 0.0,
            Speed::Instant => 0.0,
            Speed::Times(times) => self.pace.wait_nanos(delay_nanos) / times,
        }
    }

    /// Returns whether a delay is skipped because it is long.
    pub fn is_skipped(&self, delay_nanos: f64) -> bool {
        self.skip_over_nanos.is_some_and(|limit| delay_nanos > limit)
    }
}

/// The content of chunks as UTF-8. A character that was split is complete in the chunk that ends it; a lone half of a
/// character is U+FFFD, as every encoder writes it.
#[derive(Debug)]
pub struct Utf8Chunks<'a> {
    document: &'a Document,
    tape: &'a Tape,
    text: TapeText,
}

impl<'a> Utf8Chunks<'a> {
    /// Creates it for a tape that is the body of this document.
    pub fn new(document: &'a Document, tape: &'a Tape) -> Self {
        Self { document, tape, text: TapeText::new(tape) }
    }

    /// Returns the content of a chunk.
    pub fn chunk(&self, index: usize) -> Cow<'_, str> {
        let text = self.text.text().get(self.text.range(index)).unwrap_or_default();
        if !text.contains("\\u") {
            return Cow::Borrowed(text);
        }
        // The text of the chunk may contain half a character, or the literal text of an escape.
        let mut units = self.units(index);
        if self.text.split_char_from(index).is_some() {
            units.pop();
        }
        if let Some(joint) = self.text.split_char_to(index) {
            // The first half is the last unit of the chunk in which the character starts.
            units.splice(0..0, self.units(joint.from).last().copied());
        }
        Cow::Owned(String::from_utf16_lossy(&units))
    }

    /// Returns a chunk's own text as UTF-16.
    pub fn units(&self, index: usize) -> Vec<u16> {
        let chunk = self.tape.chunks.get(index);
        let text = chunk.and_then(|chunk| self.document.node(chunk.node).get("text"));
        text.map(json::utf16).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{document, tape, tape_of, text};
    use super::*;

    #[test]
    fn speed_and_pace_say_when_a_chunk_is_due() {
        let tape = tape(&[(1.5e6, "a"), (2.5e6, "b"), (90e9, "c"), (1e300, "d")]);
        let due = |playback: TapePlayback| playback.due_nanos(&tape);
        let plain = TapePlayback::default();
        assert_eq!(due(plain), [1_500_000, 4_000_000, 90_004_000_000, u64::MAX]);
        assert_eq!(due(TapePlayback { speed: Speed::Times(4.0), ..plain })[1], 1_000_000);
        assert_eq!(due(TapePlayback { pace: TapePace::WholeMillis, ..plain })[1], 3_000_000);
        assert_eq!(due(TapePlayback { speed: Speed::Instant, ..plain }), [0; 4]);
        let skipping = TapePlayback { skip_over_nanos: Some(LONG_NANOS), ..plain };
        assert_eq!(due(skipping), [1_500_000, 4_000_000, 4_000_000, 4_000_000]);
    }

    #[test]
    fn a_cut_character_comes_whole_and_a_lone_half_as_its_replacement() {
        let document = document(&text(
            r#"[{"text": "a\ud83d"}, {"text": ""}, {"text": "\ude00b\\ud83d"}, {"text": "\ud83dc"}, {"text": "\ud83d"}]"#,
        ));
        let tape = tape_of(&document);
        let utf8 = Utf8Chunks::new(&document, &tape);
        let chunks: Vec<_> = (0..5).map(|chunk| utf8.chunk(chunk)).collect();
        assert_eq!(chunks, ["a", "", "😀b\\ud83d", "\u{fffd}c", "\u{fffd}"]);
    }
}
