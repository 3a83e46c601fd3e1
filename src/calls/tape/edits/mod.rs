//! Edits of a tape's stream that keep every other byte unchanged.
//!
//! [`plan`] turns a [`TapeEdit`] into one [`TextEdit`](document::text::TextEdit): within its range only the elements that change are rewritten, in the
//! style of the file. Equal values keep their spelling: a delay `8e6` that stays 8 ms stays `8e6`. All edits take
//! linear time.

mod editor;
mod merge;
mod name;
mod patch;
mod redact;
mod scale;
mod set_text;
mod shapes;
mod shift;
mod split;
mod style;
#[cfg(test)]
mod tests;

use std::ops::Range;

#[expect(unused_imports, reason = "named in the documentation")]
use super::text::TapeText;
use document::Document;
use document::edit::{EditRefusal, TextPlan};
use editor::TapeEditor;

/// An edit of a tape's stream. Chunks are named by their index before the edit.
#[derive(Clone, Debug, PartialEq)]
pub enum TapeEdit {
    /// Sets the delay of a chunk.
    SetDelay {
        chunk: usize,
        /// In nanoseconds, 0 or more.
        delay_nanos: f64,
    },
    /// Sets the text of a chunk. Half a character at either end, shown as its escape (`\ud83d`), is kept if the new
    /// text begins or ends with it like the old one.
    SetText {
        chunk: usize,
        /// The replacement.
        text: String,
    },
    /// Inserts a chunk.
    Insert {
        /// Index of the chunk before which to insert; the number of chunks for the end.
        before: usize,
        /// In nanoseconds, 0 or more.
        delay_nanos: f64,
        text: String,
    },
    /// Deletes chunks together with their delays.
    Delete { chunks: Range<usize> },
    /// Splits a chunk in two. The first keeps the delay, the second has none.
    Split {
        chunk: usize,
        /// A byte of [`Chunk::text`](document::tape::Chunk::text), between two characters and not inside an
        /// escape.
        at: usize,
    },
    /// Merges chunks into one that arrives when the last of them did.
    Merge {
        /// The chunks, at least two.
        chunks: Range<usize>,
    },
    /// Multiplies the delays of chunks. If all delays are whole nanoseconds they stay so, and the sum is exact to one
    /// nanosecond.
    Scale {
        chunks: Range<usize>,
        /// Above 0.
        factor: f64,
    },
    /// Moves chunks to an earlier or later time and keeps the delays between them.
    Shift {
        chunks: Range<usize>,
        /// In nanoseconds; negative for earlier.
        nanos: f64,
        /// Treatment of the chunks after them.
        rest: FollowingChunks,
    },
    /// Gives chunks the same delay.
    Steady {
        chunks: Range<usize>,
        /// In nanoseconds, 0 or more.
        delay_nanos: f64,
    },
    /// Gives chunks a timing for testing a client.
    Shape {
        chunks: Range<usize>,
        /// The timing.
        shape: DelayShape,
    },
    /// Keeps only these chunks, like [`Delete`](Self::Delete) of all others.
    Trim {
        /// The chunks to keep.
        keep: Range<usize>,
    },
    /// Redacts text, also across chunk borders; keeps all chunks and delays.
    Redact {
        /// Byte ranges of the whole text ([`TapeText::text`]), in order and not overlapping, each with its replacement, which is
        /// distributed over the chunks that contained the text.
        parts: Vec<(Range<usize>, String)>,
    },
}

/// Treatment of the chunks after the shifted ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowingChunks {
    /// They move as well.
    Follows,
    /// They keep their arrival times.
    Stays,
}

/// A timing for testing a client.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DelayShape {
    /// Sets the delay of the first chunk only.
    SlowStart {
        /// 0 or more.
        first_nanos: f64,
    },
    /// Adds to the delay of the first chunk only.
    Stall {
        /// Above 0.
        nanos: f64,
    },
    /// Chunks arrive in groups: the first of each group has the delay of all.
    Burst {
        /// At least 2.
        chunks: usize,
    },
}

/// Plans an edit. Returns `None` if nothing changes.
///
/// # Errors
///
/// Returns a refusal if the document is not a valid tape in JSON, or a chunk, number or position does not exist.
pub fn plan(document: &Document, edit: &TapeEdit) -> Result<Option<TextPlan>, EditRefusal> {
    let mut editor = TapeEditor::new(document)?;
    match edit {
        TapeEdit::SetDelay { chunk, delay_nanos } => {
            editor.check_delay(*delay_nanos)?;
            editor.chunk(*chunk)?;
            editor.set_delay(*chunk, *delay_nanos);
        }
        TapeEdit::SetText { chunk, text } => set_text::apply(&mut editor, *chunk, text)?,
        TapeEdit::Insert { before, delay_nanos, text } => {
            editor.check_delay(*delay_nanos)?;
            // A chunk can also be inserted behind the last one, so only the chunk before that place must exist.
            if let Some(last) = before.checked_sub(1) {
                editor.chunk(last)?;
            }
            let text = format!("\"{}\"", editor.content(text));
            editor.insert(*before, *delay_nanos, &text)?;
        }
        TapeEdit::Delete { chunks } => {
            editor.check_range(chunks)?;
            editor.remove(|chunk| chunks.contains(&chunk));
        }
        TapeEdit::Split { chunk, at } => split::apply(&mut editor, *chunk, *at)?,
        TapeEdit::Merge { chunks } => merge::apply(&mut editor, chunks.clone())?,
        TapeEdit::Scale { chunks, factor } => scale::apply(&mut editor, chunks.clone(), *factor)?,
        TapeEdit::Shift { chunks, nanos, rest } => {
            shift::apply(&mut editor, chunks.clone(), *nanos, *rest)?;
        }
        TapeEdit::Steady { chunks, delay_nanos } => {
            editor.check_range(chunks)?;
            editor.check_delay(*delay_nanos)?;
            chunks.clone().for_each(|index| editor.set_delay(index, *delay_nanos));
        }
        TapeEdit::Shape { chunks, shape } => shapes::apply(&mut editor, chunks.clone(), *shape)?,
        TapeEdit::Trim { keep } => {
            editor.check_range(keep)?;
            editor.remove(|chunk| !keep.contains(&chunk));
        }
        TapeEdit::Redact { parts } => redact::apply(&mut editor, parts)?,
    }
    if edit.changes_texts() {
        editor.drop_received()?;
    }
    Ok(editor.finish())
}

impl TapeEdit {
    /// Returns whether chunks are others after the edit, so that the answer as received is theirs no more. What is redacted is
    /// replaced in it as well.
    fn changes_texts(&self) -> bool {
        !matches!(
            self,
            Self::SetDelay { .. }
                | Self::Scale { .. }
                | Self::Shift { .. }
                | Self::Steady { .. }
                | Self::Shape { .. }
                | Self::Redact { .. }
        )
    }
}
