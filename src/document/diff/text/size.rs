//! Describes the size of changes.

use crate::diff::Side;
use crate::text::{LineEnds, counted, listed};

/// The size of a change. Displays as `2 words`, `1 word changed and 3 lines added`, `white space`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiffSize {
    /// Changed words within changed lines, on the side that has more of them.
    pub words: usize,
    /// Changed lines in which no word differs, only punctuation or white space.
    pub wordless: usize,
    /// Completely replaced lines.
    pub replaced: usize,
    /// Lines only on the right.
    pub added: usize,
    /// Lines only on the left.
    pub removed: usize,
}

impl DiffSize {
    /// Adds two sizes.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            words: self.words + other.words,
            wordless: self.wordless + other.wordless,
            replaced: self.replaced + other.replaced,
            added: self.added + other.added,
            removed: self.removed + other.removed,
        }
    }

    /// Returns whether nothing differs.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl std::fmt::Display for DiffSize {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        let mut part = |count: usize, verb: &str| {
            if count > 0 {
                parts.push(counted(count, "line", "lines") + verb);
            }
        };
        part(self.replaced, " replaced");
        part(self.added, " added");
        part(self.removed, " removed");
        if self.words > 0 {
            // Beside added lines, `3 words` would be read as added, too.
            let suffix = if parts.is_empty() { "" } else { " changed" };
            parts.insert(0, counted(self.words, "word", "words") + suffix);
        } else if self.wordless > 0 {
            parts.insert(0, "punctuation or white space".to_owned());
        }
        f.write_str(&listed(&parts))
    }
}

/// A difference between two texts besides their lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffNote {
    /// The line endings differ.
    LineEnds {
        /// Line endings of the left text.
        left: LineEnds,
        /// Line endings of the right text.
        right: LineEnds,
    },
    /// Only this side ends with a line ending.
    FinalLineEnd(Side),
    /// Only this side begins with a byte order mark.
    ByteOrderMark(Side),
}

impl std::fmt::Display for DiffNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |ends| match ends {
            LineEnds::None => "no line ending",
            LineEnds::Lf => "LF",
            LineEnds::CrLf => "CRLF",
            LineEnds::Mixed => "mixed line endings",
        };
        match self {
            Self::LineEnds { left, right } if left == right => {
                write!(f, "Line endings differ: both sides mix several kinds.")
            }
            Self::LineEnds { left, right } => {
                write!(
                    f,
                    "Line endings differ: {} on the left, {} on the right.",
                    name(*left),
                    name(*right)
                )
            }
            Self::FinalLineEnd(side) => {
                write!(f, "Only the {} side ends with a line ending.", side.as_str())
            }
            Self::ByteOrderMark(side) => {
                write!(f, "Only the {} side begins with a byte order mark.", side.as_str())
            }
        }
    }
}
