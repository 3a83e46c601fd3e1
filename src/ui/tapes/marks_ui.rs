//! Paints the content of the timeline: chunks as marks, waits as bars, the rate as a curve.

use egui::{
    Color32, CornerRadius, Mesh, Pos2, Rect, Role, Sense, Shape, Stroke, StrokeKind, Vec2, pos2,
    vec2,
};

use super::tapes_data::{describe_wait, wait_left_nanos};
use super::time_scale::{TimeCanvas, TimeScale};
use calls::tape::timeline::{TimeRange, Timeline, TimelineColumn};
use calls::tape::timing::SECOND;
use document::text::thousands;
use widgets::theme::{self, Tokens, tokens};
use workbench::Transport;

/// Width of a chunk's mark if there is room, and the room that it needs.
const MARK_WIDTH: f32 = 5.0;
const MARK_STEP: f32 = 7.0;
/// Width of the columns in which chunks are combined, and width of their marks.
const COLUMN_WIDTH: f32 = 3.0;
const COLUMN_MARK_WIDTH: f32 = 2.0;
/// Minimum distance between the highest mark and the axis.
const MIN_TOP_GAP: f32 = 24.0;
/// Width of the columns of the rate.
const RATE_COLUMN_WIDTH: f32 = 4.0;
/// Minimum time over which the rate is measured.
const MIN_RATE_NANOS: f64 = 0.4 * SECOND;

/// A wait that is marked: whether it is the one before the first chunk, and when it is.
type Wait = (bool, TimeRange);

/// Returns the wait before the first chunk, and every visible silence of at least some nanoseconds.
fn waits(scale: TimeScale, timeline: &Timeline, silence_nanos: f64) -> Vec<Wait> {
    if timeline.schedule().is_empty() {
        return Vec::new();
    }
    let first = TimeRange { from_nanos: 0.0, to_nanos: timeline.schedule().arrival_nanos(0) };
    // A silence shorter than a point would only be a line among the marks.
    let silences = timeline
        .silences(scale.shown, silence_nanos.max(scale.duration_of(1.0)))
        .into_iter()
        // The wait before the first chunk is always shown, and first in the list.
        .filter(|silence| silence.before > 0)
        .map(|silence| (false, silence.time_range));
    std::iter::once((true, first)).chain(silences).collect()
}

/// Returns the area of a wait.
fn band(rect: Rect, scale: TimeScale, wait: TimeRange) -> Rect {
    let (left, right) = (scale.x(wait.from_nanos), scale.x(wait.to_nanos));
    Rect::from_x_y_ranges(left..=right, rect.top()..=rect.bottom() - 1.0)
}

/// Returns the color of a wait's label, and that of its area.
fn wait_colors(tokens: &Tokens, is_first: bool) -> (Color32, Color32) {
    let (color, tint) = if is_first {
        (tokens.note, tokens.note_tint)
    } else {
        (tokens.warning, tokens.warning_tint)
    };
    (color, tint.gamma_multiply(0.7))
}

/// Draws the areas of the waits. Their labels are drawn later, over all marks.
pub(super) fn waits_ui(canvas: TimeCanvas<'_>, timeline: &Timeline, silence_nanos: f64) {
    let TimeCanvas { ui, painter, rect, scale } = canvas;
    for (is_first, wait) in waits(scale, timeline, silence_nanos) {
        let (_, tint) = wait_colors(tokens(ui), is_first);
        painter.rect_filled(band(rect, scale, wait), 0.0, tint);
    }
}

/// Draws the labels of the waits. The one in which the playhead is counts down; without a playhead, none.
pub(super) fn wait_labels_ui(
    canvas: TimeCanvas<'_>,
    timeline: &Timeline,
    (silence_nanos, playhead_nanos): (f64, Option<f64>),
) {
    // No wait includes its beginning, so none counts down.
    let playhead_nanos = playhead_nanos.unwrap_or_default();
    for wait in waits(canvas.scale, timeline, silence_nanos) {
        wait_label_ui(canvas, wait, playhead_nanos);
    }
}

