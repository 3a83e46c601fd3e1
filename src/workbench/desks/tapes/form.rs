//! Forms for edits that need numbers.

use std::ops::Range;

use crate::ops::tape::edits::{DelayShape, FollowingChunks, Rate, TapeEdit};
use crate::ops::tape::timing::MILLISECOND;

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
    /// Varies their delays.
    Jitter,
    /// Simulates a network.
    Network,
}

/// A form with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeEditForm {
    pub kind: TapeEditKind,
    /// The values of its fields; the second may be unused.
    pub values: [String; 2],
}

impl TapeEditKind {
    /// All kinds, in the order of the menu.
    pub const ALL: &[Self] = &[
        Self::Scale,
        Self::Shift,
        Self::Steady,
        Self::SlowStart,
        Self::Stall,
        Self::Burst,
        Self::Jitter,
        Self::Network,
    ];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scale => "Scale",
            Self::Shift => "Shift",
            Self::Steady => "Steady rate",
            Self::SlowStart => "Slow start",
            Self::Stall => "Stall",
            Self::Burst => "Bursts",
            Self::Jitter => "Jitter",
            Self::Network => "Network",
        }
    }

    /// The labels of its fields, each with the default value.
    pub fn fields(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Scale => &[("times as long", "2")],
            Self::Shift => &[("ms later (negative: earlier)", "500")],
            Self::Steady => &[("ms before each chunk", "50")],
            Self::SlowStart => &[("ms before the first chunk", "5000")],
            Self::Stall => &[("ms longer", "7000")],
            Self::Burst => &[("chunks at once", "4")],
            Self::Jitter => &[("ms at most", "40"), ("seed", "1")],
            Self::Network => &[("ms latency", "120"), ("bytes per second", "2000")],
        }
    }
}

impl TapeEditForm {
    /// Creates a form with default values.
    pub fn new(kind: TapeEditKind) -> Self {
        let mut fields = kind.fields().iter().map(|(_, first)| (*first).to_owned());
        let mut next = || fields.next().unwrap_or_default();
        Self { kind, values: [next(), next()] }
    }

    /// The edit of these chunks, or what is invalid: a sentence without a full stop.
    ///
    /// # Errors
    ///
    /// If a field is empty or not a number.
    pub fn edit(&self, chunks: Range<usize>) -> Result<TapeEdit, String> {
        let shape = |shape| TapeEdit::Shape { chunks: chunks.clone(), shape };
        let millis = |at| self.number(at).map(|millis| millis * MILLISECOND);
        Ok(match self.kind {
            TapeEditKind::Scale => TapeEdit::Scale { factor: self.number(0)?, chunks },
            TapeEditKind::Shift => {
                TapeEdit::Shift { nanos: millis(0)?, chunks, rest: FollowingChunks::Follows }
            }
            TapeEditKind::Steady => TapeEdit::Steady { rate: Rate::Each(millis(0)?), chunks },
            TapeEditKind::SlowStart => shape(DelayShape::SlowStart { first_nanos: millis(0)? }),
            TapeEditKind::Stall => shape(DelayShape::Stall { nanos: millis(0)? }),
            TapeEditKind::Burst => shape(DelayShape::Burst { chunks: self.number(0)? as usize }),
            TapeEditKind::Jitter => {
                shape(DelayShape::Jitter { most_nanos: millis(0)?, seed: self.number(1)? as u64 })
            }
            TapeEditKind::Network => shape(DelayShape::Network {
                latency_nanos: millis(0)?,
                bytes_per_second: self.number(1)?,
            }),
        })
    }

    /// Returns the number in a field.
    ///
    /// # Errors
    ///
    /// If it is empty or not a number.
    fn number(&self, at: usize) -> Result<f64, String> {
        let value = self.values.get(at).map_or("", |value| value.trim());
        let number = value.parse().ok().filter(|number: &f64| number.is_finite());
        let name = self.kind.fields().get(at).map_or("", |(name, _)| name);
        number.ok_or_else(|| format!("Expected a number: {name}"))
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
        let form = |kind, value: &str| TapeEditForm {
            values: [value.to_owned(), "xx".to_owned()],
            ..TapeEditForm::new(kind)
        };
        assert_eq!(
            form(TapeEditKind::Shift, "-1.5").edit(2..5),
            Ok(TapeEdit::Shift { chunks: 2..5, nanos: -1.5e6, rest: FollowingChunks::Follows })
        );
        let wrong = form(TapeEditKind::Jitter, "1").edit(0..1);
        assert_eq!(wrong, Err("Expected a number: seed".to_owned()));
    }
}
