//! The button that saves what is shown as a picture.

use egui::Ui;

use super::icons;
use super::widgets::{self, Button};
use crate::ops::picture::PictureTheme;
use crate::workbench::{Action, Command};

/// Draws the button with the menu that saves what is shown in light or dark colours.
pub(super) fn picture_button(ui: &mut Ui, actions: &mut Vec<Action>) {
    let name = Command::ExportPicture.name();
    let response = ui.add(Button::icon_only(icons::IMAGE_DOWN, name));
    widgets::menu(&response, |ui| {
        widgets::menu_heading(ui, "Save what is shown as SVG or PNG");
        for (theme, icon, name) in [
            (PictureTheme::Light, icons::SUN, "Light theme…"),
            (PictureTheme::Dark, icons::MOON, "Dark theme…"),
        ] {
            if widgets::menu_item(ui, icon, name, &[], None).clicked() {
                actions.push(Action::ExportPicture(theme));
            }
        }
    });
}
