//! A labelled field of a form, and the reason why its value is invalid.

use egui::{Id, Response, Role, Sense, Ui, WidgetInfo};

use document::text::visible;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{StyledText, TextField};

/// Adds a text field below its name. `note` says what it may contain, or what an empty field means.
pub(super) fn field_ui(ui: &mut Ui, id: Id, name: &str, note: &str, text: &mut String) -> Response {
    label_ui(ui, name, note);
    let width = ui.available_width();
    let response = TextField::new(id, name, text).show(ui, width, |_| {}, |_| {});
    ui.add_space(theme::GAP);
    response
}

/// Adds the name of a field and a note.
pub(super) fn label_ui(ui: &mut Ui, name: &str, note: &str) {
    let colors = tokens(ui);
    StyledText::new()
        .with(name, theme::medium(theme::LABEL), colors.text)
        .after(6.0, note, theme::regular(theme::LABEL), colors.muted)
        .show(ui);
    ui.add_space(4.0);
}

/// Adds the reason, which has no full stop.
pub(super) fn error_ui(ui: &mut Ui, reason: &str) {
    let color = tokens(ui).error;
    ui.add_space(2.0);
    let (rect, response) = widgets::allocate_row(ui, theme::TEXT_LINE, Sense::hover());
    let text = format!("{}.", visible(reason));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    widgets::paint_icon_word(ui, rect, (icons::OCTAGON_X, color), (&text, color));
    response.on_hover_text(text);
}
