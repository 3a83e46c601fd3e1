//! Targets of drags on the timeline: a chunk's mark, or the bar of the selected range.

use std::ops::Range;

use egui::{Pos2, Rect, pos2, vec2};

use super::marks_ui::has_room;
use super::tapes_data::{TapeProps, format_millis};
use super::time_scale::{TimeCanvas, TimeScale};
use calls::tape::timeline::TimeRange;
use calls::tape::timing::format_duration;
use widgets::theme::{self, tokens};

/// Distance beside a mark at which it can still be grabbed.
const GRAB_MARGIN: f32 = 4.0;
/// Height of the bar of the range, from the top of the marks.
const RANGE_BAR_HEIGHT: f32 = 8.0;

/// Chunks that a drag would move.
pub(super) struct DragTarget {
    /// The chunks that would move; all later chunks move with them.
    pub(super) chunks: Range<usize>,
}

/// Returns the target of a drag that begins at this position.
pub(super) fn drag_target(
    marks: Rect,
    scale: TimeScale,
    props: TapeProps<'_>,
    position: Pos2,
) -> Option<DragTarget> {
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
        let chunks = props.desk.chosen();
        return Some(DragTarget { chunks });
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
    (position.y >= top - 4.0).then_some(DragTarget { chunks: chunk..chunk + 1 })
}

/// Draws the new delay next to the chunk that is dragged.
pub(super) fn drag_label_ui(canvas: TimeCanvas<'_>, props: TapeProps<'_>) {
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
