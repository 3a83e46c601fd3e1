//! Paints the axis, the lanes with their blocks, and the playhead. Only what is visible costs anything.

use egui::scroll_area::ScrollSource;
use egui::{
    Painter, Rect, Response, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};

use super::strip_props::{StripProps, playhead};
use crate::tapes::TimeScale;
use calls::tape::timeline::TimeRange;
use machine::layout::Area;
use machine::picture::PictureColor;
use play::playback::CallBlock;
use play::playback::strip_picture::{
    BLOCK, BLOCK_WIDTHS, BlockProps, JOINED, NAMES, block_style, drop_line, join,
};
use widgets::graph::Placement;
use widgets::picture::{color, paint};
use widgets::theme::{self, tokens};
use workbench::{Action, Actions, Command, PlaybackAction, PlayheadAction, Zoom};

/// The least distance between two painted lines to recordings.
const MIN_LINE_GAP: f32 = 8.0;
/// Opacity of the scroll bar while no pointer is near, so that it shows that there are more lanes.
const BAR_OPACITY: f32 = 0.4;
/// The distance of time labels on the axis.
const LABEL_DISTANCE: f32 = 90.0;
/// Distance of the wheel that zooms by a factor of e, as where egui itself zooms.
const ZOOM_WHEEL_DISTANCE: f32 = 200.0;

/// State of the lanes that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct LanesView {
    /// Distance by which the lanes are scrolled down, in points.
    scrolled: f32,
    /// The run and the call whose lane was last scrolled into view.
    shown: Option<(u64, usize)>,
}

/// Start of the line from a call to its recording.
pub(super) struct BlockDrop {
    pub(super) call: usize,
    pub(super) recording: usize,
    pub(super) x: f32,
    pub(super) color: PictureColor,
}

/// Places of the axis and of the lanes, and what they show.
#[derive(Clone, Copy)]
struct LanesLayout<'a> {
    props: &'a StripProps<'a>,
    axis: Rect,
    lanes: Rect,
    scale: TimeScale,
    scrolled: f32,
}

/// Draws axis and lanes. Returns the starts of the lines to recordings.
pub(super) fn lanes_ui(
    ui: &mut Ui,
    props: &StripProps<'_>,
    (axis, lanes): (Rect, Rect),
    scale: TimeScale,
    view: &mut LanesView,
    actions: &mut Actions,
) -> Vec<BlockDrop> {
    let response = ui.interact(lanes, ui.scope_id().with("lanes"), Sense::click_and_drag());
    widgets::describe(&response, Role::Canvas, "Calls in time, drag to move");
    scroll(ui, props, lanes, view);
    let layout = LanesLayout { props, axis, lanes, scale, scrolled: view.scrolled };
    handle_input(ui, &response, layout, actions);
    axis_ui(ui, layout, actions);
    names_ui(ui, layout);
    // One point more, so that the edge of a block at the start is not cut.
    let painter = ui.painter().with_clip_rect(lanes.with_min_x(scale.left - 1.0));
    let drops = blocks_ui(ui, &painter, layout, actions);
    playhead_ui(ui, layout);
    drops
}

/// Keeps the lanes within their room, and the lane of a newly selected call in sight.
fn scroll(ui: &mut Ui, props: &StripProps<'_>, lanes: Rect, view: &mut LanesView) {
    let key = (props.data.desk.number, props.call());
    let height = props.strip.lanes.len() as f32 * props.lane_height;
    // Only when the call changes: the user may scroll away from it.
    if view.shown.replace(key) != Some(key)
        && let Some(block) = props.strip.blocks.get(props.call())
    {
        let top = block.lane as f32 * props.lane_height;
        let end_scroll = top + props.lane_height - lanes.height();
        view.scrolled = view.scrolled.clamp(end_scroll.min(top), top.max(end_scroll));
    }
    if height <= lanes.height() {
        view.scrolled = 0.0;
        return;
    }
    // Only the bar and the wheel: the lanes themselves are dragged along the time axis.
    let mut inner = ui.new_child(UiBuilder::new().max_rect(lanes));
    inner.spacing_mut().scroll.dormant_handle_opacity = BAR_OPACITY;
    let output = ScrollArea::vertical()
        .id_salt("lanes")
        .auto_shrink(false)
        .scroll_source(ScrollSource::SCROLL_BAR | ScrollSource::MOUSE_WHEEL)
        .vertical_scroll_offset(view.scrolled)
        .show(&mut inner, |ui| ui.allocate_space(vec2(0.0, height)));
    view.scrolled = output.state.clamped_offset().y;
}

