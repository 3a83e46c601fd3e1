//! Commands for appearance and help.

use super::dispatch::{HandlerOrReason, handler, handler_if};
use crate::core::command::declared::by_section::Window;
use crate::{Action, InspectorTab, Overlay, UserSettingsAction, Workbench};
use document::FileKind;
use protocol::Theme;

impl Workbench {
    pub(super) fn window_handler(&self, command: Window) -> HandlerOrReason {
        match command {
            Window::ToggleInspector => handler(|w| w.core.inspector.toggle()),
            Window::ToggleFullPrompt => {
                let call = self.core.list.target().is_some_and(|(_, call)| call.is_some());
                let kind = self.selected().map(|item| item.kind);
                let is_request = matches!(kind, Some(FileKind::Recording | FileKind::Request));
                let reason = "select a recording or a request first";
                handler_if(call || is_request, reason, Self::toggle_full_prompt)
            }
            Window::EditDecoded => {
                let has_body = self
                    .selected()
                    .is_some_and(|item| item.calls.iter().any(|call| call.http.is_some()));
                let reason = "select a call with a body first";
                handler_if(has_body, reason, |w| w.core.inspector.edits_decoded = true)
            }
            Window::ToggleTheme => handler(Self::toggle_theme),
            Window::OpenSettings => handler(|workbench| {
                workbench.toggle_overlay(Overlay::Settings);
                workbench.act(Action::UserSettings(UserSettingsAction::Read));
            }),
            Window::ShowKeys => handler(|w| w.toggle_overlay(Overlay::Keys)),
            Window::ShowAbout => handler(|w| w.toggle_overlay(Overlay::About)),
        }
    }

    /// Shows the prompt in the other form. One that is not on screen is shown as full text.
    fn toggle_full_prompt(&mut self) {
        let inspector = &mut self.core.inspector;
        let is_shown = inspector.is_shown() && self.core.tab == InspectorTab::Conversation;
        inspector.full_prompt = !(is_shown && inspector.full_prompt);
        inspector.show();
        self.core.tab = InspectorTab::Conversation;
    }

    fn toggle_theme(&mut self) {
        // Only the window knows the theme of the system, so from *System* the first step is to light.
        let theme = if self.core.theme() == Theme::Light { Theme::Dark } else { Theme::Light };
        self.act(Action::SetTheme(theme));
    }
}
