//! Paints the timeline: axis, chunks, rate, the visible part, and the playhead on top.

use egui::{CornerRadius, Rect, Response, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::marks_ui::{marks_ui, old_marks_ui, rate_ui, wait_labels_ui, waits_ui};
use super::tapes_data::{Props, describe_chunks, format_seconds};
use super::time_scale::{TimeCanvas, TimeScale, drag_label_ui, drag_target};
use calls::tape::axis::ticks;
use calls::tape::prepared_tape::PreparedTape;
use calls::tape::timeline::{TimeRange, Timeline};
use widgets::theme::{self, tokens};
use workbench::{Action, Actions, ChunkDrag, EndBehavior, TapesAction, Zoom};

const AXIS_HEIGHT: f32 = 28.0;
const FOOT_HEIGHT: f32 = 12.0;
/// Share of the remaining height that the rate gets.
const RATE_SHARE: f32 = 0.22;
/// Maximum distance from the pointer to a chunk that still selects the chunk.
const MAX_POINTER_DISTANCE: f32 = 5.0;
/// Distance of the wheel that zooms by a factor of e, as where egui itself zooms.
const ZOOM_WHEEL_DISTANCE: f32 = 200.0;

/// State of the timeline that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct TimelineState {
    drag: Option<Drag>,
}

/// Effect of a drag.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drag {
    /// Moves the playhead.
    Scrub,
    /// Selects a range that starts at this time.
    Range(f64),
    /// Moves the visible part.
    Pan,
    /// Moves these chunks; the drag started at this time.
    MoveChunks(usize, usize, f64),
}

/// The areas of the timeline, from top to bottom.
#[derive(Clone, Copy)]
struct TimelineAreas {
    axis: Rect,
    marks: Rect,
    rate: Rect,
    foot: Rect,
}

impl TimelineAreas {
    fn new(rect: Rect) -> Self {
        let (axis, rest) = rect.split_top_bottom_at_y(rect.top() + AXIS_HEIGHT);
        let (rest, foot) = rest.split_top_bottom_at_y(rest.bottom() - FOOT_HEIGHT);
        let (marks, rate) = rest.split_top_bottom_at_fraction(1.0 - RATE_SHARE);
        Self { axis, marks, rate, foot }
    }
}

/// Draws the timeline of a tape and handles its input.
pub(super) fn timeline_ui(
    ui: &mut Ui,
    props: Props<'_>,
    height: f32,
    state: &mut TimelineState,
    actions: &mut Actions,
) {
    let (rect, response) = widgets::allocate_row(ui, height, Sense::click_and_drag());
    let transport = &props.desk.transport;
    let timeline = props.tape.timeline(transport.pace);
    let seconds = transport.nanos / 1e9;
    response.widget_info(|| WidgetInfo {
        // Screen readers get the value of a slider from here.
        value: Some(seconds),
        ..WidgetInfo::labeled(Role::Slider, true, "Playhead, in seconds")
    });
    let scale = TimeScale {
        shown: props.desk.shown(),
        left: rect.left() + theme::PADDING,
        width: rect.width() - 2.0 * theme::PADDING,
        moved: props.desk.drag().map(|drag| (drag.chunks.start, drag.nanos)),
    };
    let parts = TimelineAreas::new(rect);
    let clip = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let canvas = TimeCanvas { ui, painter: &clip, rect: parts.marks, scale };
    axis_ui(canvas, &parts);
    // While a chunk is dragged, the marks follow the pointer; the timing after it is known a little later.
    let edited_timeline = props.desk.edited_timing().map(|timing| timing.timeline(transport.pace));
    let is_dragged = props.desk.drag().is_some();
    let new_timeline = edited_timeline.filter(|_| !is_dragged).unwrap_or(timeline);
    let silence_nanos = props.desk.silence_nanos();
    // In the order of painting: areas, then marks, and the playhead above all.
    waits_ui(canvas, new_timeline, silence_nanos);
    if is_dragged || edited_timeline.is_some() {
        old_marks_ui(canvas, timeline);
    }
    // The playhead moves through the tape as it is, so it is not in a wait of the edited one.
    let counts_down = edited_timeline.is_none() || is_dragged || transport.is_playing();
    wait_labels_ui(canvas, new_timeline, (silence_nanos, counts_down.then_some(transport.nanos)));
    range_ui(canvas, props);
    marks_ui(canvas, new_timeline, transport);
    rate_ui(TimeCanvas { rect: parts.rate, ..canvas }, timeline, edited_timeline);
    foot_ui(ui, &parts, props);
    let nanos = transport.shown_nanos(props.tape.schedule(transport.pace), props.is_reduced);
    playhead_ui(canvas, &parts, nanos);
    drag_label_ui(canvas, props);
    handle_wheel(ui, &response, scale, actions);
    handle_drags(&response, &parts, scale, props, state, actions);
    tooltip(&response, &parts, scale, props.tape, timeline);
}

