//! Commands for appearance and help.

use super::declared::by_section::Window;
use super::running::{Can, nothing};
use crate::workbench::action::{Action, Overlay, Theme};
use crate::workbench::event::Effect;
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn window_deed(&self, command: Window) -> Can {
        match command {
            Window::ToggleInspector => Ok(|it| {
                it.inspector.toggle();
                nothing()
            }),
            Window::ToggleTheme => Ok(Self::toggle_theme),
            Window::ShowKeys => Ok(|it| it.toggle_overlay(Overlay::Keys)),
        }
    }

    fn toggle_theme(&mut self) -> Vec<Effect> {
        let theme = if self.remembered.theme == Theme::Light {
            Theme::Dark
        } else {
            Theme::Light
        };
        self.apply(Action::SetTheme(theme))
    }
}
