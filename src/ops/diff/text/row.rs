//! One line beside another.

use crate::ops::diff::Side;
use crate::text::Span;

/// One line across both sides. Lines are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// The same on both sides, but perhaps for the line's end.
    Same {
        /// The line's number in the left text.
        left: u32,
        /// The line's number in the right text.
        right: u32,
    },
    /// One line that was changed; the marks say where.
    Changed {
        /// As it is on the left.
        left: Line,
        /// As it is on the right.
        right: Line,
    },
    /// Two lines with little in common, in one place: nothing is marked because all of it differs.
    Replaced {
        /// The number of the left line.
        left: u32,
        /// The number of the right line.
        right: u32,
    },
    /// A line of the left text only.
    Left(u32),
    /// A line of the right text only.
    Right(u32),
}

/// A changed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From 1.
    pub number: u32,
    /// The words that differ, as bytes within the line, in order, none empty.
    pub marks: Box<[Span]>,
}

impl Row {
    /// The number of the line on a side, from 1; `None` where that side has nothing.
    pub fn number(&self, side: Side) -> Option<u32> {
        match (self, side) {
            (
                Self::Same { left, .. } | Self::Replaced { left, .. } | Self::Left(left),
                Side::Left,
            ) => Some(*left),
            (
                Self::Same { right, .. } | Self::Replaced { right, .. } | Self::Right(right),
                Side::Right,
            ) => Some(*right),
            (Self::Changed { left, .. }, Side::Left) => Some(left.number),
            (Self::Changed { right, .. }, Side::Right) => Some(right.number),
            (Self::Left(_), Side::Right) | (Self::Right(_), Side::Left) => None,
        }
    }

    /// The words that differ on a side, as bytes within its line.
    pub fn marks(&self, side: Side) -> &[Span] {
        match (self, side) {
            (Self::Changed { left, .. }, Side::Left) => &left.marks,
            (Self::Changed { right, .. }, Side::Right) => &right.marks,
            _ => &[],
        }
    }

    /// True for a line that is the same on both sides.
    pub fn is_same(&self) -> bool {
        matches!(self, Self::Same { .. })
    }
}