/// Handles dragging and the wheel: horizontal moves, vertical zooms where all lanes are visible.
fn handle_input(ui: &Ui, response: &Response, layout: LanesLayout<'_>, actions: &mut Actions) {
    let LanesLayout { props, scale, scrolled, .. } = layout;
    let mut push = |action| actions.push(playhead(action));
    let mut distance = -response.drag_delta().x;
    if let Some(pointer) = response.hover_pos() {
        let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        distance -= scroll.x;
        // Half a point absorbs rounding of the heights.
        let shows_all =
            props.strip.lanes.len() as f32 * props.lane_height <= response.rect.height() + 0.5;
        // With more lanes than fit, the wheel scrolls them; a pinch zooms always.
        let wheel_turns =
            if shows_all && scrolled == 0.0 { -scroll.y / ZOOM_WHEEL_DISTANCE } else { 0.0 };
        let factor = f64::from(wheel_turns.exp() / pinch);
        if factor != 1.0 {
            push(PlayheadAction::Zoom(Zoom::By(factor, scale.nanos(pointer.x))));
        }
    }
    if distance != 0.0 {
        let offset = scale.duration_of(distance);
        push(PlayheadAction::ShowRange(TimeRange {
            from_nanos: scale.shown.from_nanos + offset,
            to_nanos: scale.shown.to_nanos + offset,
        }));
    }
}

/// Draws round times, with lines through the lanes. A click or drag moves the playhead.
fn axis_ui(ui: &mut Ui, layout: LanesLayout<'_>, actions: &mut Actions) {
    let LanesLayout { props, axis, lanes, scale, .. } = layout;
    let colors = tokens(ui);
    let id = ui.scope_id().with("axis");
    let response = ui.interact(axis.with_min_x(scale.left), id, Sense::drag() | Sense::CLICK);
    response.widget_info(|| props.slider_info("Time axis, in seconds", "Axis, in calls"));
    if let Some(pointer) = response.interact_pointer_pos()
        && (response.dragged() || response.clicked())
    {
        actions.push(playhead(PlayheadAction::Seek(scale.nanos(pointer.x))));
    }
    let painter = ui.painter();
    painter.rect_filled(axis, 0.0, colors.panel);
    let hair = Stroke::new(1.0, colors.hair);
    for y in [axis.bottom(), lanes.bottom()] {
        painter.hline(axis.x_range(), y - 0.5, hair);
    }
    let middle = axis.center().y;
    for tick in props.strip.axis_ticks(scale.shown, scale.duration_of(LABEL_DISTANCE)) {
        let Some(label) = tick.label else { continue };
        let x = scale.x(tick.nanos).round() + 0.5;
        painter.vline(x, lanes.y_range(), hair);
        let line =
            widgets::line(ui, &label, theme::mono(theme::SMALL), colors.muted, LABEL_DISTANCE);
        // A cut label would be read as another number.
        if x + line.size().x <= axis.right() {
            widgets::paint_line(painter, pos2(x, middle), line);
        }
    }
}

