//! Rows of a side-by-side comparison.

use crate::diff::Side;
use crate::text::Span;

/// One line across both sides. Lines are numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffRow {
    /// The same on both sides, except perhaps for the line end.
    Same {
        /// Line number in the left text.
        left: u32,
        /// Line number in the right text.
        right: u32,
    },
    /// A changed line with marks.
    Changed { left: DiffLine, right: DiffLine },
    /// Two lines with little in common at the same place: nothing is marked because everything differs.
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
pub struct DiffLine {
    /// From 1.
    pub number: u32,
    /// Changed parts, as non-empty byte ranges of the line in order.
    pub marks: Box<[Span]>,
}

impl DiffRow {
    /// Returns the line number on a side, from 1; `None` if that side has no line.
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

    /// Returns the changed parts on a side, as byte ranges of its line.
    pub fn marks(&self, side: Side) -> &[Span] {
        match (self, side) {
            (Self::Changed { left, .. }, Side::Left) => &left.marks,
            (Self::Changed { right, .. }, Side::Right) => &right.marks,
            _ => &[],
        }
    }

    /// Returns whether the line is the same on both sides.
    pub fn is_same(&self) -> bool {
        matches!(self, Self::Same { .. })
    }
}
