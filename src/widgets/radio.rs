//! Rows of which one is chosen.

use egui::{Color32, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::place::allocate_row;
use super::{Line, focus_ring_inside};
use crate::icons;
use crate::theme::{self, tokens};

/// Adds a row with its radio mark before the line. `name` is its name for screen readers.
pub fn radio_row(ui: &mut Ui, height: f32, name: &str, is_chosen: bool, line: Line) -> Response {
    let (colors, is_enabled) = (tokens(ui), ui.is_enabled());
    let (rect, response) = allocate_row(ui, height, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, is_enabled, is_chosen, name));
    // Only the painting is skipped: screen readers know every choice.
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let fill = match (is_chosen, response.hovered()) {
        (true, _) => colors.selected,
        (false, true) => colors.hover,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect.shrink(1.0), theme::RADIUS_CONTROL, fill);
    let (icon, color) =
        if is_chosen { (icons::CIRCLE_DOT, colors.accent) } else { (icons::CIRCLE, colors.muted) };
    line.sign(icon, color)
        .icon_size(theme::ICON_HEADING)
        .indent(theme::ICON_HEADING + theme::SECTION_GAP)
        .show_in(ui, rect.shrink2(vec2(12.0, 0.0)));
    if response.has_focus() {
        focus_ring_inside(ui, rect.shrink(1.0), theme::RADIUS_CONTROL);
    }
    response
}
