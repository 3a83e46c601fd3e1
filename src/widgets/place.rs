//! Content at a fixed place, which does not affect the layout after it.

use egui::{Align, Layout, Rect, Response, Sense, Stroke, Ui, UiBuilder, vec2};

use crate::theme::{self, tokens};

/// Lays out content from the top of `rect` downwards.
pub fn place<R>(ui: &mut Ui, rect: Rect, content: impl FnOnce(&mut Ui) -> R) -> R {
    child(ui, rect, Layout::top_down(Align::Min), content)
}

/// Lays out content in a row along the middle of `rect`, from its left edge.
pub fn place_left<R>(ui: &mut Ui, rect: Rect, content: impl FnOnce(&mut Ui) -> R) -> R {
    child(ui, rect, Layout::left_to_right(Align::Center), content)
}

/// Lays out content in a row along the middle of `rect`, from its right edge. Also returns the left end of the row.
pub fn place_right<R>(ui: &mut Ui, rect: Rect, content: impl FnOnce(&mut Ui) -> R) -> (R, f32) {
    child(ui, rect, Layout::right_to_left(Align::Center), |ui| {
        let answer = content(ui);
        // Without content, the row begins and ends at the right edge.
        (answer, ui.min_rect().left().min(rect.right()))
    })
}

/// Lays out content from the right edge of what is left of a row.
pub fn at_right<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    ui.with_layout(Layout::right_to_left(Align::Center), content).inner
}

/// Lays out content from the left edge of what is left of a row.
pub fn at_left<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
    ui.with_layout(Layout::left_to_right(Align::Center), content).inner
}

/// Lays out content in a row of this height, as wide as the layout, from its right edge.
pub fn row_from_right<R>(ui: &mut Ui, height: f32, content: impl FnOnce(&mut Ui) -> R) -> R {
    let (size, layout) = (vec2(ui.available_width(), height), Layout::right_to_left(Align::Center));
    ui.allocate_ui_with_layout(size, layout, content).inner
}

/// Allocates a row of this height, as wide as the layout.
pub fn allocate_row(ui: &mut Ui, height: f32, sense: Sense) -> (Rect, Response) {
    ui.allocate_exact_size(vec2(ui.available_width(), height), sense)
}

/// Lays out tools in a row of this height, with the padding of a region. Returns the rect of the row.
pub fn strip(ui: &mut Ui, height: f32, content: impl FnOnce(&mut Ui)) -> Rect {
    let (rect, _) = allocate_row(ui, height, Sense::hover());
    place_left(ui, rect.shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        content(ui);
    });
    rect
}

/// Adds a row with content at its right end, which comes first and keeps its room, and content in the rest. Both change the same state,
/// such as the actions. Returns the rect of the row.
pub fn split_row<S>(
    ui: &mut Ui,
    height: f32,
    state: &mut S,
    right: impl FnOnce(&mut Ui, &mut S),
    left: impl FnOnce(&mut Ui, &mut S),
) -> Rect {
    let (rect, _) = allocate_row(ui, height, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), end) = place_right(ui, inner, |ui| right(ui, state));
    place_left(ui, inner.with_max_x(end - theme::GAP), |ui| left(ui, state));
    rect
}

/// Adds the header of a view, with a line below it.
pub fn header<S>(
    ui: &mut Ui,
    state: &mut S,
    right: impl FnOnce(&mut Ui, &mut S),
    left: impl FnOnce(&mut Ui, &mut S),
) {
    let rect = split_row(ui, theme::DESK_HEADER, state, right, left);
    line_below(ui, rect);
}

/// Draws a line between regions at the bottom of a rect.
pub fn line_below(ui: &Ui, rect: Rect) {
    let hair = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, hair);
}

fn child<R>(ui: &mut Ui, rect: Rect, layout: Layout, content: impl FnOnce(&mut Ui) -> R) -> R {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
    content(&mut child)
}