fn wait_label_ui(canvas: TimeCanvas<'_>, (is_first, stretch): Wait, playhead_nanos: f64) {
    let TimeCanvas { ui, painter, rect, scale } = canvas;
    let tokens = tokens(ui);
    let (color, tint) = wait_colors(tokens, is_first);
    let words = describe_wait(is_first, stretch, playhead_nanos);
    let visible_rect = band(rect, scale, stretch).intersect(rect);
    // Screen readers announce one wait, not every silence of the tape.
    if wait_left_nanos(stretch, playhead_nanos).is_some() {
        let response = ui.interact(visible_rect, ui.scope_id().with("wait"), Sense::hover());
        widgets::describe(&response, Role::Label, &words);
    }
    let line = widgets::line(ui, &words, theme::regular(theme::SMALL), color, f32::INFINITY);
    // The area alone shows that there is a wait; cut words would say nothing.
    if visible_rect.width() < line.size().x + 12.0 {
        return;
    }
    let origin = pos2(visible_rect.center().x - line.size().x / 2.0, visible_rect.bottom() - 26.0);
    // The bars of a tape before an edit end above the words.
    let ground = Rect::from_x_y_ranges(
        origin.x - 4.0..=origin.x + line.size().x + 4.0,
        origin.y - 8.0..=visible_rect.bottom(),
    );
    painter.rect_filled(ground, 0.0, tokens.desk);
    painter.rect_filled(ground, 0.0, tint);
    widgets::paint_line(painter, origin, line);
    let (left, right, y) =
        (visible_rect.left() + 6.0, visible_rect.right() - 6.0, visible_rect.bottom() - 14.5);
    let stroke = Stroke::new(1.0, color);
    painter.hline(left..=right, y, stroke);
    for (tip, back) in [(left, 4.0), (right, -4.0)] {
        for dy in [-4.0, 4.0] {
            painter.line_segment([pos2(tip, y), pos2(tip + back, y + dy)], stroke);
        }
    }
}

/// Returns whether there is room for a separate mark for each visible chunk.
pub(super) fn has_room(scale: TimeScale, timeline: &Timeline) -> bool {
    // An average: chunks that arrive together overlap at every scale.
    timeline.chunks(scale.shown).len() as f32 * MARK_STEP <= scale.width
}

/// Draws a mark for each chunk at its arrival. Without room for each, chunks that arrive within a few points share a
/// mark.
pub(super) fn marks_ui(canvas: TimeCanvas<'_>, timeline: &Timeline, transport: &Transport) {
    let TimeCanvas { rect, scale, .. } = canvas;
    let (columns, width) = columns(scale, timeline);
    let char_height = (rect.height() - MIN_TOP_GAP).max(8.0) / timeline.tallest().max(1) as f32;
    for (x, column) in columns.iter().filter(|(_, column)| !column.chunks.is_empty()) {
        let height = (column.tallest as f32 * char_height).max(2.0);
        mark_ui(canvas, pos2(*x, rect.bottom() - 1.0), vec2(width, height), column, transport);
    }
}

/// Returns the visible marks with their positions, and the width of a mark.
fn columns(scale: TimeScale, timeline: &Timeline) -> (Vec<(f32, TimelineColumn)>, f32) {
    let range = TimeRange {
        from_nanos: scale.shown.from_nanos,
        // A chunk that arrives exactly at the end is visible, too.
        to_nanos: scale.shown.to_nanos.next_up(),
    };
    let chunks = timeline.chunks(range);
    if has_room(scale, timeline) {
        let chunk_column = |chunk: usize| timeline.column(chunk..chunk + 1);
        let x = |chunk: usize| scale.x_of(chunk, timeline.schedule().arrival_nanos(chunk));
        return (chunks.map(|chunk| (x(chunk), chunk_column(chunk))).collect(), MARK_WIDTH);
    }
    let count = (scale.width / COLUMN_WIDTH).floor().max(1.0);
    let columns = timeline.columns(scale.shown, count as usize).into_iter();
    let x = |index: usize| scale.left + (index as f32 + 0.5) * scale.width / count;
    (columns.enumerate().map(|(index, column)| (x(index), column)).collect(), COLUMN_MARK_WIDTH)
}

