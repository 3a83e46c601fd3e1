//! Paints the findings about the whole run, and the set after the selected call.

use egui::{
    CornerRadius, Rect, Role, ScrollArea, Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo, pos2,
    vec2,
};

use super::data::{PlaybackData, SetCell, Tile};
use super::desk_ui::PlaybackView;
use crate::ops::playback::strip_picture::RecordingUse;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{Action, Command, PlaybackAction, PlaybackResult, StepDirection};

/// Height of the findings.
pub(super) const TILES: f32 = 114.0;
/// Height of the set with its heading.
pub(super) const SET: f32 = 126.0;

const TILE: f32 = 56.0;
/// Below this width a finding has its short label.
const SHORT_BELOW: f32 = 174.0;
const CELL: f32 = 44.0;
/// Widths of a position of the set.
const CELL_LEAST: f32 = 76.0;
const CELL_MOST: f32 = 96.0;
/// Width of the desk from which the set has a legend.
const LEGEND_FROM: f32 = 900.0;

/// Draws the findings about the whole run. A click lists the calls concerned.
pub(super) fn tiles_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Vec<Action>) {
    let area = ui.max_rect();
    let hair = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(area.x_range(), area.top() + 0.5, hair);
    let inner = area.shrink2(vec2(theme::PADDING, 0.0));
    let head =
        Rect::from_min_size(pos2(inner.left(), inner.top() + 12.0), vec2(inner.width(), 20.0));
    widgets::place(ui, head, |ui| widgets::heading(ui, "", "Whole run", ""));
    let tiles = data.tiles();
    let count = tiles.len().max(1) as f32;
    let width = ((inner.width() - (count - 1.0) * theme::GAP) / count).floor();
    for (number, tile) in tiles.iter().enumerate() {
        let left = inner.left() + number as f32 * (width + theme::GAP);
        let rect = Rect::from_min_size(pos2(left, head.bottom() + 10.0), vec2(width, TILE));
        tile_ui(ui, rect, tile, data.desk.listed == Some(tile.finding), actions);
    }
}

fn tile_ui(ui: &mut Ui, rect: Rect, tile: &Tile, is_listed: bool, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let response = ui.interact(rect, ui.auto_id_with(tile.finding), Sense::click());
    let name = format!("{} {}", tile.count, tile.label);
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), is_listed, &name));
    let stroke = match (is_listed, response.hovered()) {
        (true, _) => Stroke::new(1.0, colors.accent),
        (false, true) => Stroke::new(1.0, colors.strong),
        (false, false) => Stroke::new(1.0, colors.line),
    };
    let fill = if is_listed { colors.selected } else { colors.desk };
    let radius = CornerRadius::same(theme::RADIUS_CARD);
    ui.painter().rect(rect, radius, fill, stroke, StrokeKind::Inside);
    let left = rect.left() + 12.0;
    let (first, second) = (rect.top() + 20.0, rect.top() + 40.0);
    let color = match tile.tone {
        theme::Tone::Plain => colors.muted,
        tone => colors.tone(tone),
    };
    widgets::paint_icon(ui.painter(), pos2(left + 7.0, first), tile.icon, theme::ICON, color);
    let room = rect.right() - theme::GAP - left;
    let words = if rect.width() < SHORT_BELOW { tile.short_label } else { tile.label };
    let line = StyledText::new()
        .with(&tile.count, theme::semibold(theme::TITLE), colors.text_strong)
        .after(theme::ICON_GAP, words, theme::regular(theme::ROW), colors.text)
        .galley(ui, room - theme::INDENT);
    widgets::paint_line(ui.painter(), pos2(left + theme::INDENT, first), line);
    let detail = widgets::line(ui, &tile.detail, theme::regular(theme::SMALL), colors.muted, room);
    widgets::paint_line(ui.painter(), pos2(left, second), detail);
    widgets::focus_ring(ui, &response, theme::RADIUS_CARD);
    if response.clicked() {
        actions.push(Action::from(PlaybackAction::Filter(tile.finding)));
    }
    let tip = if is_listed { "List all calls again" } else { "List only these calls" };
    widgets::tip(response, tip, &[] as &[&str]);
}

