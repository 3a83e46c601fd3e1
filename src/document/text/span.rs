//! Byte ranges and places in a text.

use std::fmt;
use std::ops::Range;

/// A range of bytes in a [`Source`](super::Source)'s text: `start..end`, both on character boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// Spans the bytes from `start` up to `end`. Files are at most 256 MiB, so 32 bits hold every place.
    pub fn new(start: usize, end: usize) -> Self {
        // A reversed range would make `len` underflow.
        Self { start: clamp(start), end: clamp(end.max(start)) }
    }

    /// Spans nothing, at `at`: a place where something is missing.
    pub fn empty(at: usize) -> Self {
        Self::new(at, at)
    }

    /// The range, for slicing a text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// True when the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns whether `at` is in the span; its end counts as inside, so that an empty span can be hit.
    pub fn touches(self, at: usize) -> bool {
        (self.start as usize..=self.end as usize).contains(&at)
    }
}

fn clamp(byte: usize) -> u32 {
    u32::try_from(byte).unwrap_or(u32::MAX)
}

/// A place as editors count it: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1; a byte order mark is not counted.
    pub column: u32,
}

impl Place {
    /// The start of a text, also used for problems of a whole file.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Removes, from items sorted by the start of their ranges, each that overlaps an earlier one.
pub fn remove_overlapping<T>(items: &mut Vec<T>, range: impl Fn(&T) -> &Range<usize>) {
    let mut end = 0;
    items.retain(|item| {
        let range = range(item);
        let is_free = range.start >= end;
        if is_free {
            end = range.end;
        }
        is_free
    });
}

/// Returns the text with other text in these ranges, which are in order and do not overlap.
pub fn with_replaced<S: AsRef<str>>(text: &str, parts: &[(Range<usize>, S)]) -> String {
    let (mut new_text, mut end) = (String::with_capacity(text.len()), 0);
    for (range, new) in parts {
        new_text.push_str(&text[end..range.start]);
        new_text.push_str(new.as_ref());
        end = range.end;
    }
    new_text + &text[end..]
}

/// Returns whether a letter or digit is directly before or after. Letters of scripts that put no spaces between words, such as
/// Chinese, do not count.
pub fn is_part_of_word(text: &str, range: &Range<usize>) -> bool {
    let joins = |n: Option<char>| {
        n.is_some_and(|n| {
            // Scripts before Thai (U+0E00) have spaces between words; of those after it, the ones with cases do.
            n.is_alphanumeric() && (n < '\u{e00}' || n.is_lowercase() || n.is_uppercase())
        })
    };
    joins(text[..range.start].chars().next_back()) || joins(text[range.end..].chars().next())
}
