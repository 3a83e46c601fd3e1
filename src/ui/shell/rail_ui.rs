//! Paints the rail of desks.

use egui::{CornerRadius, Pos2, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::shell_data::{Rail, RailEntry};
use document::text::thousands;
use protocol::Desk;
use widgets::theme::{self, tokens};
use widgets::{focus_ring_inside, icons, keymap, paint_icon, paint_line, severity_tone, tip};
use workbench::{Action, Actions, Command};

/// Below this width of the window the rail has no labels.
const LABELS_MIN_WIDTH: f32 = 900.0;

/// Returns the width of the rail in this window.
pub(super) fn width(ui: &Ui) -> f32 {
    if ui.ctx().content_rect().width() < LABELS_MIN_WIDTH {
        theme::RAIL_NARROW
    } else {
        theme::RAIL
    }
}

/// Draws the rail. A click goes to a desk.
pub(super) fn rail_ui(ui: &mut Ui, rail: &Rail, actions: &mut Actions) {
    let area = ui.max_rect();
    let words = area.width() > theme::RAIL_NARROW;
    let height = if words { 52.0 } else { 36.0 };
    let place =
        |top| Rect::from_min_size(pos2(area.left() + 6.0, top), vec2(area.width() - 13.0, height));
    let mut top = area.top() + 8.0;
    for entry in &rail.desks {
        if desk_ui(ui, place(top), entry) {
            actions.push(Action::Go(entry.desk));
        }
        top += height + 4.0;
    }
    if !rail.more.is_empty() {
        more_ui(ui, place(area.bottom() - 8.0 - height), &rail.more, actions);
    }
}

/// Draws the button at the foot, with a menu of the desks that are empty.
fn more_ui(ui: &mut Ui, rect: Rect, desks: &[Desk], actions: &mut Actions) {
    let response = ui.interact(rect, ui.scope_id().with("more desks"), Sense::click());
    let name = "More";
    widgets::describe(&response, Role::Button, name);
    entry_ui(ui, rect, &response, (icons::ELLIPSIS, name), false);
    widgets::menu(&response, |ui| {
        for desk in desks {
            widgets::menu_run(ui, Command::go_to(*desk), Ok(()), actions);
        }
        widgets::menu_run(ui, Command::ImportIncident, Ok(()), actions);
    });
    tip(response, "Other desks", &[] as &[&str]);
}

fn desk_ui(ui: &mut Ui, rect: Rect, entry: &RailEntry) -> bool {
    let name = entry.desk.name();
    let response = ui.interact(rect, ui.scope_id().with(name), Sense::click());
    // A screen reader does not see the badge.
    let label = match entry.badge {
        Some((count, _)) => format!("{name}, {}", thousands(count)),
        None => name.to_owned(),
    };
    response.widget_info(|| WidgetInfo::selected(Role::Tab, true, entry.is_current, &label));
    let icon_at = entry_ui(ui, rect, &response, (icons::desk(entry.desk), name), entry.is_current);
    badge(ui, entry, icon_at);
    // Read before the response is consumed by the tooltip.
    let clicked = response.clicked();
    tip(response, name, &keymap::caps(ui, Command::go_to(entry.desk)));
    clicked
}

/// Paints an entry: its icon, and below it its name where the rail has room for names. Returns the middle of the icon.
fn entry_ui(
    ui: &Ui,
    rect: Rect,
    response: &Response,
    (icon, name): (&str, &str),
    is_current: bool,
) -> Pos2 {
    let tokens = tokens(ui);
    let words = rect.width() > theme::RAIL_NARROW;
    let radius = CornerRadius::same(theme::RADIUS_CARD);
    let painter = ui.painter();
    let (icon_color, text) = if is_current {
        painter.rect_filled(rect, radius, tokens.selected);
        painter.rect_filled(
            Rect::from_center_size(pos2(rect.left() - 4.5, rect.center().y), vec2(3.0, 28.0)),
            CornerRadius { ne: 2, se: 2, ..CornerRadius::ZERO },
            tokens.accent,
        );
        (tokens.accent, tokens.text_strong)
    } else if response.hovered() {
        painter.rect_filled(rect, radius, tokens.hover);
        (tokens.text, tokens.text)
    } else {
        (tokens.muted, tokens.muted)
    };
    let icon_at = if words { pos2(rect.center().x, rect.top() + 17.0) } else { rect.center() };
    paint_icon(painter, icon_at, icon, theme::ICON_RAIL, icon_color);
    if words {
        let font = if is_current { theme::medium } else { theme::regular };
        let line = widgets::line(ui, name, font(theme::SMALL), text, rect.width());
        let left = rect.center().x - line.size().x / 2.0;
        paint_line(ui.painter(), pos2(left, rect.top() + 38.0), line);
    }
    if response.has_focus() {
        focus_ring_inside(ui, rect, theme::RADIUS_CARD);
    }
    icon_at
}

/// Paints the number right of the icon, so that it never covers the icon.
fn badge(ui: &Ui, entry: &RailEntry, icon: Pos2) {
    let Some((count, severity)) = entry.badge else { return };
    let tokens = tokens(ui);
    let tone = severity_tone(severity);
    // A wider number would leave the rail.
    let count = if count > 999 { "999+".to_owned() } else { count.to_string() };
    let line =
        widgets::line(ui, &count, theme::medium(theme::BADGE), tokens.tone(tone), f32::INFINITY);
    let size = vec2((line.size().x + 8.0).max(16.0).round(), 16.0);
    let left = icon.x + theme::ICON_RAIL / 2.0;
    let rect = Rect::from_min_size(pos2(left, icon.y - size.y / 2.0 - 4.0), size);
    let ground = if entry.is_current { tokens.selected } else { tokens.ground };
    // A margin in the colour below keeps the badge apart from the icon.
    ui.painter().rect_filled(rect.expand(1.0), 9, ground);
    ui.painter().rect_filled(rect, 8, tokens.tint_of(tone));
    paint_line(ui.painter(), pos2(rect.center().x - line.size().x / 2.0, rect.center().y), line);
}
