//! Paints the legend of the tables.

use egui::{Color32, Rect, Sense, Stroke, Ui, vec2};

use super::row_ui::row_line;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, StyledText};

/// Draws the legend.
pub(super) fn legend_ui(ui: &mut Ui) {
    let colors = tokens(ui);
    let top = ui.max_rect().top();
    row_line(ui, top + 1.0);
    widgets::place_left(ui, ui.max_rect().shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
        let words = "one chunk; its height shows its length";
        sign_ui(ui, 2.0, words, bar(colors.accent));
        sign_ui(ui, 2.0, "now", bar(colors.text_strong));
        sign_ui(ui, 12.0, "remaining", |ui, rect| {
            let line = [rect.left_center(), rect.right_center()];
            let stroke = Stroke::new(1.0, colors.strong);
            let dashes = egui::Shape::dashed_line(&line, stroke, 2.0, 2.0);
            ui.painter().extend(dashes);
        });
        sign_ui(ui, 12.0, "cut off", |ui, rect| {
            let (center, color) = (rect.center(), colors.error);
            widgets::paint_icon(ui.painter(), center, icons::X, theme::ICON, color);
        });
    });
}

fn bar(color: Color32) -> impl FnOnce(&Ui, Rect) {
    move |ui, rect| {
        ui.painter().rect_filled(rect, 0.0, color);
    }
}

/// Adds a symbol and its meaning.
fn sign_ui(ui: &mut Ui, width: f32, words: &str, paint: impl FnOnce(&Ui, Rect)) {
    let (rect, _) = ui.allocate_exact_size(vec2(width, 12.0), Sense::hover());
    paint(ui, rect);
    StyledText::new().with(words, theme::regular(theme::LABEL), tokens(ui).muted).show(ui);
    ui.add_space(theme::GAP);
}
