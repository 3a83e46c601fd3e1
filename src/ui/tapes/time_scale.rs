//! The scale of a timeline.

use egui::{Painter, Rect, Ui};

use calls::tape::timeline::TimeRange;
use calls::tape::timing::MILLISECOND;

/// Maps time to horizontal positions.
#[derive(Clone, Copy)]
pub(crate) struct TimeScale {
    pub(crate) shown: TimeRange,
    pub(crate) left: f32,
    pub(crate) width: f32,
    /// Index of the first moved chunk, and by how many nanoseconds it and all later chunks are moved.
    pub(crate) moved: Option<(usize, f64)>,
}

/// A part of the timeline, to paint on.
#[derive(Clone, Copy)]
pub(super) struct TimeCanvas<'a> {
    pub(super) ui: &'a Ui,
    pub(super) painter: &'a Painter,
    pub(super) rect: Rect,
    pub(super) scale: TimeScale,
}

impl TimeScale {
    pub(crate) fn x(self, nanos: f64) -> f32 {
        let share = (nanos - self.shown.from_nanos) / self.shown.nanos();
        // All positions far outside the visible part are treated as one.
        self.left + (share * f64::from(self.width)).clamp(-1e4, 1e5) as f32
    }

    /// Returns the position of a chunk that arrives at this time.
    pub(crate) fn x_of(self, chunk: usize, nanos: f64) -> f32 {
        let shift = self.moved.filter(|(first, _)| chunk >= *first);
        self.x(nanos + shift.map_or(0.0, |(_, n)| n))
    }

    pub(crate) fn nanos(self, x: f32) -> f64 {
        let share = f64::from((x - self.left) / self.width);
        self.shown.from_nanos + share * self.shown.nanos()
    }

    /// Rounds a time to what the pointer can resolve: whole milliseconds, or microseconds where a point is less.
    pub(crate) fn round(self, nanos: f64) -> f64 {
        let step = if self.duration_of(1.0) >= 0.2 * MILLISECOND { MILLISECOND } else { 1e3 };
        (nanos / step).round() * step
    }

    /// Returns the duration of this many points.
    pub(crate) fn duration_of(self, points: f32) -> f64 {
        f64::from(points / self.width) * self.shown.nanos()
    }
}