/// Draws the names of the visible lanes, and a line below each.
fn names_ui(ui: &mut Ui, layout: LanesLayout<'_>) {
    let LanesLayout { props, lanes, scrolled, .. } = layout;
    let colors = tokens(ui);
    let painter = ui.painter().with_clip_rect(lanes.intersect(ui.clip_rect()));
    let first = (scrolled / props.lane_height) as usize;
    // One more, since the first and the last may both be cut.
    let count = (lanes.height() / props.lane_height).ceil() as usize + 1;
    for index in (0..props.strip.lanes.len()).skip(first).take(count) {
        let top = lanes.top() + index as f32 * props.lane_height - scrolled;
        let room = Rect::from_min_size(
            pos2(lanes.left() + theme::PADDING, top),
            vec2(NAMES - theme::PADDING - theme::GAP, props.lane_height),
        );
        let name = props.strip.lane_name(index);
        let font = theme::regular(theme::BODY);
        let line = widgets::line(ui, &name, font, colors.text_strong, room.width());
        widgets::paint_line(&painter, room.left_center(), line);
        let response =
            ui.interact(room.intersect(lanes), ui.scope_id().with(("lane", index)), Sense::hover());
        widgets::describe(&response, Role::Label, &name);
        painter.hline(lanes.x_range(), top + props.lane_height - 0.5, (1.0, colors.hair));
    }
}

/// The colour of a call: that of its status, of the selection, or of what is not played yet.
fn line_color(props: &StripProps<'_>, call: usize, block: &CallBlock) -> PictureColor {
    match (props.call() == call, props.is_played(call)) {
        (true, _) => PictureColor::Accent,
        (false, true) => block_style(block).1,
        (false, false) => PictureColor::Strong,
    }
}

fn area_of(rect: Rect) -> Area {
    Area { min: rect.min.into(), max: rect.max.into() }
}

fn blocks_ui(
    ui: &mut Ui,
    painter: &Painter,
    layout: LanesLayout<'_>,
    actions: &mut Actions,
) -> Vec<BlockDrop> {
    let LanesLayout { props, lanes, scale, scrolled, .. } = layout;
    // Short calls are painted wider than they are, so some reach into view from outside.
    let margin = scale.duration_of(BLOCK_WIDTHS[0]);
    let calls = props.strip.calls_in(TimeRange {
        from_nanos: scale.shown.from_nanos - margin,
        to_nanos: scale.shown.to_nanos + margin,
    });
    let is_joined = calls.len() <= JOINED;
    let mut right_ends = vec![f32::NEG_INFINITY; props.strip.lanes.len()];
    let mut previous: Option<Rect> = None;
    let mut drops = Vec::new();
    for (call, block) in props.strip.blocks.iter().enumerate().take(calls.end).skip(calls.start) {
        let left = scale.x(block.time.from_nanos);
        let is_selected = props.call() == call;
        let Some(right_end) = right_ends.get_mut(block.lane) else { continue };
        // The selected call is always painted, over its neighbours.
        if left < *right_end && !is_selected {
            continue;
        }
        // Two points keep blocks apart that follow each other at once.
        let right = (scale.x(block.time.to_nanos) - 2.0).max(left + BLOCK_WIDTHS[0]);
        // Of calls that are too short to be apart, the first is painted.
        *right_end = right;
        let top = lanes.top() + block.lane as f32 * props.lane_height - scrolled
            + (props.lane_height - BLOCK) / 2.0;
        let rect = Rect::from_min_max(pos2(left, top), pos2(right, top + BLOCK));
        let color = line_color(props, call, block);
        if let Some(previous) = previous.replace(rect).filter(|_| is_joined) {
            let gray =
                if props.is_played(call) { PictureColor::Strong } else { PictureColor::Line };
            paint(
                ui,
                painter,
                Placement::IDENTITY,
                &[join(area_of(previous), area_of(rect), gray)],
            );
        }
        let x = rect.center().x;
        if let Some(recording) = block.recording {
            drops.push(BlockDrop { call, recording, x, color });
        }
        // Only now: joins and drop lines of a hidden lane are visible in others.
        if rect.bottom() <= lanes.top() || rect.top() >= lanes.bottom() {
            continue;
        }
        block_ui(ui, painter, layout, (call, block, rect), actions);
    }
    // Blocks of lanes below would otherwise hide the beginning of a line.
    drop_lines(ui, painter, layout, &drops);
    drops
}

