//! Banners: a verdict, its reason, and actions.

use egui::{Color32, FontId, Frame, Margin, Ui, vec2};

use super::styled_text;
use crate::theme::{self, Tone, tokens};

/// Adds a banner as wide as the layout. `body` is the reason in a sentence, or empty.
pub fn banner(ui: &mut Ui, tone: Tone, icon: &str, heading: &str, body: &str) {
    framed(ui, tone, icon, |ui| sentences(ui, heading, body));
}

/// Adds a banner with buttons below its text.
pub fn banner_with(
    ui: &mut Ui,
    tone: Tone,
    icon: &str,
    heading: &str,
    body: &str,
    buttons: impl FnOnce(&mut Ui),
) {
    framed(ui, tone, icon, |ui| {
        sentences(ui, heading, body);
        ui.add_space(6.0);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, theme::GAP);
            buttons(ui);
        });
    });
}

fn framed(ui: &mut Ui, tone: Tone, icon: &str, content: impl FnOnce(&mut Ui)) {
    let tokens = tokens(ui);
    Frame::new().fill(tokens.tint_of(tone)).inner_margin(Margin::symmetric(16, 10)).show(
        ui,
        |ui| {
            // A banner is a region, not a bubble around its text.
            ui.set_min_width(ui.available_width());
            let center = ui.cursor().min + vec2(8.0, 10.0);
            let color = tokens.tone(tone);
            styled_text::paint_icon(ui.painter(), center, icon, theme::ICON_HEADING, color);
            super::indented(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                content(ui);
            });
        },
    );
}

fn sentences(ui: &mut Ui, heading: &str, body: &str) {
    let tokens = tokens(ui);
    let mut sentence = |text: &str, font: FontId, color: Color32| {
        ui.label(theme::text(text, font, color).line_height(Some(theme::TEXT_LINE)));
    };
    sentence(heading, theme::semibold(theme::BODY), tokens.text_strong);
    if !body.is_empty() {
        sentence(body, theme::regular(theme::ROW), tokens.text);
    }
}
