//! Folds: a line that shows or hides what is below it.

use egui::{Role, Sense, Ui, WidgetInfo, vec2};

use super::place::allocate_row;
use super::{Line, focus_ring};
use crate::icons;
use crate::theme::{self, tokens};

/// Adds the line, muted. `name` distinguishes it from others of the region. Returns whether it is open: as the user left it, else
/// `is_open`.
pub fn fold(ui: &mut Ui, name: &str, label: &str, is_open: bool) -> bool {
    let id = ui.scope_id().with(("fold", name));
    let stored = ui.data(|data| data.get_temp(id));
    // Stored as soon as the caller opens it: it must not close while the user types below it.
    if is_open && stored.is_none() {
        ui.data_mut(|data| data.insert_temp(id, true));
    }
    let is_open = stored.unwrap_or(is_open);
    let (rect, response) = allocate_row(ui, theme::TOOL_ROW, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_open, label));
    let colors = tokens(ui);
    let color = if response.hovered() { colors.text } else { colors.muted };
    let icon = if is_open { icons::CHEVRON_DOWN } else { icons::CHEVRON_RIGHT };
    let line = Line::new(label, theme::regular(theme::ROW), color).icon(icon, color);
    line.show_in(ui, rect.shrink2(vec2(theme::PADDING, 0.0)));
    focus_ring(ui, &response, theme::RADIUS_KEY);
    if response.clicked() {
        ui.data_mut(|data| data.insert_temp(id, !is_open));
    }
    is_open
}
