//! Controls of the top bar: buttons of no colour, and a button that looks like a field.

use egui::{Color32, Popup, Response, Role, Sense, StrokeKind, Ui, vec2};

use super::keys::Caps;
use super::{Line, describe, focus_ring, on_click, tip};
use crate::theme::{self, tokens};
use crate::{icons, keymap};
use workbench::{Action, Actions, Command};

/// Adds a button whose ground is visible only under the pointer and while its menu is open. `margin` is at both sides of the line.
pub fn bar_button(ui: &mut Ui, name: &str, (width, margin): (f32, f32), line: Line) -> Response {
    let size = vec2(width + 2.0 * margin, theme::CONTROL);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    describe(&response, Role::Button, name);
    if response.hovered() || Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response)) {
        ui.painter().rect_filled(rect, theme::RADIUS_CONTROL, tokens(ui).quiet);
    }
    line.show_in(ui, rect.shrink2(vec2(margin, 0.0)));
    focus_ring(ui, &response, theme::RADIUS_CONTROL);
    response
}

/// Adds a button that looks like the field that its command opens, with the keys of the command if there is room.
pub fn command_field(
    ui: &mut Ui,
    (width, fill): (f32, Color32),
    (icon, text, name): (&'static str, &str, &str),
    (command, shows_keys): (Command, bool),
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(width, theme::CONTROL), Sense::click());
    describe(&response, Role::Button, name);
    let stroke = if response.hovered() { colors.strong } else { colors.line };
    ui.painter().rect(rect, theme::RADIUS_CONTROL, fill, (1.0, stroke), StrokeKind::Inside);
    let line = Line::icon_word((icon, colors.muted), (text, colors.muted));
    let caps = keymap::caps(ui, command);
    let shown_caps = Caps::new(ui, if shows_keys { &caps } else { &[] });
    line.caps(shown_caps).show_in(ui, rect.shrink2(vec2(9.0, 0.0)));
    focus_ring(ui, &response, theme::RADIUS_CONTROL);
    on_click(&response, Action::Run(command), actions);
    tip(response, command.tooltip(), &caps);
}

/// Adds the chevron between two parts of a place.
pub fn crumb_chevron(ui: &mut Ui) {
    let size = vec2(theme::ICON, theme::CONTROL);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    Line::default().sign(icons::CHEVRON_RIGHT, tokens(ui).muted).show_in(ui, rect);
}
