//! Entries of menus.

use egui::{Popup, PopupCloseBehavior, Response, Role, Sense, Ui, WidgetInfo, vec2};

use super::keys::Caps;
use super::place::allocate_row;
use super::{Button, Line, StyledText, hint};
use crate::theme::{self, tokens};
use crate::{icons, keymap};
use workbench::{Action, Actions, Command};

/// Width of menus: enough for the longest name and its keys.
pub const MENU_WIDTH: f32 = 320.0;
/// From the edges of an entry to its content.
const SIDE_MARGIN: f32 = 8.0;

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
    icon: &'static str,
    text: &str,
    caps: &[String],
    reason: Option<&str>,
) -> Response {
    let colors = tokens(ui);
    let sense = if reason.is_none() { Sense::click() } else { Sense::hover() };
    let (rect, response) = allocate_row(ui, theme::ROW_HEIGHT, sense);
    response.widget_info(|| WidgetInfo::labeled(Role::MenuItem, reason.is_none(), text));
    // In a menu, the keyboard focus looks like the pointer.
    let lit = reason.is_none() && (response.hovered() || response.has_focus());
    if lit {
        ui.painter().rect_filled(rect, theme::RADIUS_CONTROL, colors.selected);
    }
    let (text_color, icon_color) = match (reason, lit) {
        (Some(_), _) => (colors.disabled, colors.disabled),
        (None, true) => (colors.text_strong, colors.accent),
        (None, false) => (colors.text, colors.muted),
    };
    let line = Line::new(text, theme::regular(theme::ROW), text_color).icon(icon, icon_color);
    let caps = Caps::new(ui, if reason.is_none() { caps } else { &[] });
    line.caps(caps).show_in(ui, rect.shrink2(vec2(SIDE_MARGIN, 0.0)));
    match reason {
        // Only a disabled entry has a tooltip: it would cover the entries below.
        Some(reason) => hint(response, reason),
        None => response,
    }
}

/// Adds an entry that closes its menu, and returns whether it was clicked. `reason` says why it is disabled.
pub fn menu_action(ui: &mut Ui, icon: &'static str, text: &str, reason: Option<&str>) -> bool {
    let is_clicked = menu_item(ui, icon, text, &[], reason).clicked();
    if is_clicked {
        ui.close();
    }
    is_clicked
}

/// Adds an entry that pushes an action.
pub fn menu_choice(
    ui: &mut Ui,
    icon: &'static str,
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
    let note = StyledText::of(note, tokens(ui).label());
    let place = response.rect.shrink2(vec2(SIDE_MARGIN, 0.0));
    Line::default().right(note).right_share(0.5).show_in(ui, place);
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
    desk_menu(ui, button, content);
}

/// Adds the button of a desk whose menu a key opens.
pub fn desk_menu(ui: &mut Ui, button: Button<'_>, content: impl FnOnce(&mut Ui)) {
    let response = ui.add(button);
    lasting_menu(&response, content);
    let popup = Popup::default_response_id(&response);
    let frame = ui.ctx().cumulative_frame_nr();
    ui.data_mut(|data| data.insert_temp(view_menu_id(), (popup, frame)));
}

/// Opens the menu of the desk's button that the last frame showed; each desk has at most one.
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
pub fn submenu_item(ui: &mut Ui, icon: &'static str, text: &str) -> Response {
    let response = menu_item(ui, icon, text, &[], None);
    let place = response.rect.shrink2(vec2(SIDE_MARGIN, 0.0));
    let chevron = Line::default().right_icon(icons::CHEVRON_RIGHT, tokens(ui).muted);
    chevron.show_in(ui, place);
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
    let line = Line::new(text, theme::medium(theme::SMALL), tokens(ui).muted);
    let (rect, response) = allocate_row(ui, theme::FOLD, Sense::hover());
    crate::describe(&response, Role::Label, text);
    line.show_in(ui, rect.shrink2(vec2(SIDE_MARGIN, 0.0)));
}
