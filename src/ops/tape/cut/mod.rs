//! Edits of a tape's stream that leave every other byte as it is.
//!
//! [`plan`] turns a [`Cut`] into one [`TextEdit`]: within its range only the elements that change are written anew, in the
//! style of the file. What is equal afterwards keeps its spelling: a delay `8e6` that stays 8 ms stays `8e6`. All cost as much as
//! the tape is long, no more: a million chunks are as good as forty.

mod delete;
mod insert;
mod merge;
mod name;
mod patch;
mod redact;
mod scale;
mod set_delay;
mod set_text;
mod shapes;
mod shift;
mod split;
mod stage;
mod steady;
mod style;
#[cfg(test)]
mod tests;
mod trim;

use std::ops::Range;

#[expect(unused_imports, reason = "named in the documentation")]
use super::text::TapeText;
use crate::format::Document;
use crate::ops::edit::Refusal;
use crate::text::TextEdit;
use stage::Stage;

/// An edit of a tape's stream. Chunks are named by their index before the edit.
#[derive(Clone, Debug, PartialEq)]
pub enum Cut {
    /// Makes a chunk wait for another time.
    SetDelay {
        /// The chunk.
        chunk: usize,
        /// In nanoseconds, 0 or more.
        delay_nanos: f64,
    },
    /// Gives a chunk another text. Half a character at either end, shown as its escape (`\ud83d`), is kept where the new text
    /// begins or ends with it like the old one.
    SetText {
        /// The chunk.
        chunk: usize,
        /// What stands there afterwards.
        text: String,
    },
    /// Puts a new chunk into the stream.
    Insert {
        /// The chunk before which it goes; the count of chunks for the end.
        before: usize,
        /// In nanoseconds, 0 or more.
        delay_nanos: f64,
        /// Its text.
        text: String,
    },
    /// Takes chunks out; what they waited goes with them.
    Delete {
        /// Which.
        chunks: Range<usize>,
    },
    /// Parts a chunk in two. The first keeps the delay, the second comes right behind it.
    Split {
        /// The chunk.
        chunk: usize,
        /// A byte of [`Chunk::text`](crate::format::tape::Chunk::text), between two characters; not within an escape. Where the caret
        /// is in the whole text, [`TapeText::place`] says both.
        at: usize,
    },
    /// Makes one chunk of several. It comes when the last of them came.
    Merge {
        /// Which; at least two.
        chunks: Range<usize>,
    },
    /// Makes chunks wait so many times as long. Where all their delays are whole nanoseconds they stay so, and the sum is
    /// exact to one of them.
    Scale {
        /// Which.
        chunks: Range<usize>,
        /// Above 0.
        factor: f64,
    },
    /// Lets chunks come earlier or later, the waits between them as they were.
    Shift {
        /// Which.
        chunks: Range<usize>,
        /// In nanoseconds; below 0 for earlier.
        nanos: f64,
        /// What becomes of the chunks behind.
        rest: Rest,
    },
    /// Gives chunks a steady rate.
    Steady {
        /// Which.
        chunks: Range<usize>,
        /// How fast.
        rate: Rate,
    },
    /// Gives chunks a timing to try a client with.
    Shape {
        /// Which.
        chunks: Range<usize>,
        /// What timing.
        shape: Shape,
    },
    /// Keeps only these chunks, as [`Delete`](Self::Delete) of all others.
    Trim {
        /// Which stay.
        keep: Range<usize>,
    },
    /// Takes words out of the text, wherever chunks cut them; no chunk goes, no delay changes.
    Redact {
        /// Which words.
        words: Words,
        /// What stands there afterwards.
        fill: Fill,
    },
}

/// What becomes of the chunks behind those that are shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// They move as well.
    Follows,
    /// They come when they came.
    Stays,
}

/// How fast chunks come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// So many nanoseconds before each.
    Each(f64),
    /// So many characters a second: each chunk waits as its own length takes.
    CharsPerSecond(f64),
}

/// A timing to try a client with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// The first of the chunks waits so many nanoseconds; the others as they did.
    SlowStart {
        /// 0 or more.
        first_nanos: f64,
    },
    /// The first of the chunks waits so many nanoseconds longer; the others as they did.
    Stall {
        /// Above 0.
        nanos: f64,
    },
    /// Chunks come so many at once: the first waits as long as all of them did.
    Burst {
        /// At least 2.
        chunks: usize,
    },
    /// Each delay is up to so many nanoseconds longer or shorter, never below 0.
    Jitter {
        /// Above 0.
        most_nanos: f64,
        /// The same seed gives the same delays.
        seed: u64,
    },
    /// As over a network: everything comes later by the latency, and no faster than the rate.
    Network {
        /// 0 or more.
        latency_nanos: f64,
        /// Of UTF-8; above 0.
        bytes_per_second: f64,
    },
}

/// Words to take out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Words {
    /// Wherever the whole text has this, with exactly these letters.
    Phrase(String),
    /// These parts of the whole text ([`TapeText::text`]), in bytes: in order, none over another.
    Parts(Vec<Range<usize>>),
}

/// What stands where words were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fill {
    /// This character for each that was there, so that every chunk is as long as it was.
    Each(char),
    /// This text, spread over the chunks that had the words.
    Text(String),
}

/// An edit of a tape, ready to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The bytes to replace.
    pub edit: TextEdit,
    /// What the user should know, as sentences without the last full stop.
    pub remark: Option<String>,
}

/// Finds the bytes to replace. `None` where the tape is as it shall be.
///
/// # Errors
///
/// When the document is no tape in JSON that could be read as a whole, or when there is no such chunk, number or place.
pub fn plan(document: &Document, cut: &Cut) -> Result<Option<Planned>, Refusal> {
    let mut stage = Stage::new(document)?;
    match cut {
        Cut::SetDelay { chunk, delay_nanos } => set_delay::cut(&mut stage, *chunk, *delay_nanos)?,
        Cut::SetText { chunk, text } => set_text::cut(&mut stage, *chunk, text)?,
        Cut::Insert {
            before,
            delay_nanos,
            text,
        } => insert::cut(&mut stage, *before, *delay_nanos, text)?,
        Cut::Delete { chunks } => delete::cut(&mut stage, chunks.clone())?,
        Cut::Split { chunk, at } => split::cut(&mut stage, *chunk, *at)?,
        Cut::Merge { chunks } => merge::cut(&mut stage, chunks.clone())?,
        Cut::Scale { chunks, factor } => scale::cut(&mut stage, chunks.clone(), *factor)?,
        Cut::Shift {
            chunks,
            nanos,
            rest,
        } => shift::cut(&mut stage, chunks.clone(), *nanos, *rest)?,
        Cut::Steady { chunks, rate } => steady::cut(&mut stage, chunks.clone(), *rate)?,
        Cut::Shape { chunks, shape } => shapes::cut(&mut stage, chunks.clone(), *shape)?,
        Cut::Trim { keep } => trim::cut(&mut stage, keep.clone())?,
        Cut::Redact { words, fill } => redact::cut(&mut stage, words, fill)?,
    }
    Ok(stage.finish())
}
