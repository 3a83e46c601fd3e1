//! Paints the rail of desks.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::shell_data::{Rail, RailEntry};
use document::text::thousands;
use protocol::Desk;
use widgets::theme;
use widgets::{hint, icons, keymap, rail_entry, severity_tone, tip};
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
    widgets::describe(&response, Role::Button, "More");
    rail_entry(ui, &response, (icons::ELLIPSIS, "More"), false, None);
    widgets::menu(&response, |ui| {
        for desk in desks {
            widgets::menu_run(ui, Command::go_to(*desk), Ok(()), actions);
        }
        widgets::menu_run(ui, Command::ImportIncident, Ok(()), actions);
    });
    hint(response, "Other desks");
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
    let badge = entry.badge.map(|(count, severity)| (count, severity_tone(severity)));
    rail_entry(ui, &response, (icons::desk(entry.desk), name), entry.is_current, badge);
    // Read before the response is consumed by the tooltip.
    let clicked = response.clicked();
    tip(response, name, &keymap::caps(ui, Command::go_to(entry.desk)));
    clicked
}