/// Draws round times, with lines through everything below them.
fn axis_ui(canvas: TimeCanvas<'_>, parts: &TimelineAreas) {
    let TimeCanvas { ui, painter, scale, .. } = canvas;
    let tokens = tokens(ui);
    let hair = Stroke::new(1.0, tokens.hair);
    let strong_stroke = Stroke::new(1.0, tokens.strong);
    for tick in ticks(scale.shown, scale.duration_of(90.0)) {
        let x = scale.x(tick.nanos).round() + 0.5;
        let bottom = parts.axis.bottom();
        let Some(label) = tick.label else {
            painter.vline(x, bottom - 4.0..=bottom, (1.0, tokens.line));
            continue;
        };
        painter.vline(x, bottom - 8.0..=bottom, strong_stroke);
        painter.vline(x, bottom..=parts.marks.bottom(), hair);
        let line = widgets::line(ui, &label, theme::mono(theme::SMALL), tokens.muted, 120.0);
        // A label cut off at the right edge would be misleading, so it is omitted.
        if x + 3.5 + line.size().x <= parts.axis.right() {
            widgets::paint_line(painter, pos2(x + 3.5, bottom - 15.0), line);
        }
    }
    let marks = parts.marks;
    painter.hline(marks.x_range(), marks.bottom() - 0.5, hair);
}

/// Draws the selected time range.
fn range_ui(canvas: TimeCanvas<'_>, props: Props<'_>) {
    let TimeCanvas { ui, painter, rect: marks, scale } = canvas;
    let Some(range) = props.desk.transport.range else { return };
    let tokens = tokens(ui);
    // The bar of a range moves with the range while it is dragged.
    let offset = props.desk.drag().map_or(0.0, |drag| drag.nanos);
    let (left, right) = (scale.x(range.from_nanos + offset), scale.x(range.to_nanos + offset));
    let veil = Rect::from_x_y_ranges(left..=right, marks.y_range());
    painter.rect_filled(veil, 0.0, tokens.fill.gamma_multiply(0.12));
    let bar = Rect::from_min_max(pos2(left, marks.top() - 2.0), pos2(right, marks.top() + 4.0));
    painter.rect_filled(bar, 3, tokens.fill);
    let word = match props.desk.transport.end_behavior {
        EndBehavior::Repeat => "loop",
        EndBehavior::Stop => "range",
    };
    let line = widgets::line(ui, word, theme::regular(theme::SMALL), tokens.accent, 60.0);
    widgets::paint_line(painter, pos2(left + 6.0, marks.top() + 15.0), line);
}

/// Draws the position of the visible part in the whole tape.
fn foot_ui(ui: &Ui, parts: &TimelineAreas, props: Props<'_>) {
    let tokens = tokens(ui);
    let total_nanos = props.tape.schedule(props.desk.transport.pace).total_nanos();
    let range = props.desk.shown();
    // Nothing to scroll.
    if range.nanos() >= total_nanos {
        return;
    }
    let track = parts.foot.shrink2(vec2(theme::PADDING, 4.0));
    let x = |nanos: f64| track.left() + (nanos / total_nanos) as f32 * track.width();
    let (left, right) = (x(range.from_nanos), x(range.to_nanos));
    // At least twelve points, to be seen and grabbed at any zoom.
    let thumb = Rect::from_x_y_ranges(left..=right.max(left + 12.0), track.y_range());
    let radius = CornerRadius::same(2);
    ui.painter().rect_filled(track, radius, tokens.raised);
    ui.painter().rect_filled(thumb, radius, tokens.strong);
}

fn playhead_ui(canvas: TimeCanvas<'_>, parts: &TimelineAreas, nanos: f64) {
    let TimeCanvas { ui, painter, scale, .. } = canvas;
    let color = tokens(ui).text_strong;
    let x = scale.x(nanos).round();
    let top = parts.axis.bottom() - 10.0;
    painter.vline(x, top..=parts.rate.bottom(), (2.0, color));
    let handle = [(-6.0, 0.0), (6.0, 0.0), (6.0, 5.0), (0.0, 11.0), (-6.0, 5.0)]
        .map(|(dx, dy)| pos2(x + dx, top + dy));
    painter.add(Shape::convex_polygon(handle.to_vec(), color, Stroke::NONE));
}

/// Handles the wheel: vertical zooms around the pointer, horizontal scrolls.
fn handle_wheel(ui: &Ui, response: &Response, scale: TimeScale, actions: &mut Actions) {
    let Some(pointer) = response.hover_pos() else { return };
    let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
    let factor = f64::from((-scroll.y / ZOOM_WHEEL_DISTANCE).exp() / pinch);
    if factor != 1.0 {
        actions.push(Action::from(TapesAction::Zoom(Zoom::By(factor, scale.nanos(pointer.x)))));
    }
    if scroll.x != 0.0 {
        actions.push(pan(scale, scale.duration_of(-scroll.x)));
    }
}

