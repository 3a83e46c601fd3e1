//! Chips: parts of a filter that can be removed.

use egui::{
    CornerRadius, CursorIcon, Rect, Response, Role, Sense, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::styled_text::{self, StyledText};
use crate::icons;
use crate::theme::{self, tokens};

/// Interaction with a chip.
pub struct ChipResponse {
    /// The chip itself; a click on it edits it.
    pub response: Response,
    /// Whether it was removed by its cross, or by Delete or Backspace while it had the focus.
    pub removed: bool,
}

/// Adds a chip: `key` muted, `value` strong, and a cross.
pub fn chip(ui: &mut Ui, key: &str, value: &str) -> ChipResponse {
    let tokens = tokens(ui);
    let font = || theme::regular(theme::LABEL);
    let space = if key.is_empty() { 0.0 } else { 4.0 };
    let words = StyledText::new().with(key, font(), tokens.muted).after(
        space,
        value,
        font(),
        tokens.text_strong,
    );
    let cross_width = theme::ICON_TAG + 4.0;
    let line = words.galley(ui, ui.available_width() - cross_width - 12.0);
    let size = vec2((line.size().x + cross_width + 12.0).ceil(), theme::TAG);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let name = format!("{key} {value}").trim().to_owned();
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &name));

    let cross = Rect::from_min_max(pos2(rect.right() - cross_width - 4.0, rect.top()), rect.max);
    // Without focus: Tab stops once for each chip, and Delete removes it.
    let remove = ui.interact(cross, response.id.with("remove"), Sense::CLICK);
    remove.widget_info(|| {
        WidgetInfo::labeled(Role::Button, ui.is_enabled(), format!("Remove {name}"))
    });

    let painter = ui.painter();
    let radius = CornerRadius::same(theme::RADIUS_TAG);
    let ground = if response.hovered() { tokens.selected } else { tokens.quiet };
    painter.rect_filled(rect, radius, ground);
    if response.has_focus() {
        painter.rect_stroke(rect.expand(1.0), radius, (1.0, tokens.ring), StrokeKind::Inside);
    }
    styled_text::paint_line(painter, pos2(rect.left() + 6.0, rect.center().y), line);
    let color = if remove.hovered() { tokens.text_strong } else { tokens.muted };
    let center = pos2(rect.right() - 5.0 - theme::ICON_TAG / 2.0, rect.center().y);
    styled_text::paint_icon(painter, center, icons::X, theme::ICON_TAG, color);

    let by_key = response.has_focus()
        && ui.input(|input| {
            input.key_pressed(egui::Key::Delete) || input.key_pressed(egui::Key::Backspace)
        });
    let is_removed = remove.clicked() || by_key;
    remove.on_hover_cursor(CursorIcon::PointingHand);
    ChipResponse { response, removed: is_removed }
}
