//! Headings, content indented below them, and lines between regions.

use egui::{Color32, Frame, Margin, Rect, Response, Role, Sense, Stroke, Ui, UiBuilder, vec2};

use super::place::allocate_row;
use super::row::Line;
use super::styled_text::StyledText;
use crate::theme::{self, tokens};
use workbench::{Action, Actions, Command};

/// Adds a heading with its icon at the left edge and a muted `note` after the text.
pub fn heading(ui: &mut Ui, icon: &'static str, text: &str, note: &str) -> Response {
    let tokens = tokens(ui);
    let (rect, response) = allocate_row(ui, theme::TEXT_LINE, Sense::hover());
    crate::describe(&response, Role::Heading, text);
    let line = Line::from(StyledText::of(text, tokens.heading()).with_gap(note, tokens.note()));
    let line = if icon.is_empty() { line } else { line.icon(icon, tokens.muted) };
    line.show_in(ui, rect);
    response
}

/// Adds a line between regions, as wide as the layout.
pub fn hair_line(ui: &mut Ui) {
    region_line(ui, tokens(ui).hair);
}

/// Adds a line between regions in another colour.
pub(super) fn region_line(ui: &mut Ui, color: Color32) {
    let (rect, _) = allocate_row(ui, 1.0, Sense::hover());
    ui.painter().rect_filled(rect, 0.0, color);
}

/// Draws a line between regions at the top of a rect.
pub fn line_above(ui: &Ui, rect: Rect) {
    let hair = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, hair);
}

/// Draws a line between regions at the right of a rect.
pub fn line_beside(ui: &Ui, rect: Rect) {
    let hair = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().vline(rect.right() - 0.5, rect.y_range(), hair);
}

/// Draws where a dragged row would be dropped, at the top of a rect.
pub fn drop_line(ui: &Ui, rect: Rect) {
    ui.painter().hline(rect.x_range(), rect.top(), Stroke::new(2.0, tokens(ui).accent));
}

/// Adds a row of two halves with a line between them. Returns the places of the halves.
pub fn halves(ui: &mut Ui, height: f32) -> [Rect; 2] {
    let (rect, _) = allocate_row(ui, height, Sense::hover());
    // Whole pixels, as in a sheet below, whose middle line continues this one.
    let middle = rect.left() + (rect.width() / 2.0).floor();
    line_beside(ui, rect.with_max_x(middle + 1.0));
    [rect.with_max_x(middle), rect.with_min_x(middle + 1.0)]
}

/// Lays out content indented below a heading with an icon.
pub fn indented<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    let mut rect = ui.available_rect_before_wrap();
    rect.min.x += theme::INDENT;
    ui.scope_builder(UiBuilder::new().max_rect(rect), content).inner
}

/// Returns the padding of a region.
pub fn padded_frame() -> Frame {
    Frame::new().inner_margin(Margin::symmetric(16, 12))
}

/// Lays out content as wide as its region, with padding.
pub fn padded<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    wide(ui, padded_frame(), content)
}

/// Lays out content on a card, as wide as its region.
pub fn card<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    card_with(ui, tokens(ui).desk, Margin::same(12), content)
}

/// Lays out content on a card of this colour and padding.
pub fn card_with<R>(
    ui: &mut Ui,
    fill: Color32,
    margin: Margin,
    content: impl FnOnce(&mut Ui) -> R,
) -> R {
    let stroke = Stroke::new(1.0, tokens(ui).line);
    let frame = Frame::new().fill(fill).stroke(stroke).corner_radius(theme::RADIUS_CARD);
    wide(ui, frame.inner_margin(margin), content)
}

/// Lays out content in a frame that is as wide as its region.
fn wide<R>(ui: &mut Ui, frame: Frame, content: impl FnOnce(&mut Ui) -> R) -> R {
    let wide_content = |ui: &mut Ui| {
        ui.set_width(ui.available_width());
        content(ui)
    };
    frame.show(ui, wide_content).inner
}

