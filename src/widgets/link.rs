//! Links.

use egui::{Color32, CursorIcon, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::{focus_ring, styled_text};
use crate::theme::{self, tokens};

/// Adds a link that goes somewhere or runs a small action.
pub fn link(ui: &mut Ui, text: &str) -> Response {
    link_in(ui, None, text, theme::regular(theme::ROW))
}

/// Adds a link with an icon before it.
pub fn icon_link(ui: &mut Ui, icon: &str, text: &str) -> Response {
    link_in(ui, Some(icon), text, theme::regular(theme::ROW))
}

/// Adds a link with an icon before it, in the colour of a warning.
pub fn warning_link(ui: &mut Ui, icon: &str, text: &str) -> Response {
    let color = tokens(ui).warning;
    colored_link(ui, Some(icon), text, (theme::regular(theme::ROW), color))
}

/// Adds a link in the data font: a path, a commit.
pub fn mono_link(ui: &mut Ui, text: &str) -> Response {
    link_in(ui, None, text, theme::mono(theme::LABEL))
}

/// Adds a part of a place in the program: a link in quiet colours, or the present part, which leads nowhere.
pub fn crumb(ui: &mut Ui, text: &str, is_link: bool) -> Response {
    let colors = tokens(ui);
    let font = theme::regular(theme::ROW);
    // The colour depends on the pointer, which is known only after the text has its place.
    let line = styled_text::line(ui, text, font, Color32::PLACEHOLDER, ui.available_width());
    let (role, sense) =
        if is_link { (Role::Link, Sense::click()) } else { (Role::Label, Sense::hover()) };
    let (rect, response) = ui.allocate_exact_size(vec2(line.size().x, theme::TEXT_LINE), sense);
    crate::describe(&response, role, text);
    let is_strong = !is_link || response.hovered();
    let color = if is_strong { colors.text_strong } else { colors.muted };
    let top = (rect.center().y - line.size().y / 2.0).floor();
    let response = if line.elided { response.on_hover_text(text) } else { response };
    ui.painter().galley_with_override_text_color(pos2(rect.left(), top), line, color);
    focus_ring(ui, &response, 2);
    if is_link { response.on_hover_cursor(CursorIcon::PointingHand) } else { response }
}

fn link_in(ui: &mut Ui, icon: Option<&str>, text: &str, font: egui::FontId) -> Response {
    let color = tokens(ui).accent;
    colored_link(ui, icon, text, (font, color))
}

fn colored_link(
    ui: &mut Ui,
    icon: Option<&str>,
    text: &str,
    (font, color): (egui::FontId, Color32),
) -> Response {
    let extra_width = icon.map_or(0.0, |_| theme::ICON + theme::ICON_GAP);
    let label = styled_text::line(ui, text, font, color, ui.available_width() - extra_width);
    let size = vec2(extra_width + label.size().x, theme::TEXT_LINE);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Link, ui.is_enabled(), text));
    let middle = rect.center().y;
    if let Some(icon) = icon {
        let center = pos2(rect.left() + theme::ICON / 2.0, middle);
        styled_text::paint_icon(ui.painter(), center, icon, theme::ICON, color);
    }
    if response.hovered() {
        // On a half point, where a line of one point is sharp.
        let line_y = (middle + label.size().y / 2.0).round() - 1.5;
        ui.painter().hline(rect.left() + extra_width..=rect.right(), line_y, (1.0, color));
    }
    styled_text::paint_line(ui.painter(), pos2(rect.left() + extra_width, middle), label);
    focus_ring(ui, &response, 2);
    response.on_hover_cursor(CursorIcon::PointingHand)
}
