//! Entries of menus.

use egui::{Popup, PopupCloseBehavior, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::keys::Caps;
use super::place::allocate_row;
use super::{Button, styled_text, tip};
use crate::theme::{self, tokens};
use crate::{icons, keymap};
use workbench::{Action, Actions, Command};

/// Width of menus: enough for the longest name and its keys.
const MENU_WIDTH: f32 = 320.0;

/// Opens a menu when its button is clicked.
pub fn menu(button: &Response, content: impl FnOnce(&mut Ui)) {
    Popup::menu(button).show(|ui| entries(ui, content));
}

/// Opens a menu that stays open while its switches and fields are used.
pub fn lasting_menu(button: &Response, content: impl FnOnce(&mut Ui)) {
    Popup::menu(button)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .show(|ui| entries(ui, content));
}

/// Opens a context menu at the pointer.
pub fn context_menu(response: &Response, content: impl FnOnce(&mut Ui)) {
    Popup::context_menu(response).show(|ui| entries(ui, content));
}

fn entries(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    ui.set_width(MENU_WIDTH);
    ui.spacing_mut().item_spacing.y = 0.0;
    content(ui);
}

/// Adds an entry, as wide as the menu. `reason` says why it is disabled.
pub fn menu_item(
    ui: &mut Ui,
    icon: &str,
    text: &str,
    caps: &[String],
    reason: Option<&str>,
) -> Response {
    let tokens = tokens(ui);
    let sense = if reason.is_none() { Sense::click() } else { Sense::hover() };
    let (rect, response) = allocate_row(ui, theme::ROW_HEIGHT, sense);
    response.widget_info(|| WidgetInfo::labeled(Role::MenuItem, reason.is_none(), text));
    // In a menu, the keyboard focus looks like the pointer.
    let lit = reason.is_none() && (response.hovered() || response.has_focus());
    if lit {
        ui.painter().rect_filled(rect, theme::RADIUS_CONTROL, tokens.selected);
    }
    let (text_color, icon_color) = match (reason, lit) {
        (Some(_), _) => (tokens.disabled, tokens.disabled),
        (None, true) => (tokens.text_strong, tokens.accent),
        (None, false) => (tokens.text, tokens.muted),
    };
    let middle = rect.center().y;
    let caps = Caps::new(ui, caps);
    let caps_left = rect.right() - 8.0 - caps.width();
    let center = pos2(rect.left() + 15.0, middle);
    styled_text::paint_icon(ui.painter(), center, icon, theme::ICON, icon_color);
    let left = rect.left() + 30.0;
    let (font, room) = (theme::regular(theme::ROW), caps_left - theme::GAP - left);
    let line = styled_text::line(ui, text, font, text_color, room);
    styled_text::paint_line(ui.painter(), pos2(left, middle), line);
    if reason.is_none() {
        caps.paint(ui.painter(), pos2(caps_left, middle));
    }
    match reason {
        // Only a disabled entry has a tooltip: it would cover the entries below.
        Some(reason) => tip(response, reason, &[] as &[&str]),
        None => response,
    }
}

/// Adds an entry that closes its menu, and returns whether it was clicked. `reason` says why it is disabled.
pub fn menu_action(ui: &mut Ui, icon: &str, text: &str, reason: Option<&str>) -> bool {
    let is_clicked = menu_item(ui, icon, text, &[], reason).clicked();
    if is_clicked {
        ui.close();
    }
    is_clicked
}

/// Adds an entry that pushes an action.
pub fn menu_choice(
    ui: &mut Ui,
    icon: &str,
    text: &str,
    action: impl Into<Action>,
    actions: &mut Actions,
) {
    if menu_action(ui, icon, text, None) {
        actions.push(action.into());
    }
}

/// Adds an entry that switches how a view shows its content: on with a check mark, or with a dot if it is one of several of which one is
/// on. `note` is muted at the right. Returns whether it was clicked; the menu stays open, because switches are tried one after the other.
pub fn menu_switch(ui: &mut Ui, text: &str, note: &str, (is_on, is_choice): (bool, bool)) -> bool {
    let icon = match (is_on, is_choice) {
        (false, _) => "",
        (true, false) => icons::CHECK,
        (true, true) => icons::CIRCLE_DOT,
    };
    let response = menu_item(ui, icon, text, &[], None);
    let role = if is_choice { Role::MenuItemRadio } else { Role::MenuItemCheckBox };
    response.widget_info(|| WidgetInfo::selected(role, true, is_on, text));
    if !note.is_empty() {
        let color = tokens(ui).muted;
        let room = response.rect.width() / 2.0;
        let line = styled_text::line(ui, note, theme::regular(theme::LABEL), color, room);
        let right = response.rect.right_center() - vec2(8.0, 0.0);
        styled_text::paint_line_right(ui.painter(), right, line);
    }
    response.clicked()
}

/// Adds a switch that pushes an action.
pub fn menu_option(
    ui: &mut Ui,
    (text, note): (&str, &str),
    look: (bool, bool),
    action: impl Into<Action>,
    actions: &mut Actions,
) {
    if menu_switch(ui, text, note, look) {
        actions.push(action.into());
    }
}

/// Adds the button *View* of a desk, whose menu holds how the desk shows its content.
pub fn view_menu(ui: &mut Ui, content: impl FnOnce(&mut Ui)) {
    let button = Button::ghost("View")
        .icon(icons::SLIDERS_HORIZONTAL)
        .trailing(icons::CHEVRON_DOWN)
        .command(Command::OpenView, Ok(()));
    let response = ui.add(button);
    lasting_menu(&response, content);
    let popup = Popup::default_response_id(&response);
    let frame = ui.ctx().cumulative_frame_nr();
    ui.data_mut(|data| data.insert_temp(view_menu_id(), (popup, frame)));
}

/// Opens the menu of the button *View* that the last frame showed; each desk has at most one.
pub fn open_view_menu(ctx: &egui::Context) {
    let button: Option<(egui::Id, u64)> = ctx.data(|data| data.get_temp(view_menu_id()));
    // The button of a desk that was left would open its menu as soon as the desk is shown again.
    let is_shown = |frame: u64| frame + 1 >= ctx.cumulative_frame_nr();
    if let Some((popup, _)) = button.filter(|(_, frame)| is_shown(*frame)) {
        Popup::open_id(ctx, popup);
    }
}

fn view_menu_id() -> egui::Id {
    egui::Id::unique("menu of a desk")
}

/// Adds an entry that opens a submenu.
pub fn submenu_item(ui: &mut Ui, icon: &str, text: &str) -> Response {
    let response = menu_item(ui, icon, text, &[], None);
    let center = response.rect.right_center() - vec2(8.0 + theme::ICON / 2.0, 0.0);
    let color = tokens(ui).muted;
    styled_text::paint_icon(ui.painter(), center, icons::CHEVRON_RIGHT, theme::ICON, color);
    response
}

/// Adds a command's entry. `enabled` is the result of [`Command::enabled`].
pub fn menu_command(ui: &mut Ui, command: Command, enabled: Result<(), &str>) -> Response {
    let caps = keymap::caps(ui, command);
    menu_item(ui, icons::command(command), command.name(), &caps, enabled.err())
}

/// Adds an entry that runs a command and closes its menu.
pub fn menu_run(ui: &mut Ui, command: Command, enabled: Result<(), &str>, actions: &mut Actions) {
    if menu_command(ui, command, enabled).clicked() {
        actions.push(Action::Run(command));
        ui.close();
    }
}

/// Adds a heading between entries.
pub fn menu_heading(ui: &mut Ui, text: &str) {
    let color = tokens(ui).muted;
    let (rect, response) = allocate_row(ui, 24.0, Sense::hover());
    crate::describe(&response, Role::Label, text);
    let left = pos2(rect.left() + 8.0, rect.center().y);
    let line = styled_text::line(ui, text, theme::medium(theme::SMALL), color, rect.width() - 16.0);
    styled_text::paint_line(ui.painter(), left, line);
}
