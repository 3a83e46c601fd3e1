//! Tabs, of which one is shown.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::place::allocate_row;
use super::styled_text;
use crate::theme::{self, Tone, tokens};

/// The height of a row of tabs.
pub const TABS: f32 = 36.0;

const TAB_GAP: f32 = 16.0;

#[derive(Clone, Copy, Debug)]
pub struct TabLabel<'a> {
    /// Its words.
    pub text: &'a str,
    /// A count after the text, on the tint of its tone.
    pub badge: Option<(&'a str, Tone)>,
}

/// Adds a row of tabs as high as its place, of which `current` is selected. Returns which one was clicked.
pub fn tabs(ui: &mut Ui, tabs: &[TabLabel<'_>], current: usize) -> Option<usize> {
    let tokens = tokens(ui);
    let (row, _) = allocate_row(ui, ui.max_rect().height(), Sense::hover());
    let mut left = row.left();
    let mut pressed_index = None;
    for (index, tab) in tabs.iter().enumerate() {
        let is_chosen = index == current;
        let font = if is_chosen { theme::medium(theme::ROW) } else { theme::regular(theme::ROW) };
        let color = if is_chosen { tokens.text_strong } else { tokens.muted };
        let label = styled_text::line(ui, tab.text, font, color, row.right() - left);
        let badge = tab.badge.map(|(count, tone)| {
            let (font, color) = (theme::regular(theme::SMALL), tokens.tone(tone));
            (styled_text::line(ui, count, font, color, f32::INFINITY), tone)
        });
        let badge_width =
            badge.as_ref().map_or(0.0, |(line, _)| line.size().x.max(6.0) + 10.0 + theme::ICON_GAP);
        let rect = Rect::from_min_size(
            pos2(left, row.top()),
            vec2(label.size().x + badge_width, row.height()),
        );
        let response = ui.interact(rect, ui.auto_id_with(("tab", index)), Sense::click());
        response
            .widget_info(|| WidgetInfo::selected(Role::Tab, ui.is_enabled(), is_chosen, tab.text));
        if response.clicked() {
            pressed_index = Some(index);
        }
        let painter = ui.painter();
        if is_chosen || response.hovered() {
            let color = if is_chosen { tokens.accent } else { tokens.strong };
            let bar = Rect::from_min_max(pos2(rect.left(), rect.bottom() - 2.0), rect.max);
            painter.rect_filled(bar, 0.0, color);
        }
        let text_right = rect.left() + label.size().x;
        styled_text::paint_line(painter, rect.left_center(), label);
        if let Some((line, tone)) = badge {
            let size = vec2(badge_width - theme::ICON_GAP, 16.0);
            let min = pos2(text_right + theme::ICON_GAP, rect.center().y - 8.0);
            let badge = Rect::from_min_size(min, size);
            painter.rect_filled(badge, theme::RADIUS_KEY, tokens.tint_of(tone));
            let left = badge.center().x - line.size().x / 2.0;
            styled_text::paint_line(painter, pos2(left, badge.center().y), line);
        }
        if response.has_focus() {
            super::focus_ring_inside(ui, rect.expand2(vec2(4.0, -4.0)), theme::RADIUS_KEY);
        }
        left = rect.right() + TAB_GAP;
    }
    // A click on the shown one is no change.
    pressed_index.filter(|index| *index != current)
}
