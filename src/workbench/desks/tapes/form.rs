//! Forms for edits that need numbers.

use std::ops::Range;

use calls::tape::edits::{DelayShape, FollowingChunks, TapeEdit};
use calls::tape::timing::MILLISECOND;

/// The edit of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TapeEditKind {
    /// Multiplies their delays.
    Scale,
    /// Moves them, and all later chunks.
    Shift,
    /// Gives them a steady rate.
    Steady,
    /// Delays the first of them.
    SlowStart,
    /// Adds a stall to one of them.
    Stall,
    /// Groups them into bursts.
    Burst,
}

/// A form with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeEditForm {
    pub kind: TapeEditKind,
    pub value: String,
}

impl TapeEditKind {
    /// All kinds, in the order of the menu.
    pub const ALL: &[Self] =
        &[Self::Scale, Self::Shift, Self::Steady, Self::SlowStart, Self::Stall, Self::Burst];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scale => "Scale",
            Self::Shift => "Shift",
            Self::Steady => "Steady rate",
            Self::SlowStart => "Slow start",
            Self::Stall => "Stall",
            Self::Burst => "Bursts",
        }
    }

    /// The label of its field, and the default value.
    pub fn field(self) -> (&'static str, &'static str) {
        match self {
            Self::Scale => ("times as long", "2"),
            Self::Shift => ("ms later (negative: earlier)", "500"),
            Self::Steady => ("ms before each chunk", "50"),
            Self::SlowStart => ("ms before the first chunk", "5000"),
            Self::Stall => ("ms longer", "7000"),
            Self::Burst => ("chunks at once", "4"),
        }
    }
}

impl TapeEditForm {
    /// Creates a form with its default value.
    pub fn new(kind: TapeEditKind) -> Self {
        Self { kind, value: kind.field().1.to_owned() }
    }

    /// The edit of these chunks, or what is invalid: a sentence without a full stop.
    ///
    /// # Errors
    ///
    /// If the field is empty or not a number.
    pub fn edit(&self, chunks: Range<usize>) -> Result<TapeEdit, String> {
        let (name, _) = self.kind.field();
        // Rust also parses `inf` and `nan`.
        let value = self.value.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let number = value.ok_or_else(|| format!("Expected a number: {name}"))?;
        let shape = |shape| TapeEdit::Shape { chunks: chunks.clone(), shape };
        let nanos = number * MILLISECOND;
        Ok(match self.kind {
            TapeEditKind::Scale => TapeEdit::Scale { factor: number, chunks },
            TapeEditKind::Shift => {
                TapeEdit::Shift { nanos, chunks, rest: FollowingChunks::Follows }
            }
            TapeEditKind::Steady => TapeEdit::Steady { delay_nanos: nanos, chunks },
            TapeEditKind::SlowStart => shape(DelayShape::SlowStart { first_nanos: nanos }),
            TapeEditKind::Stall => shape(DelayShape::Stall { nanos }),
            TapeEditKind::Burst => shape(DelayShape::Burst { chunks: number as usize }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_makes_an_edit_as_it_begins() {
        for kind in TapeEditKind::ALL {
            assert!(TapeEditForm::new(*kind).edit(2..5).is_ok(), "{kind:?}");
        }
        let form = |kind, value: &str| TapeEditForm { kind, value: value.to_owned() };
        assert_eq!(
            form(TapeEditKind::Shift, "-1.5").edit(2..5),
            Ok(TapeEdit::Shift { chunks: 2..5, nanos: -1.5e6, rest: FollowingChunks::Follows })
        );
        let result = form(TapeEditKind::Burst, " ").edit(0..1);
        assert_eq!(result, Err("Expected a number: chunks at once".to_owned()));
    }
}
