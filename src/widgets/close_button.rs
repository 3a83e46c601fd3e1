//! The button that closes a panel over the desk.

use egui::Ui;

use super::button::Button;
use crate::icons;
use workbench::{Actions, Command, InspectorPlacement};

/// Adds the button if the panel is over the desk. `name` says what it closes.
pub fn close_button(ui: &mut Ui, placement: InspectorPlacement, name: &str, actions: &mut Actions) {
    if placement == InspectorPlacement::Floating {
        let close = Button::icon_only(icons::X, name).keys(vec!["Esc".to_owned()]);
        super::command_button(ui, close, Command::ToggleInspector, actions);
    }
}
