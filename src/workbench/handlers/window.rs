//! Commands for appearance and help.

use super::dispatch::HandlerOrReason;
use crate::workbench::action::Action;
use crate::workbench::core::command::declared::by_section::Window;
use crate::workbench::core::view::{Overlay, Theme};
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn window_handler(&self, command: Window) -> HandlerOrReason {
        match command {
            Window::ToggleInspector => Ok(|it| {
                it.core.inspector.toggle();
            }),
            Window::ToggleTheme => Ok(Self::toggle_theme),
            Window::ShowKeys => Ok(|it| it.toggle_overlay(Overlay::Keys)),
        }
    }

    fn toggle_theme(&mut self) {
        let theme = if self.core.remembered.theme == Theme::Light {
            Theme::Dark
        } else {
            Theme::Light
        };
        self.act(Action::SetTheme(theme));
    }
}