/// Paints dotted lines from blocks to the end of the lanes; lines close to each other are left out.
fn drop_lines(ui: &Ui, painter: &Painter, layout: LanesLayout<'_>, drops: &[BlockDrop]) {
    let LanesLayout { props, lanes, scrolled, .. } = layout;
    let mut free_x = f32::NEG_INFINITY;
    for drop in drops {
        let is_selected = drop.call == props.call();
        let Some(block) = props.strip.blocks.get(drop.call) else { continue };
        if drop.x < free_x && !is_selected {
            continue;
        }
        free_x = drop.x + MIN_LINE_GAP;
        let top = lanes.top() + block.lane as f32 * props.lane_height - scrolled;
        let start = pos2(drop.x, (top + (props.lane_height + BLOCK) / 2.0).max(lanes.top()));
        let end = pos2(drop.x, lanes.bottom());
        if start.y >= end.y {
            continue;
        }
        if drops.len() <= JOINED || is_selected {
            let line = drop_line(start.into(), end.y, drop.color, is_selected);
            paint(ui, painter, Placement::IDENTITY, &line);
        } else {
            // Many lines are thin and faint, or they would hide the blocks.
            let color = color(ui, drop.color).gamma_multiply(0.4);
            painter.line_segment([start, end], (1.0, color));
        }
    }
}

fn block_ui(
    ui: &mut Ui,
    painter: &Painter,
    layout: LanesLayout<'_>,
    (call, block, rect): (usize, &CallBlock, Rect),
    actions: &mut Actions,
) {
    let LanesLayout { props, lanes, .. } = layout;
    let colors = tokens(ui);
    let (is_selected, is_played) = (props.call() == call, props.is_played(call));
    // A control must not be clickable where it is not painted.
    let visible_rect = rect.intersect(painter.clip_rect()).intersect(lanes);
    let response = ui.interact(visible_rect, ui.scope_id().with(("call", call)), Sense::click());
    let name = || props.strip.block_name(&props.played.run, call, true);
    response
        .widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), is_selected, name()));
    let block_props = BlockProps {
        area: area_of(rect),
        call,
        detail: props.played.run.answer_label(call),
        style: block_style(block),
        is_measured: block.is_measured || !props.strip.is_timed(),
        is_played,
        is_hovered: response.hovered(),
    };
    paint(ui, painter, Placement::IDENTITY, &block_props.shapes());
    let radius = theme::RADIUS_KEY;
    if is_selected {
        painter.rect_stroke(rect, radius, (2.0, colors.ring), StrokeKind::Outside);
    }
    widgets::focus_ring(ui, &response, radius);
    if response.clicked() || response.secondary_clicked() {
        actions.push(Action::from(PlaybackAction::ShowCall(call)));
    }
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
    // A click with the other button has selected the call before its menu opens.
    if is_selected || response.secondary_clicked() {
        widgets::context_menu(&response, |ui| {
            for command in [Command::OpenSelected, Command::CopyLink] {
                widgets::menu_run(ui, command, command.enabled(props.data.workbench), actions);
            }
        });
    }
    if response.hovered() {
        response.on_hover_text(name());
    }
}

/// Draws the playhead with its time on the axis.
fn playhead_ui(ui: &Ui, layout: LanesLayout<'_>) {
    let LanesLayout { props, axis, lanes, scale, .. } = layout;
    let colors = tokens(ui);
    let x = scale.x(props.nanos).round();
    // Zoomed in, the playhead may be outside of the visible time.
    if x < scale.left - 1.0 || x > lanes.right() {
        return;
    }
    let painter = ui.painter();
    painter.vline(x, axis.center().y..=lanes.bottom(), (2.0, colors.text_strong));
    let text = props.strip.time_label(props.nanos);
    let line = widgets::line(ui, &text, theme::mono_bold(theme::SMALL), colors.desk, 80.0);
    let size = line.size() + vec2(14.0, 4.0);
    let left = (x - size.x / 2.0).clamp(scale.left - 8.0, (axis.right() - size.x).max(scale.left));
    let pill = Rect::from_min_size(pos2(left, axis.center().y - size.y / 2.0), size);
    painter.rect_filled(pill, theme::RADIUS_KEY, colors.text_strong);
    widgets::paint_line(painter, pos2(pill.left() + 7.0, pill.center().y), line);
}
