//! A line for the selection, used if there is no space beside the desk.

use egui::{Rect, Ui, vec2};

use super::section::line_above;
use super::{Button, place_right};
use crate::{icons, theme};
use workbench::{Actions, Command};

/// Draws the line with a button for the details at its right. Returns the space for its text.
pub fn selection_line(ui: &mut Ui, actions: &mut Actions) -> Rect {
    let rect = ui.max_rect();
    line_above(ui, rect);
    let content = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = place_right(ui, content, |ui| {
        let details = Button::secondary("Details")
            .icon(icons::PANEL_RIGHT)
            .command(Command::ToggleInspector, Ok(()));
        super::command_button(ui, details, Command::ToggleInspector, actions);
    });
    content.with_max_x(right - theme::GAP)
}