fn pan(scale: TimeScale, nanos: f64) -> Action {
    Action::from(TapesAction::Show(TimeRange {
        from_nanos: scale.shown.from_nanos + nanos,
        to_nanos: scale.shown.to_nanos + nanos,
    }))
}

fn handle_drags(
    response: &Response,
    parts: &TimelineAreas,
    scale: TimeScale,
    props: Props<'_>,
    state: &mut TimelineState,
    actions: &mut Actions,
) {
    let mut push = |action| actions.push(Action::from(action));
    let target_at = |p| drag_target(parts.marks, scale, props, p);
    if let Some(pointer) = response.hover_pos()
        && target_at(pointer).is_some()
    {
        response.ctx.set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
    }
    let Some(pointer) = response.interact_pointer_pos() else {
        // The edit is made once, when the button is released; until then it is a preview.
        if let Some(Drag::MoveChunks(..)) = state.drag.take() {
            push(TapesAction::Drop);
        }
        return;
    };
    let nanos = scale.nanos(pointer.x);
    if response.drag_started() {
        // egui reports a drag after the pointer has moved a little; what is dragged is where it was pressed.
        let start = pointer - response.total_drag_delta().unwrap_or_default();
        let is_pan = response.dragged_by(egui::PointerButton::Middle) || start.y > parts.foot.top();
        state.drag = Some(match target_at(start) {
            _ if is_pan => Drag::Pan,
            _ if start.y < parts.axis.bottom() => Drag::Scrub,
            Some(chunks) => Drag::MoveChunks(chunks.start, chunks.end, scale.nanos(start.x)),
            None => Drag::Range(scale.nanos(start.x).max(0.0)),
        });
        if let Some(Drag::MoveChunks(start, end, _)) = state.drag {
            let chunks = start..end;
            push(TapesAction::Drag(Some(ChunkDrag { chunks, nanos: 0.0 })));
        }
    }
    match state.drag.filter(|_| response.dragged()) {
        Some(Drag::Scrub) => push(TapesAction::Seek(nanos)),
        Some(Drag::Range(start)) => push(TapesAction::SetRange(Some(TimeRange {
            from_nanos: start.min(nanos),
            to_nanos: start.max(nanos),
        }))),
        // Esc cancelled the drag, or the pointer has not moved.
        Some(Drag::MoveChunks(..))
            if !response.drag_started()
                && (props.desk.drag().is_none() || response.drag_delta() == egui::Vec2::ZERO) => {}
        Some(Drag::MoveChunks(start, end, grab_nanos)) => {
            let (chunks, nanos) = (start..end, scale.round(nanos - grab_nanos));
            push(TapesAction::Drag(Some(ChunkDrag { chunks, nanos })));
        }
        Some(Drag::Pan) => {
            let total_nanos = props.tape.schedule(props.desk.transport.pace).total_nanos();
            let distance = response.drag_delta().x;
            // In the foot the thumb follows the pointer; elsewhere the content does, which is the other direction.
            let is_foot = pointer.y > parts.marks.bottom();
            let nanos = if is_foot {
                f64::from(distance / scale.width) * total_nanos
            } else {
                -scale.duration_of(distance)
            };
            actions.push(pan(scale, nanos));
        }
        None if response.clicked() => {
            push(TapesAction::SetRange(None));
            push(TapesAction::Seek(nanos));
        }
        None => {}
    }
}

/// Shows a tooltip for the chunks under the pointer.
fn tooltip(
    response: &Response,
    parts: &TimelineAreas,
    scale: TimeScale,
    tape: &PreparedTape,
    timeline: &Timeline,
) {
    let Some(pointer) = response.hover_pos().filter(|p| p.y < parts.rate.top()) else { return };
    let range_around = |points: f32| TimeRange {
        from_nanos: scale.nanos(pointer.x - points),
        to_nanos: scale.nanos(pointer.x + points),
    };
    let column = timeline.columns(range_around(MAX_POINTER_DISTANCE), 1).pop().unwrap_or_default();
    let lines = describe_chunks(tape, &column);
    // A drag has a label of its own.
    if lines.is_empty() || response.dragged() {
        return;
    }
    let moment = format!("at {} s", format_seconds(scale.nanos(pointer.x)));
    response.clone().on_hover_ui_at_pointer(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        let tokens = tokens(ui);
        for (index, line) in lines.iter().chain([&moment]).enumerate() {
            let (font, color) = match index {
                0 => (theme::medium(theme::LABEL), tokens.text_strong),
                2 => (theme::mono(theme::LABEL), tokens.text),
                _ => (theme::regular(theme::LABEL), tokens.muted),
            };
            ui.label(theme::text(line, font, color));
        }
    });
}
