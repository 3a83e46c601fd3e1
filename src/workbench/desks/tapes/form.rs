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
    /// Returns the form after a number field was dragged by some points, from the value that it had before.
    #[must_use]
    pub fn dragged(&self, at: usize, before: f64, points: f64) -> Self {
        // The change per point, and the least value.
        let (step, least) = match (self.kind, at) {
            (TapeEditKind::Scale, _) => {
                let factor = (before * 1.01_f64.powf(points)).clamp(0.01, 1000.0);
                return self.with_value(at, (factor * 100.0).round() / 100.0);
            }
            (TapeEditKind::Shift, _) => (5.0, f64::NEG_INFINITY),
            (TapeEditKind::SlowStart, _) => (20.0, 0.0),
            (TapeEditKind::Stall, _) => (20.0, 1.0),
            (TapeEditKind::Burst, _) => (0.1, 2.0),
            (TapeEditKind::Jitter, 1) => (0.1, 0.0),
            (TapeEditKind::Jitter, _) => (1.0, 1.0),
            (TapeEditKind::Network, 1) => (20.0, 1.0),
            (TapeEditKind::Steady, _) | (TapeEditKind::Network, _) => (1.0, 0.0),
        };
        self.with_value(at, (before + points * step).round().max(least))
    }

    fn with_value(&self, at: usize, value: f64) -> Self {
        let mut form = self.clone();
        if let Some(field) = form.values.get_mut(at) {
            // Zero has two signs, and one of them would be written.
            *field = (value + 0.0).to_string();
        }
        form
    }

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
    pub fn number(&self, at: usize) -> Result<f64, String> {
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
    fn a_number_is_dragged_within_what_its_edit_accepts() {
        let drag = |kind: TapeEditKind, at: usize, points: f64| {
            let form = TapeEditForm::new(kind);
            let before = form.number(at).unwrap();
            form.dragged(at, before, points).values[at].clone()
        };
        let values = |kind, at| [-1e4, -10.0, 0.0, 10.0].map(|points| drag(kind, at, points));
        assert_eq!(values(TapeEditKind::Scale, 0), ["0.01", "1.81", "2", "2.21"]);
        assert_eq!(values(TapeEditKind::Shift, 0), ["-49500", "450", "500", "550"]);
        assert_eq!(values(TapeEditKind::Steady, 0), ["0", "40", "50", "60"]);
        assert_eq!(values(TapeEditKind::Burst, 0), ["2", "3", "4", "5"]);
        assert_eq!(values(TapeEditKind::Jitter, 1), ["0", "0", "1", "2"]);
        for kind in TapeEditKind::ALL {
            for at in 0..kind.fields().len() {
                let form = TapeEditForm::new(*kind);
                for points in [-1e5, -1.0, 1.0, 1e5] {
                    let dragged = form.dragged(at, form.number(at).unwrap(), points);
                    assert!(dragged.edit(0..3).is_ok(), "{dragged:?}");
                }
            }
        }
    }

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
