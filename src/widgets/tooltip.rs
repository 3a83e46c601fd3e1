//! Tooltips: the name or effect of a control, and its keys.

use egui::{Response, Ui, vec2};

use super::keys::key_caps;
use crate::theme::{self, tokens};

/// Length from which a text has several lines.
const MAX_LINE_CHARS: usize = 80;

/// Shows a text, with key caps beside it, while the pointer is on a control.
pub fn tip<S: AsRef<str>>(response: Response, text: &str, caps: &[S]) -> Response {
    response.on_hover_ui(|ui| tip_ui(ui, text, caps))
}

/// Shows a text while the pointer is on a control.
pub fn hint(response: Response, text: &str) -> Response {
    tip(response, text, &[] as &[&str])
}

fn tip_ui<S: AsRef<str>>(ui: &mut Ui, text: &str, caps: &[S]) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let color = tokens(ui).text_strong;
    if text.chars().count() > MAX_LINE_CHARS && caps.is_empty() {
        ui.label(theme::text(text, theme::regular(theme::LABEL), color));
        return;
    }
    ui.horizontal(|ui| {
        ui.set_min_height(theme::KEY);
        ui.add_space(5.0);
        ui.label(theme::text(text, theme::regular(theme::LABEL), color));
        if !caps.is_empty() {
            key_caps(ui, caps);
        }
        ui.add_space(5.0);
    });
}