fn mark_ui(
    canvas: TimeCanvas<'_>,
    foot: Pos2,
    size: Vec2,
    column: &TimelineColumn,
    transport: &Transport,
) {
    let TimeCanvas { ui, painter, .. } = canvas;
    let tokens = tokens(ui);
    // A ring: a bar without height would hide that there is a chunk.
    if column.empty == column.chunks.len() {
        painter.circle(pos2(foot.x, foot.y - 5.0), 3.5, tokens.desk, (1.5, tokens.warning));
        return;
    }
    let is_played = column.chunks.end <= transport.arrived;
    let color = if is_played { tokens.accent } else { tokens.strong };
    let bar = Rect::from_min_size(pos2((foot.x - size.x / 2.0).round(), foot.y - size.y), size);
    painter.rect_filled(bar, CornerRadius { nw: 2, ne: 2, sw: 0, se: 0 }, color);
    let is_here = transport.chunk().is_some_and(|chunk| column.chunks.contains(&chunk));
    if is_here && size.x >= MARK_WIDTH {
        let stroke = Stroke::new(1.5, tokens.text_strong);
        painter.rect_stroke(bar.expand2(vec2(3.0, 2.0)), 2, stroke, StrokeKind::Middle);
    }
}

/// Draws the marks of a tape as they are, muted, below those that an edit would make of them.
pub(super) fn old_marks_ui(canvas: TimeCanvas<'_>, timeline: &Timeline) {
    let TimeCanvas { ui, painter, rect, scale } = canvas;
    // The old marks stay where they are while the new ones follow the pointer.
    let (columns, width) = columns(TimeScale { moved: None, ..scale }, timeline);
    let char_height = (rect.height() - MIN_TOP_GAP).max(8.0) / timeline.tallest().max(1) as f32;
    let color = tokens(ui).line;
    for (x, column) in columns.iter().filter(|(_, column)| column.chars > 0) {
        let size = vec2(width, (column.tallest as f32 * char_height).max(2.0));
        let corner = pos2((x - width / 2.0).round(), rect.bottom() - 1.0 - size.y);
        painter.rect_filled(Rect::from_min_size(corner, size), 1.0, color);
    }
}

/// Draws the rate in characters per second: of a tape, or of an edit, over that of the tape, muted.
pub(super) fn rate_ui(canvas: TimeCanvas<'_>, timeline: &Timeline, edited: Option<&Timeline>) {
    let TimeCanvas { ui, painter, rect, scale } = canvas;
    let tokens = tokens(ui);
    let columns = (scale.width / RATE_COLUMN_WIDTH).floor().max(2.0) as usize;
    // Zoomed in, a shorter time is measured, or the curve would be a flat line.
    let window = MIN_RATE_NANOS.min(scale.shown.nanos() / 8.0);
    let rates = |timeline: &Timeline| timeline.rates(scale.shown, columns, window);
    let peak_of = |rates: &[f32]| rates.iter().copied().fold(0.0, f32::max);
    let old_rates = edited.map(|_| rates(timeline));
    let rates = rates(edited.unwrap_or(timeline));
    let peak = peak_of(&rates);
    // Both curves have the same scale.
    let top_rate = old_rates.as_deref().map_or(peak, |old_rates| peak_of(old_rates).max(peak));
    let font = theme::regular(theme::SMALL);
    let middle = rect.top() + 12.0;
    let line = widgets::line(ui, "characters per second", font, tokens.muted, 200.0);
    let words = format!("peak {}", thousands(peak.round() as usize));
    let right = widgets::line(ui, &words, theme::mono(theme::SMALL), tokens.muted, 200.0);
    let room = (rect.height() - 24.0).max(8.0);
    let base = rect.bottom() - 1.0;
    let step = scale.width / columns as f32;
    let curve = |rates: &[f32]| -> Vec<Pos2> {
        let point = |(index, rate): (usize, &f32)| {
            let x = scale.left + (index as f32 + 0.5) * step;
            pos2(x, base - rate / top_rate.max(1.0) * room)
        };
        rates.iter().enumerate().map(point).collect()
    };
    let points = curve(&rates);
    let mut area = Mesh::default();
    for (index, point) in points.iter().enumerate() {
        area.colored_vertex(*point, tokens.tint);
        area.colored_vertex(pos2(point.x, base), tokens.tint);
        if let Some(previous) = (index as u32 * 2).checked_sub(2) {
            area.add_triangle(previous, previous + 1, previous + 2);
            area.add_triangle(previous + 1, previous + 2, previous + 3);
        }
    }
    painter.add(Shape::mesh(area));
    if let Some(old_rates) = old_rates {
        painter.add(Shape::line(curve(&old_rates), Stroke::new(1.0, tokens.strong)));
    }
    painter.add(Shape::line(points, Stroke::new(1.0, tokens.accent)));
    // At 0, the playhead is at the left edge.
    widgets::paint_line(painter, pos2(scale.left + 6.0, middle), line);
    widgets::paint_line_right(painter, pos2(scale.left + scale.width, middle), right);
}
