//! Differences between two texts.
//!
//! Everything here is plain data: lines, words and sentences with their places. [`text`] aligns two texts line by line
//! and marks different words. Recordings and sources are compared in the member `compare`, with these.

pub mod alike;
pub mod fold;
pub mod outline;
mod pairing;
pub mod text;
pub mod word_diff;

pub use word_diff::marks;

use crate::text::named_enum;

named_enum! {
    /// One of the two compared sides.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Side {
        /// The older, or the one named first.
        Left = "left",
        /// The newer, or the one named second.
        Right = "right",
    }

    /// Returns its name for a sentence.
    pub fn as_str;
}

impl Side {
    /// Both, left first.
    pub const BOTH: [Self; 2] = [Self::Left, Self::Right];

    /// Returns the other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}