/// Draws the set as it is after the selected call.
pub(super) fn set_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    played: &PlaybackResult,
    view: &mut PlaybackView,
    actions: &mut Vec<Action>,
) {
    let area = ui.max_rect();
    let hair = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(area.x_range(), area.top() + 0.5, hair);
    let inner = area.shrink2(vec2(theme::PADDING, 0.0));
    let head = Rect::from_min_size(
        pos2(inner.left(), inner.top() + 10.0),
        vec2(inner.width(), theme::CONTROL),
    );
    set_head_ui(ui, head, data, played, actions);
    let cells = inner.with_min_y(head.bottom() + 8.0);
    widgets::place(ui, cells, |ui| cells_ui(ui, data, played, view, actions));
}

fn set_head_ui(
    ui: &mut Ui,
    rect: Rect,
    data: &PlaybackData<'_>,
    played: &PlaybackResult,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let ((), right) = widgets::place_right(ui, rect, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        for (icon, name, command, action) in transport_buttons() {
            let button = Button::icon_only(icon, name).keys_of(command);
            if ui.add(button).clicked() {
                actions.push(Action::from(action));
            }
        }
        if rect.width() < LEGEND_FROM {
            return;
        }
        ui.add_space(theme::GAP);
        for use_of in [RecordingUse::Unused, RecordingUse::Reused, RecordingUse::Used] {
            let (icon, color) = use_sign(use_of, colors);
            let font = theme::regular(theme::LABEL);
            let line = widgets::line(ui, use_of.label(), font, colors.muted, 120.0);
            let size = vec2(line.size().x + 18.0, theme::TEXT_LINE);
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            let at = pos2(rect.left() + 6.0, rect.center().y);
            widgets::paint_icon(ui.painter(), at, icon, theme::ICON_TAG, color);
            widgets::paint_line(ui.painter(), pos2(rect.left() + 18.0, rect.center().y), line);
        }
    });
    let calls = played.run.calls.len();
    let call = data.desk.call;
    let title = match calls {
        0 => "The set".to_owned(),
        _ => format!("The set after call {}", call + 1),
    };
    let next = played.run.calls.get(call).map_or(0, |call| call.next);
    let count = played.run.set.recordings.len();
    let next =
        if next < count { format!("next is {}", next + 1) } else { "none is next".to_owned() };
    let used = played.used_after((call + 1).min(calls));
    let detail = format!("{used} of {count} used, {next}");
    let left = rect.with_max_x(right - theme::GAP);
    widgets::place_left(ui, left, |ui| widgets::heading(ui, "", &title, &detail));
}

/// Returns the buttons that step through the calls, from right to left.
fn transport_buttons() -> [(&'static str, &'static str, Command, PlaybackAction); 4] {
    use PlaybackAction::{StepCall, StepToEnd};
    [
        (icons::SKIP_FORWARD, "Last call", Command::LastRow, StepToEnd(StepDirection::Next)),
        (icons::STEP_FORWARD, "Next call", Command::NextRow, StepCall(StepDirection::Next)),
        (
            icons::STEP_BACK,
            "Previous call",
            Command::PreviousRow,
            StepCall(StepDirection::Previous),
        ),
        (icons::SKIP_BACK, "First call", Command::FirstRow, StepToEnd(StepDirection::Previous)),
    ]
}

pub(super) fn use_sign(
    use_of: RecordingUse,
    colors: &theme::Tokens,
) -> (&'static str, egui::Color32) {
    match use_of {
        RecordingUse::Unused => (icons::CIRCLE, colors.muted),
        RecordingUse::Used => (icons::CHECK, colors.good),
        RecordingUse::Reused => (icons::REPEAT_2, colors.warning),
    }
}

/// Draws the positions of the set; only those on screen get a layout.
fn cells_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    played: &PlaybackResult,
    view: &mut PlaybackView,
    actions: &mut Vec<Action>,
) {
    let count = data.positions();
    let width = (ui.available_width() + theme::GAP) / count.max(1) as f32 - theme::GAP;
    let width = width.floor().clamp(CELL_LEAST, CELL_MOST);
    let step = width + theme::GAP;
    let area = ScrollArea::horizontal().id_salt("set").auto_shrink(false);
    area.show_viewport(ui, |ui, viewport| {
        let origin = ui.max_rect().min;
        ui.set_width(count as f32 * step - theme::GAP);
        let first = (viewport.left() / step).floor().max(0.0) as usize;
        let last = ((viewport.right() / step).ceil() as usize).min(count);
        for place in first..last {
            let position = data.position_at(place);
            let corner = pos2(origin.x + place as f32 * step, origin.y + 2.0);
            let rect = Rect::from_min_size(corner, vec2(width, CELL));
            if let Some(cell) = data.cell(position) {
                cell_ui(ui, rect, position, &cell, actions);
            }
        }
        let shown = (played.number, data.desk.call);
        if view.shown_cell.replace(shown) != Some(shown)
            && let Some(place) = data.answering_place()
        {
            let at = pos2(origin.x + place as f32 * step, origin.y);
            ui.scroll_to_rect(Rect::from_min_size(at, vec2(width, CELL)), None);
        }
    });
}