/// Adds a title and, muted, a note to it, each in its size.
pub fn title_note(ui: &mut Ui, (title, size): (&str, f32), (note, note_size): (&str, f32)) {
    let tokens = tokens(ui);
    let title = StyledText::new().with(title, theme::semibold(size), tokens.text_strong);
    title.with_gap(note, (theme::regular(note_size), tokens.muted)).show(ui);
}

/// Adds the empty state of a list as one sentence.
pub fn empty_sentence(ui: &mut Ui, sentence: &str) {
    empty_in(ui, None, sentence, |_| {});
}

/// Adds the empty state of a list: one sentence, and at most one action below it. Returns whether that was clicked.
pub fn empty_state(ui: &mut Ui, sentence: &str, action: Option<&str>) -> bool {
    let actions = action.as_slice();
    empty_in(ui, None, sentence, |ui| actions_ui(ui, actions)).is_some()
}

/// Adds the empty state of a desk: its icon, a title, a sentence, and actions. Returns the index of the clicked one.
pub fn empty_desk(
    ui: &mut Ui,
    heading: (&str, &str),
    sentence: &str,
    actions: &[&str],
) -> Option<usize> {
    empty_in(ui, Some(heading), sentence, |ui| actions_ui(ui, actions))
}

/// Adds the empty state of a desk with buttons that run commands.
pub fn empty_desk_commands(
    ui: &mut Ui,
    heading: (&str, &str),
    sentence: &str,
    commands: &[Command],
    actions: &mut Actions,
) {
    let names: Vec<&str> = commands.iter().map(|command| command.name()).collect();
    let index = empty_desk(ui, heading, sentence, &names);
    actions.extend(index.and_then(|i| commands.get(i)).copied().map(Action::Run));
}

/// Adds the empty state of a desk with other content below its sentence.
pub fn empty_desk_with(
    ui: &mut Ui,
    heading: (&str, &str),
    sentence: &str,
    content: impl FnOnce(&mut Ui),
) {
    empty_in(ui, Some(heading), sentence, |ui| {
        ui.add_space(theme::SECTION_GAP);
        content(ui);
    });
}

/// Distance of the empty states from the window's top, in points, on every desk.
const EMPTY_STATE_TOP: f32 = 240.0;
/// Maximum width of their sentences, in points: about eighty characters.
const EMPTY_STATE_WIDTH: f32 = 520.0;

fn empty_in<R>(
    ui: &mut Ui,
    heading: Option<(&str, &str)>,
    sentence: &str,
    content: impl FnOnce(&mut Ui) -> R,
) -> R {
    let tokens = tokens(ui);
    let (room, top) = (ui.available_rect_before_wrap(), EMPTY_STATE_TOP);
    // A panel low in the window has a height of its own.
    let is_low = room.top() > top || room.bottom() < top + 120.0;
    let top = if is_low { room.top() + room.height() * 0.3 } else { top };
    let side = ((room.width() - EMPTY_STATE_WIDTH) / 2.0).max(theme::PADDING);
    let room = room.with_min_y(top).shrink2(vec2(side.min(room.width() / 4.0), 0.0));
    let layout = egui::Layout::top_down(egui::Align::Center);
    ui.scope_builder(egui::UiBuilder::new().max_rect(room).layout(layout), |ui| {
        if let Some((icon, title)) = heading {
            ui.label(theme::text(icon, theme::icon(theme::ICON_EMPTY), tokens.muted));
            ui.add_space(theme::GAP);
            ui.label(theme::text(title, theme::semibold(theme::TITLE), tokens.text_strong));
            ui.add_space(theme::GAP);
        }
        ui.label(theme::text(sentence, theme::regular(theme::BODY), tokens.muted));
        content(ui)
    })
    .inner
}

fn actions_ui(ui: &mut Ui, actions: &[&str]) -> Option<usize> {
    let mut pressed_index = None;
    for (at, action) in actions.iter().enumerate() {
        ui.add_space(if at == 0 { theme::SECTION_GAP } else { theme::GAP });
        if ui.add(super::Button::secondary(action)).clicked() {
            pressed_index = Some(at);
        }
    }
    pressed_index
}
