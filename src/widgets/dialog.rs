//! Dialogs: a heading, a body that scrolls, and a footer with buttons.

use egui::{
    Align, Align2, Area, Color32, Frame, Id, Layout, Margin, Modal, Order, Rect, Role, ScrollArea,
    Sense, Ui, pos2, vec2,
};

use super::fields;
use super::theme::{self, tokens};
use crate::{Line, StyledText, paint_icon};
use document::text::thousands;
use workbench::{Action, Actions};

const DIALOG_WIDTH: f32 = 720.0;
const MAX_HEIGHT: f32 = 720.0;
const HEAD_HEIGHT: f32 = 72.0;
const FOOT_HEIGHT: f32 = 60.0;

/// The heading of a dialog.
#[derive(Clone, Copy, Debug)]
pub struct DialogHead<'a> {
    /// An icon for the subject.
    pub icon: &'a str,
    /// The question or the title.
    pub title: &'a str,
    /// An explanation in one sentence.
    pub detail: &'a str,
}

/// Returns the height that the body of a dialog can have without scrolling.
pub fn body_height(ui: &Ui) -> f32 {
    let window = ui.ctx().content_rect();
    // In the smallest window the body still shows about two rows and scrolls.
    (tallest(window) - HEAD_HEIGHT - FOOT_HEIGHT).max(80.0)
}

fn tallest(window: Rect) -> f32 {
    // 24 points stay free below, as at the sides: a click there closes the dialog.
    MAX_HEIGHT.min(window.height() - theme::overlay_top(window) - 24.0)
}

/// Returns the empty overlay of this name, centered below the top bar.
pub fn modal(ui: &Ui, name: &str) -> Modal {
    let tokens = tokens(ui);
    let frame = Frame::new()
        .fill(tokens.overlay)
        .stroke((1.0, tokens.line))
        .corner_radius(theme::RADIUS_PALETTE)
        .shadow(theme::palette_shadow(tokens));
    // The top is fixed, not the middle: a body that grows must not move the heading.
    let (id, top) = (Id::unique(name), theme::overlay_top(ui.ctx().content_rect()));
    let area = Area::new(id).order(Order::Foreground).anchor(Align2::CENTER_TOP, vec2(0.0, top));
    Modal::new(id).area(area).backdrop_color(tokens.veil).frame(frame)
}

/// Draws a dialog over the desk. A click outside or Esc closes it without a decision.
pub fn dialog(
    ui: &mut Ui,
    name: &str,
    head: DialogHead<'_>,
    actions: &mut Actions,
    body: impl FnOnce(&mut Ui, &mut Actions),
    foot: impl FnOnce(&mut Ui, &mut Actions),
) {
    let window = ui.ctx().content_rect();
    let width = DIALOG_WIDTH.min(window.width() - 48.0);
    let response = modal(ui, name).show(ui.ctx(), |ui| {
        ui.set_width(width);
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        let max_height = tallest(window);
        // Without this, a body that grew would be cut until the next frame, which may be much later.
        ui.set_max_height(max_height);
        head_ui(ui, head);
        ScrollArea::vertical().max_height(body_height(ui)).show(ui, |ui| {
            ui.set_width(width);
            Frame::new().inner_margin(Margin::symmetric(20, 0)).show(ui, |ui| body(ui, actions));
        });
        foot_ui(ui, |ui| foot(ui, actions));
    });
    // Not `should_close`: Esc is a command, and reaches the workbench through the keymap.
    crate::on_click(&response.backdrop_response, Action::SetOverlay(None), actions);
}

fn head_ui(ui: &mut Ui, head: DialogHead<'_>) {
    let tokens = tokens(ui);
    let (rect, _) = crate::allocate_row(ui, HEAD_HEIGHT, Sense::hover());
    let left = rect.left() + 20.0;
    let center = pos2(left + 8.0, rect.top() + 25.0);
    paint_icon(ui.painter(), center, head.icon, theme::ICON_HEADING, tokens.accent);
    let words = rect.with_min_x(left + theme::INDENT + 2.0).with_max_x(rect.right() - 20.0);
    crate::place(ui, words, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        ui.add_space(14.0);
        crate::title(ui, head.title);
        crate::body(ui, head.detail);
    });
}

fn foot_ui(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let (rect, _) = crate::allocate_row(ui, FOOT_HEIGHT, Sense::hover());
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, (1.0, tokens(ui).line));
    crate::place_left(ui, rect.shrink2(vec2(20.0, 0.0)), content);
}

/// Adds the default button, which has the focus when the dialog opens.
pub fn default_button(ui: &mut Ui, button: crate::Button<'_>) -> egui::Response {
    let response = ui.add(button);
    fields::focus_first(ui, &response);
    response
}

/// Adds the button that closes a dialog, as Esc does.
pub fn close_button(ui: &mut Ui, word: &str, actions: &mut Actions) {
    let response = ui.add(crate::Button::secondary(word).keys(vec!["Esc".to_owned()]).show_keys());
    crate::on_click(&response, Action::SetOverlay(None), actions);
}

/// Adds the only button at the right of a dialog, which closes it as Esc does and has the focus.
pub fn close_at_right(ui: &mut Ui, word: &str, actions: &mut Actions) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let close = crate::Button::secondary(word).keys(vec!["Esc".to_owned()]).show_keys();
        crate::on_click(&default_button(ui, close), Action::SetOverlay(None), actions);
    });
}

/// Adds the default button, which Enter clicks, and *Cancel*, from the right.
pub fn confirm_buttons(
    ui: &mut Ui,
    button: crate::Button<'_>,
    actions: &mut Actions,
    action: impl FnOnce() -> Action,
) {
    // Laid out from the right, so the default button comes first in the order of focus, too.
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if default_button(ui, button.enter()).clicked() {
            actions.push(action());
        }
        close_button(ui, "Cancel", actions);
    });
}

/// Adds a row about a file: an icon, its path, at the right what happens to it, and after that what `add` adds.
pub fn file_row(
    ui: &mut Ui,
    (icon, color): (&'static str, Color32),
    path: &str,
    words: &str,
    add: impl FnOnce(&mut Ui),
) {
    let colors = tokens(ui);
    let (rect, response) = crate::allocate_row(ui, theme::CONTROL + 4.0, Sense::hover());
    crate::describe(&response, Role::Label, &format!("{path}: {words}"));
    let ((), right) = crate::place_right(ui, rect, |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        add(ui);
    });
    let words = StyledText::of(words, colors.note());
    let line = Line::of(path, colors.data()).icon(icon, color).right(words).right_share(0.5);
    line.show_in(ui, rect.with_max_x(right - theme::GAP));
}

/// Adds *and 3 more* below a list that has more rows than it shows.
pub fn more_text(ui: &mut Ui, count: usize) {
    if count > 0 {
        crate::muted(ui, &format!("and {} more", thousands(count)));
    }
}

/// Adds a line between the parts of an overlay, on whose background a hair line would not be visible.
pub fn divider(ui: &mut Ui) {
    crate::section::region_line(ui, tokens(ui).line);
}