fn cell_ui(ui: &mut Ui, rect: Rect, position: usize, cell: &SetCell, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let response = ui.interact(rect, ui.scope_id().with(("position", position)), Sense::click());
    let words = cell.usage.label();
    let mut name = format!("Position {}, {words}", position + 1);
    for more in [&*cell.calls, if cell.next { "next" } else { "" }] {
        if !more.is_empty() {
            name = format!("{name}, {more}");
        }
    }
    response
        .widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), cell.answers, &name));
    cell_background_ui(ui, rect, cell, response.hovered());
    let (icon, color) = use_sign(cell.usage, colors);
    let font = theme::mono(theme::LABEL);
    let number =
        widgets::line(ui, &(position + 1).to_string(), font, colors.text_strong, rect.width());
    let center = rect.center();
    let left = center.x - number.size().x / 2.0;
    widgets::paint_line(ui.painter(), pos2(left, rect.top() + 15.0), number);
    let at = pos2(center.x, rect.top() + 32.0);
    widgets::paint_icon(ui.painter(), at, icon, theme::ICON_TAG, color);
    caption_ui(ui, rect, cell);
    widgets::focus_ring(ui, &response, theme::RADIUS_CONTROL);
    on_recording_click(&response, position, actions);
}

/// Shows the recording of the set that was clicked, or opens it.
pub(super) fn on_recording_click(
    response: &egui::Response,
    position: usize,
    actions: &mut Vec<Action>,
) {
    if response.clicked() {
        let show = PlaybackAction::ShowRecording(position);
        actions.push(Action::from(show));
    }
    if response.double_clicked() {
        let open = PlaybackAction::OpenRecording(position);
        actions.push(Action::from(open));
    }
}

fn cell_background_ui(ui: &Ui, rect: Rect, cell: &SetCell, hovered: bool) {
    let colors = tokens(ui);
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    let (fill, line) = match cell.usage {
        RecordingUse::Unused if hovered => (colors.hover, None),
        RecordingUse::Unused => (egui::Color32::TRANSPARENT, None),
        RecordingUse::Used => (colors.good_tint, Some(colors.good_tint)),
        RecordingUse::Reused => (colors.warning_tint, Some(colors.warning)),
    };
    let painter = ui.painter();
    painter.rect_filled(rect, radius, fill);
    match line {
        Some(line) => {
            let stroke = Stroke::new(1.0, if hovered { colors.strong } else { line });
            painter.rect_stroke(rect, radius, stroke, StrokeKind::Inside);
        }
        None => {
            let r = rect.shrink(0.5);
            let path =
                [r.left_top(), r.right_top(), r.right_bottom(), r.left_bottom(), r.left_top()];
            let stroke = Stroke::new(1.0, colors.strong);
            painter.extend(Shape::dashed_line(&path, stroke, 3.0, 3.0));
        }
    }
    if cell.answers {
        let stroke = Stroke::new(2.0, colors.ring);
        painter.rect_stroke(rect, radius, stroke, StrokeKind::Inside);
    }
}

/// Draws the caption of a position: the calls it answered, and whether it is next.
fn caption_ui(ui: &Ui, rect: Rect, cell: &SetCell) {
    let colors = tokens(ui);
    let font = || theme::regular(theme::SMALL);
    let space = if cell.calls.is_empty() { 0.0 } else { 4.0 };
    let mut words = StyledText::new().with(&cell.calls, font(), colors.muted);
    if cell.next {
        words = words
            .after(space, icons::ARROW_UP, theme::icon(theme::ICON_TAG), colors.accent)
            .after(2.0, "next", font(), colors.accent);
    }
    let line = words.galley(ui, rect.width() + theme::GAP);
    let left = rect.center().x - line.size().x / 2.0;
    widgets::paint_line(ui.painter(), pos2(left, rect.bottom() + 12.0), line);
}
