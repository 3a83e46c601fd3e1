//! The scale of a timeline, and the targets of drags on it: a chunk's mark, or the bar of the selected range.

use std::ops::Range;

use egui::{Painter, Pos2, Rect, Ui, pos2, vec2};

use super::marks_ui::has_room;
use super::tapes_data::{Props, format_millis};
use calls::tape::timeline::TimeRange;
use calls::tape::timing::{MILLISECOND, format_duration};
use widgets::theme::{self, tokens};

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

/// Distance beside a mark at which it can still be grabbed.
const GRAB_MARGIN: f32 = 4.0;
/// Height of the bar of the range, from the top of the marks.
const RANGE_BAR_HEIGHT: f32 = 8.0;

/// Returns the chunks that a drag from this position would move; all later chunks move with them.
pub(super) fn drag_target(
    marks: Rect,
    scale: TimeScale,
    props: Props<'_>,
    position: Pos2,
) -> Option<Range<usize>> {
    if !marks.contains(position) {
        return None;
    }
    let transport = &props.desk.transport;
    let range = transport.range.filter(|range| {
        let bar = scale.x(range.from_nanos)..=scale.x(range.to_nanos);
        position.y <= marks.top() + RANGE_BAR_HEIGHT && bar.contains(&position.x)
    });
    // Before single chunks, whose marks are below the bar.
    if range.is_some() {
        return Some(props.desk.chosen());
    }
    let timeline = props.tape.timeline(transport.pace);
    // A mark of several chunks could not show which one is meant.
    if !has_room(scale, timeline) {
        return None;
    }
    let candidates = timeline.chunks(TimeRange {
        from_nanos: scale.nanos(position.x - GRAB_MARGIN),
        to_nanos: scale.nanos(position.x + GRAB_MARGIN),
    });
    let x = |chunk: usize| scale.x(timeline.schedule().arrival_nanos(chunk));
    let distance = |chunk: &usize| (x(*chunk) - position.x).abs();
    let chunk = candidates.min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    let char_height = (marks.height() - 24.0).max(8.0) / timeline.tallest().max(1) as f32;
    // The mark of a short chunk is too low to be hit, so it can be grabbed above, too.
    let top = marks.bottom() - (timeline.chars(chunk) as f32 * char_height).max(12.0);
    (position.y >= top - 4.0).then_some(chunk..chunk + 1)
}

/// Draws the new delay next to the chunk that is dragged.
pub(super) fn drag_label_ui(canvas: TimeCanvas<'_>, props: Props<'_>) {
    let TimeCanvas { ui, painter, rect: marks, scale } = canvas;
    let Some(drag) = props.desk.drag() else { return };
    let first = drag.chunks.start;
    let Some(chunk) = props.tape.chunks().get(first) else { return };
    let sign = if drag.nanos < 0.0 { "−" } else { "+" };
    let change = format_duration(drag.nanos.abs());
    let (old_nanos, new_nanos) = (chunk.delay_nanos, chunk.delay_nanos + drag.nanos);
    let words = format!(
        "{} ms → {} ms ({sign}{change})",
        format_millis(old_nanos),
        format_millis(new_nanos)
    );
    let tokens = tokens(ui);
    let font = theme::mono(theme::LABEL);
    let line = widgets::line(ui, &words, font, tokens.text_strong, f32::INFINITY);
    let timeline = props.tape.timeline(props.desk.transport.pace);
    let x = scale.x_of(first, timeline.schedule().arrival_nanos(first));
    let size = line.size() + vec2(16.0, 8.0);
    // The label stays inside, also when the chunk is dragged out of sight.
    let left = (x + 8.0).clamp(marks.left(), (marks.right() - size.x).max(marks.left()));
    let label = Rect::from_min_size(pos2(left, marks.top() + 28.0), size);
    painter.rect_filled(label, theme::RADIUS_TAG, tokens.raised);
    widgets::paint_line(painter, pos2(label.left() + 8.0, label.center().y), line);
}
