//! Temporary messages above the status line.

use egui::{Color32, CornerRadius, Frame, Margin, Rect, Role, Sense, Stroke, Ui, WidgetInfo, vec2};

use super::{Button, styled_text};
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};

/// Adds a message, `width` wide. Returns whether it was closed.
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
    let answer = frame.show(ui, |ui| {
        ui.set_width(width - 22.0);
        let beside = theme::ICON_HEADING + 3.0 * theme::GAP + theme::CONTROL;
        let font = theme::regular(theme::BODY);
        let color = tokens.text_strong;
        let painter = ui.painter();
        let sentence = painter.layout(text.to_owned(), font, color, ui.available_width() - beside);
        let height = sentence.size().y.max(theme::CONTROL);
        ui.horizontal(|ui| {
            let icon_size = vec2(theme::ICON_HEADING, height);
            let (rect, _) = ui.allocate_exact_size(icon_size, Sense::hover());
            let color = tokens.tone(tone);
            styled_text::paint_icon(
                ui.painter(),
                rect.center(),
                icon,
                theme::ICON_HEADING,
                color,
            );

            let room = vec2(ui.available_width() - theme::GAP - theme::CONTROL, height);
            let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
            response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
            let top = (rect.center().y - sentence.size().y / 2.0).floor();
            let place = Rect::from_min_size(egui::pos2(rect.left(), top), sentence.size());
            ui.painter()
                .galley(place.min, sentence, Color32::PLACEHOLDER);
            ui.add(Button::icon_only(icons::X, "Dismiss")).clicked()
        })
    });
    answer.inner.inner
}
