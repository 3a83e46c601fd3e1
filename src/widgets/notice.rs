//! Temporary messages above the status line.

use egui::{Align, Color32, Frame, Layout, Margin, Rect, Role, Sense, Ui, vec2};

use super::{Button, styled_text};
use crate::icons;
use crate::theme::{self, Tone, tokens};

/// The width that is reserved for a button.
const BUTTON_WIDTH: f32 = 136.0;

/// Control that was clicked in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeClick {
    Dismiss,
    Button,
}

/// Adds a message, `width` wide, with a button of an icon and a label if there is one.
pub fn notice(
    ui: &mut Ui,
    width: f32,
    tone: Tone,
    icon: &str,
    text: &str,
    button: Option<(&str, &str)>,
) -> Option<NoticeClick> {
    let tokens = tokens(ui);
    let frame = Frame::new()
        .fill(tokens.overlay)
        .stroke((1.0, tokens.line))
        .corner_radius(theme::RADIUS_CARD)
        .shadow(theme::shadow(tokens))
        .inner_margin(Margin { left: 12, right: 8, top: 8, bottom: 8 });
    let answer = frame.show(ui, |ui| {
        ui.set_width(width - 22.0);
        let button_width = if button.is_some() { BUTTON_WIDTH } else { 0.0 };
        let extra_width = theme::ICON_HEADING + 3.0 * theme::GAP + theme::CONTROL + button_width;
        let font = theme::regular(theme::BODY);
        let color = tokens.text_strong;
        let painter = ui.painter();
        // Laid out before the row, whose height depends on how the sentence wraps.
        let sentence =
            painter.layout(text.to_owned(), font, color, ui.available_width() - extra_width);
        let height = sentence.size().y.max(theme::CONTROL);
        ui.horizontal(|ui| {
            let icon_size = vec2(theme::ICON_HEADING, height);
            let (rect, _) = ui.allocate_exact_size(icon_size, Sense::hover());
            let color = tokens.tone(tone);
            styled_text::paint_icon(ui.painter(), rect.center(), icon, theme::ICON_HEADING, color);

            let buttons_width = theme::GAP + theme::CONTROL + button_width;
            let room = vec2(ui.available_width() - buttons_width, height);
            let (rect, response) = ui.allocate_exact_size(room, Sense::hover());
            crate::describe(&response, Role::Label, text);
            let top = (rect.center().y - sentence.size().y / 2.0).floor();
            let place = Rect::from_min_size(egui::pos2(rect.left(), top), sentence.size());
            ui.painter().galley(place.min, sentence, Color32::PLACEHOLDER);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let mut click = None;
                if ui.add(Button::icon_only(icons::X, "Dismiss")).clicked() {
                    click = Some(NoticeClick::Dismiss);
                }
                if let Some((icon, label)) = button
                    && ui.add(Button::ghost(label).icon(icon)).clicked()
                {
                    click = Some(NoticeClick::Button);
                }
                click
            })
            .inner
        })
    });
    answer.inner.inner
}
