//! The visible range of a tape, or of a run.

use calls::tape::timeline::TimeRange;

/// The shortest visible range: one microsecond.
const MIN_RANGE_NANOS: f64 = 1e3;
/// Position of the playhead in the new range after it left the visible one, as a fraction.
// Near the start, because the user wants to see the time that follows.
const LEAD_FRACTION: f64 = 0.1;

/// A change of the visible range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zoom {
    /// Halves it, around the playhead.
    In,
    /// Doubles it, around the playhead.
    Out,
    /// Shows the whole tape.
    Fit,
    /// Multiplies it by a factor, around a time in nanoseconds.
    By(f64, f64),
}

/// The visible range of a tape; `None` for the whole tape.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct VisibleRange(Option<TimeRange>);

impl VisibleRange {
    /// The visible range of a tape of this duration.
    pub(crate) fn stretch(self, total_nanos: f64) -> TimeRange {
        self.0.unwrap_or(TimeRange {
            from_nanos: 0.0,
            // A tape without duration is shown as one second of silence.
            to_nanos: if total_nanos > 0.0 { total_nanos } else { 1e9 },
        })
    }

    /// Shows a range, limited to the tape.
    pub(crate) fn show(&mut self, stretch: TimeRange, total_nanos: f64) {
        let whole_range = Self(None).stretch(total_nanos);
        let nanos = stretch.nanos().max(MIN_RANGE_NANOS);
        if nanos >= whole_range.to_nanos {
            self.0 = None;
            return;
        }
        let from_nanos = stretch.from_nanos.clamp(0.0, whole_range.to_nanos - nanos);
        self.0 = Some(TimeRange { from_nanos, to_nanos: from_nanos + nanos });
    }

    pub(crate) fn zoom(&mut self, zoom: Zoom, playhead_nanos: f64, total_nanos: f64) {
        let range = self.stretch(total_nanos);
        let is_seen = (range.from_nanos..=range.to_nanos).contains(&playhead_nanos);
        let middle = f64::midpoint(range.from_nanos, range.to_nanos);
        // Zooming around a playhead out of sight would move the range away from what the user looks at.
        let center_nanos = if is_seen { playhead_nanos } else { middle };
        let (times, center_nanos) = match zoom {
            Zoom::In => (0.5, center_nanos),
            Zoom::Out => (2.0, center_nanos),
            Zoom::Fit => (f64::INFINITY, center_nanos),
            Zoom::By(times, center_nanos) => (times, center_nanos),
        };
        let zoomed_edge = |edge: f64| center_nanos + (edge - center_nanos) * times;
        if times.is_finite() {
            self.show(
                TimeRange {
                    from_nanos: zoomed_edge(range.from_nanos),
                    to_nanos: zoomed_edge(range.to_nanos),
                },
                total_nanos,
            );
        } else {
            self.0 = None;
        }
    }

    /// Moves the range if the playhead has left it.
    pub(crate) fn keep_in_sight(&mut self, nanos: f64, total_nanos: f64) {
        let range = self.stretch(total_nanos);
        if (range.from_nanos..=range.to_nanos).contains(&nanos) {
            return;
        }
        let from_nanos = nanos - range.nanos() * LEAD_FRACTION;
        let to_nanos = from_nanos + range.nanos();
        self.show(TimeRange { from_nanos, to_nanos }, total_nanos);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(window: VisibleRange) -> (f64, f64) {
        let stretch = window.stretch(100e6);
        (stretch.from_nanos / 1e6, stretch.to_nanos / 1e6)
    }

    #[test]
    fn zooming_keeps_the_playhead_where_it_is_and_stays_within_the_tape() {
        let mut window = VisibleRange::default();
        window.zoom(Zoom::In, 20e6, 100e6);
        assert_eq!(shown(window), (10.0, 60.0));
        window.zoom(Zoom::By(0.5, 60e6), 20e6, 100e6);
        assert_eq!(shown(window), (35.0, 60.0));
        window.keep_in_sight(90e6, 100e6);
        assert_eq!(shown(window), (75.0, 100.0));
        window.zoom(Zoom::Out, 90e6, 100e6);
        assert_eq!(shown(window), (50.0, 100.0));
        window.zoom(Zoom::Out, 90e6, 100e6);
        window.zoom(Zoom::Out, 90e6, 100e6);
        assert_eq!(shown(window), (0.0, 100.0));
        window.zoom(Zoom::In, 20e6, 100e6);
        window.zoom(Zoom::Fit, 20e6, 100e6);
        assert_eq!(shown(window), (0.0, 100.0));
    }
}
