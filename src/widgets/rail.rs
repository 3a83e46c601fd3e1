//! Entries of the rail of desks.

use egui::{CornerRadius, Pos2, Rect, Response, Ui, pos2, vec2};

use super::focus_ring_inside;
use super::styled_text::{line, paint_icon, paint_line};
use crate::theme::{self, Tone, tokens};

/// Paints an entry: its icon, below it its name where there is room for names, and the number of its badge.
pub fn rail_entry(
    ui: &Ui,
    response: &Response,
    (icon, name): (&str, &str),
    is_current: bool,
    badge: Option<(usize, Tone)>,
) {
    let (tokens, rect, painter) = (tokens(ui), response.rect, ui.painter());
    let words = rect.width() > theme::RAIL_NARROW;
    let (icon_color, text) = if is_current {
        painter.rect_filled(rect, theme::RADIUS_CARD, tokens.selected);
        painter.rect_filled(
            Rect::from_center_size(pos2(rect.left() - 4.5, rect.center().y), vec2(3.0, 28.0)),
            CornerRadius { ne: 2, se: 2, ..CornerRadius::ZERO },
            tokens.accent,
        );
        (tokens.accent, tokens.text_strong)
    } else if response.hovered() {
        painter.rect_filled(rect, theme::RADIUS_CARD, tokens.hover);
        (tokens.text, tokens.text)
    } else {
        (tokens.muted, tokens.muted)
    };
    let center = if words { pos2(rect.center().x, rect.top() + 17.0) } else { rect.center() };
    paint_icon(painter, center, icon, theme::ICON_RAIL, icon_color);
    if words {
        let font = if is_current { theme::medium } else { theme::regular };
        let line = line(ui, name, font(theme::SMALL), text, rect.width());
        let left = rect.center().x - line.size().x / 2.0;
        paint_line(painter, pos2(left, rect.top() + 38.0), line);
    }
    if response.has_focus() {
        focus_ring_inside(ui, rect, theme::RADIUS_CARD);
    }
    if let Some(badge) = badge {
        paint_badge(ui, badge, is_current, center);
    }
}

/// Paints the number right of the icon, so that it never covers the icon.
fn paint_badge(ui: &Ui, (count, tone): (usize, Tone), is_current: bool, icon: Pos2) {
    let (tokens, painter) = (tokens(ui), ui.painter());
    // A wider number would leave the rail.
    let count = if count > 999 { "999+".to_owned() } else { count.to_string() };
    let font = theme::medium(theme::BADGE);
    let line = line(ui, &count, font, tokens.tone(tone), f32::INFINITY);
    let size = vec2((line.size().x + 8.0).max(16.0).round(), 16.0);
    let left = icon.x + theme::ICON_RAIL / 2.0;
    let rect = Rect::from_min_size(pos2(left, icon.y - size.y / 2.0 - 4.0), size);
    let ground = if is_current { tokens.selected } else { tokens.ground };
    // A margin in the colour below keeps the badge apart from the icon.
    painter.rect_filled(rect.expand(1.0), 9, ground);
    painter.rect_filled(rect, 8, tokens.tint_of(tone));
    paint_line(painter, pos2(rect.center().x - line.size().x / 2.0, rect.center().y), line);
}
