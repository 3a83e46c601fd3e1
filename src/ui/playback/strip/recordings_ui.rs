//! Paints the recordings in file order, and the lines that lead to them from the calls they answer.

use egui::{Pos2, Rect, Role, ScrollArea, Sense, Shape, Stroke, StrokeKind};
use egui::{Ui, Vec2, WidgetInfo, pos2, vec2};

use super::lanes_ui::BlockDrop;
use super::strip_props::StripProps;
use crate::playback::playback_data::{SetCell, recording_label};
use machine::layout::Area;
use machine::picture::LineStyle;
use play::playback::PlayedCall;
use play::playback::strip_picture::{BLOCK, CELLS, CellProps, JOINED, NAMES, answer_arrow};
use widgets::Line;
use widgets::graph::{Placement, curve};
use widgets::picture::{color, paint};
use widgets::theme::{self, tokens};
use workbench::{Action, Actions, PlaybackAction};

/// The height of the recordings.
pub(super) const HEIGHT: f32 = 56.0;
const CELL_SIZE: Vec2 = vec2(CELLS[0], BLOCK);
const CELL_STEP: f32 = CELLS[1];
/// Maximum distance between the visible part and the end of a line.
const MAX_OVERSHOOT: f32 = 400.0;
/// The least distance between the beginnings of two painted lines.
const MIN_LINE_GAP: f32 = 8.0;

/// Draws the recordings. Returns where the first one is, visible or not.
pub(super) fn recordings_ui(
    ui: &mut Ui,
    props: &StripProps<'_>,
    rect: Rect,
    shown_cell: &mut Option<(u64, usize)>,
    actions: &mut Actions,
) -> Pos2 {
    let noun = Line::title(props.played.run.set.noun(), tokens(ui));
    let size = vec2(NAMES - theme::PADDING - theme::GAP, CELL_SIZE.y);
    noun.show_in(ui, Rect::from_min_size(rect.min + vec2(theme::PADDING, 0.0), size));
    let cells = rect.with_min_x(rect.left() + NAMES - 4.0);
    let count = props.played.run.set.recordings.len();
    widgets::place(ui, cells, |ui| {
        let area = ScrollArea::horizontal().id_salt("recordings").auto_shrink(false);
        area.show_viewport(ui, |ui, viewport| {
            let origin = ui.max_rect().min + vec2(4.0, 0.0);
            ui.set_width(count as f32 * CELL_STEP + theme::GAP);
            // A set may have tens of thousands of recordings.
            let first = (viewport.left() / CELL_STEP).floor().max(0.0) as usize;
            let last = ((viewport.right() / CELL_STEP).ceil() as usize).min(count);
            for position in first..last {
                let corner = origin + vec2(position as f32 * CELL_STEP, 0.0);
                let rect = Rect::from_min_size(corner, CELL_SIZE);
                if let Some(cell) = props.data.cell(position) {
                    cell_ui(ui, props, rect, position, &cell, actions);
                }
            }
            let key = (props.data.desk.number, props.call());
            // Only when another call is selected, so that the user can scroll away from its recording.
            if shown_cell.replace(key) != Some(key)
                && let Some(position) = props.data.desk.selected().and_then(PlayedCall::index)
            {
                let corner = origin + vec2(position as f32 * CELL_STEP, 0.0);
                ui.scroll_to_rect(Rect::from_min_size(corner, CELL_SIZE).expand(4.0), None);
            }
            origin
        })
        .inner
    })
}

/// Returns the name of a recording's cell for screen readers.
fn cell_name(props: &StripProps<'_>, position: usize, cell: &SetCell) -> String {
    let recording = props.played.run.set.recordings.get(position);
    let label = recording.map(recording_label).unwrap_or_default();
    let usage = cell.usage.label();
    let calls = if cell.calls.is_empty() { String::new() } else { format!(", {}", cell.calls) };
    format!("Recording {}, {label}, {usage}{calls}", position + 1)
}

fn cell_ui(
    ui: &mut Ui,
    props: &StripProps<'_>,
    rect: Rect,
    position: usize,
    cell: &SetCell,
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let response = ui.interact(rect, ui.scope_id().with(("recording", position)), Sense::click());
    let name = cell_name(props, position, cell);
    response
        .widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), cell.answers, &name));
    let painter = ui.painter();
    let picture = CellProps {
        area: Area::new(rect.min.into(), rect.size().into()),
        position,
        answer: props.played.run.recorded_label(position),
        usage: cell.usage,
        is_hovered: response.hovered(),
    };
    paint(ui, painter, Placement::IDENTITY, &picture.shapes());
    if cell.answers {
        let ring = Stroke::new(2.0, colors.ring);
        painter.rect_stroke(rect, theme::RADIUS_CONTROL, ring, StrokeKind::Outside);
    }
    widgets::focus_ring(ui, &response, theme::RADIUS_CONTROL);
    widgets::on_click(&response, PlaybackAction::ShowRecording(position), actions);
    if response.double_clicked() {
        actions.push(Action::from(PlaybackAction::OpenRecording(position)));
    }
    widgets::hint(response, &name);
}

/// Draws a curve from the end of the lanes to each recording, the selected one last.
pub(super) fn arrows_ui(
    ui: &Ui,
    props: &StripProps<'_>,
    (arrows, visible_rect): (Rect, Rect),
    drops: &[BlockDrop],
    first: Pos2,
) {
    let painter =
        ui.painter().with_clip_rect(visible_rect.with_min_x(visible_rect.left() + NAMES - 8.0));
    let mut free_x = f32::NEG_INFINITY;
    let is_selected = |drop: &&BlockDrop| drop.call == props.call();
    let others = drops.iter().filter(|drop| !is_selected(drop));
    for drop in others.chain(drops.iter().filter(is_selected)) {
        let is_selected = is_selected(&drop);
        // Lines that begin this close to each other would look like one.
        if drop.x < free_x && !is_selected {
            continue;
        }
        free_x = drop.x + MIN_LINE_GAP;
        let offset = props.played.run.line_end(drop.call, drop.recording);
        let middle = first.x + drop.recording as f32 * CELL_STEP + CELL_SIZE.x / 2.0;
        // Far beyond what is visible, a curve would have many points.
        let x = (middle + offset)
            .clamp(visible_rect.left() - MAX_OVERSHOOT, visible_rect.right() + MAX_OVERSHOOT);
        let end = pos2(x, first.y - 2.0);
        let start = pos2(drop.x, arrows.top());
        let lead = arrows.height() * 0.55;
        // With this many calls, arrow heads would hide each other.
        if drops.len() > JOINED && !is_selected {
            let faint = Stroke::new(1.0, color(ui, drop.color).gamma_multiply(0.4));
            let line = curve(start, end, vec2(0.0, lead));
            painter.add(Shape::line(line, faint));
            continue;
        }
        let style = LineStyle {
            color: drop.color,
            width: if is_selected { 2.0 } else { 1.25 },
            dashes: (!props.is_played(drop.call)).then_some([4.0, 4.0]),
        };
        let arrow = answer_arrow(start.into(), end.into(), lead, style);
        paint(ui, &painter, Placement::IDENTITY, &arrow);
    }
}
