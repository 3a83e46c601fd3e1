//! Rows of lists and headings of tables.

use egui::{
    Color32, CursorIcon, Painter, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use super::styled_text;
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, tokens};

/// The selection state of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSelection {
    /// Not selected.
    #[default]
    None,
    /// Selected, and its list has the keyboard focus.
    Selected,
    /// Selected, and the keyboard focus is elsewhere.
    SelectedAway,
    /// The keyboard cursor is on it.
    Cursor,
}

/// Paints a row's background: hover, selection with its bar, or the cursor's ring.
pub fn row_background(
    painter: &Painter,
    tokens: &Tokens,
    rect: Rect,
    chosen: RowSelection,
    hovered: bool,
) {
    let fill = match chosen {
        RowSelection::Selected => tokens.selected,
        RowSelection::SelectedAway => tokens.quiet,
        _ if hovered => tokens.hover,
        _ => Color32::TRANSPARENT,
    };
    painter.rect_filled(rect, 0.0, fill);
    match chosen {
        RowSelection::Selected => accent_bar(painter, tokens, rect),
        RowSelection::Cursor => {
            let stroke = Stroke::new(2.0, tokens.ring);
            painter.rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Inside);
        }
        RowSelection::None | RowSelection::SelectedAway => {}
    }
}

/// Paints the bar, 3 points wide, at the left edge of a selected or focused row.
pub fn accent_bar(painter: &Painter, tokens: &Tokens, rect: Rect) {
    let bar = Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
    painter.rect_filled(bar, 0.0, tokens.accent);
}

/// Adds a row as wide as the layout and paints its background. `name` is its name for screen readers.
pub fn row(ui: &mut Ui, height: f32, chosen: RowSelection, name: &str) -> Response {
    let size = vec2(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::CLICK);
    let selected = matches!(chosen, RowSelection::Selected | RowSelection::SelectedAway);
    response
        .widget_info(|| WidgetInfo::selected(Role::ListBoxOption, ui.is_enabled(), selected, name));
    row_background(ui.painter(), tokens(ui), rect, chosen, response.hovered());
    response
}

/// The sort direction of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorted {
    /// Smallest first.
    Up,
    /// Greatest first.
    Down,
}

const ARROW_GAP: f32 = 4.0;

/// Adds a column heading in its cell. A click sorts by it.
pub fn heading_cell(ui: &mut Ui, rect: Rect, text: &str, sorted: Option<Sorted>) -> Response {
    let tokens = tokens(ui);
    let response = ui.interact(rect, ui.auto_id_with(("heading", text)), Sense::click());
    let name = match sorted {
        None => text.to_owned(),
        Some(Sorted::Up) => format!("{text}, sorted up"),
        Some(Sorted::Down) => format!("{text}, sorted down"),
    };
    response.widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, ui.is_enabled(), &name));
    let color = if sorted.is_some() || response.hovered() {
        tokens.text_strong
    } else {
        tokens.muted
    };
    let arrow_width = sorted.map_or(0.0, |_| theme::ICON_TAG + ARROW_GAP);
    let label = styled_text::line(
        ui,
        text,
        theme::medium(theme::LABEL),
        color,
        rect.width() - arrow_width,
    );
    let right = rect.left() + label.size().x;
    styled_text::paint_line(ui.painter(), rect.left_center(), label);
    if let Some(sorted) = sorted {
        let icon = match sorted {
            Sorted::Up => icons::ARROW_UP,
            Sorted::Down => icons::ARROW_DOWN,
        };
        let center = pos2(right + ARROW_GAP + theme::ICON_TAG / 2.0, rect.center().y);
        styled_text::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, color);
    }
    if response.has_focus() {
        super::focus_ring_inside(ui, rect.expand2(vec2(4.0, -3.0)), theme::RADIUS_KEY);
    }
    response.on_hover_cursor(CursorIcon::PointingHand)
}

/// Adds a line between regions, as wide as the layout.
pub fn hair_line(ui: &mut Ui) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
    ui.painter().rect_filled(rect, 0.0, tokens(ui).hair);
}
