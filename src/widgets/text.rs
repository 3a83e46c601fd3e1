//! Texts and icons by their role, which decides font, size and colour.

use egui::{Color32, Response, Sense, Ui, vec2};

use super::styled_text::{StyledText, paint_icon};
use crate::theme::{self, tokens};

/// Adds an icon that is not clickable.
pub fn icon(ui: &mut Ui, icon: &str, size: f32, color: Color32) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(size, size), Sense::hover());
    paint_icon(ui.painter(), rect.center(), icon, size, color);
    response
}

/// Adds the title of a desk or a panel, on one line.
pub fn title(ui: &mut Ui, text: &str) -> Response {
    StyledText::of(text, tokens(ui).title()).show(ui)
}

/// Adds the title of a part of a desk, on one line.
pub fn subtitle(ui: &mut Ui, text: &str) -> Response {
    StyledText::of(text, tokens(ui).heading()).show(ui)
}

/// Adds muted text, on one line.
pub fn muted(ui: &mut Ui, text: &str) -> Response {
    StyledText::of(text, tokens(ui).note()).show(ui)
}

/// Adds small muted text, on one line.
pub fn small(ui: &mut Ui, text: &str) -> Response {
    StyledText::of(text, tokens(ui).label()).show(ui)
}

/// Adds a small muted remark, which wraps.
pub fn remark(ui: &mut Ui, text: &str) -> Response {
    ui.label(theme::text(text, theme::regular(theme::LABEL), tokens(ui).muted))
}

/// Adds a muted sentence, which wraps.
pub fn note(ui: &mut Ui, text: &str) -> Response {
    ui.label(theme::text(text, theme::regular(theme::ROW), tokens(ui).muted))
}

/// Adds a sentence, which wraps.
pub fn body(ui: &mut Ui, text: &str) -> Response {
    ui.label(theme::text(text, theme::regular(theme::BODY), tokens(ui).text))
}

/// Adds text in the data font, which wraps.
pub fn data(ui: &mut Ui, text: &str) -> Response {
    ui.label(theme::text(text, theme::mono(theme::LABEL), tokens(ui).text))
}
