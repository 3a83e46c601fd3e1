//! Messages that come and go above the status line.

use egui::{CornerRadius, Frame, Margin, Stroke, Ui, vec2};

use super::{Button, words};
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};

/// Adds a message, `width` wide. Answers whether it was told to go.
pub fn notice(ui: &mut Ui, width: f32, tone: Tone, icon: &str, text: &str) -> bool {
    let tokens = tokens(ui);
    let frame = Frame::new()
        .fill(tokens.overlay)
        .stroke(Stroke::new(1.0, tokens.line))
        .corner_radius(CornerRadius::same(theme::RADIUS_CARD))
        .shadow(theme::shadow(tokens))
        .inner_margin(Margin {
            left: 12,
            right: 8,
            top: 8,
            bottom: 8,
        });
    frame
        .show(ui, |ui| {
            ui.set_width(width - 22.0);
            ui.horizontal(|ui| {
                ui.set_min_height(theme::CONTROL);
                let (rect, _) =
                    ui.allocate_exact_size(vec2(16.0, theme::CONTROL), egui::Sense::hover());
                words::paint_icon(
                    ui.painter(),
                    rect.center(),
                    icon,
                    theme::ICON_HEADING,
                    tokens.tone(tone),
                );
                let text = egui::RichText::new(text)
                    .font(theme::regular(theme::BODY))
                    .color(tokens.text_strong);
                let room = ui.available_width() - theme::CONTROL - theme::GAP;
                ui.allocate_ui(vec2(room, theme::CONTROL), |ui| {
                    ui.set_width(room);
                    ui.label(text);
                });
                ui.add(Button::icon_only(icons::X, "Dismiss")).clicked()
            })
            .inner
        })
        .inner
}
