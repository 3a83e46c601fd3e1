//! The dialogs of the playback desk: a field for a log, and a field for a request.

use egui::{Align, Id, Key, Layout, Modifiers, Ui};

use super::data::{PlaybackData, request_text};
use crate::ui::dialog::{DialogHead, dialog, text_area};
use crate::ui::icons;
use crate::ui::widgets::Button;
use crate::workbench::{Action, Overlay, PlaybackAction, RequestsSource};

/// The text typed in the dialogs.
#[derive(Debug, Default)]
pub struct PlaybackDrafts {
    log: String,
    request: String,
}

impl PlaybackDrafts {
    /// Fills the fields when a dialog opens.
    pub fn prefill(&mut self, overlay: Overlay, data: &PlaybackData<'_>) {
        match overlay {
            Overlay::FailureLog => self.log.clear(),
            Overlay::TypedRequest => self.request = initial_request(data),
            _ => {}
        }
    }
}

/// Returns the request of the selected call, as a starting point for editing.
fn initial_request(data: &PlaybackData<'_>) -> String {
    if let Some(RequestsSource::Typed(text)) = data.desk.requests.as_ref() {
        return text.to_string();
    }
    let call = data.desk.selected();
    call.map_or_else(|| EXAMPLE.to_owned(), |call| request_text(&call.request))
}

/// The initial request.
const EXAMPLE: &str = r#"{
  "type": "llm_invocation_request",
  "messages": [
    { "role": "user", "content": "" }
  ],
  "tools": [
    { "name": "transition_to_" }
  ]
}"#;

/// Draws the field for the log of a failed playback.
pub fn log_ui(ui: &mut Ui, drafts: &mut PlaybackDrafts, actions: &mut Vec<Action>) {
    let head = DialogHead {
        icon: icons::CLIPBOARD_PASTE,
        title: "Paste failure log",
        detail: "Paste the output of the test run. The request, the set and the used recordings are read from it.",
    };
    let text = drafts.log.clone();
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        text_area(ui, Id::unique("failure log"), "The log", &mut drafts.log);
    };
    dialog(
        ui,
        "failure log dialog",
        head,
        actions,
        body,
        |ui, actions| {
            let reason = if text.trim().is_empty() {
                Some("paste a log first")
            } else {
                None
            };
            foot_ui(ui, "Play failed request", reason, actions, || {
                PlaybackAction::Paste(text.clone())
            });
        },
    );
}

/// Draws the field for a request.
pub fn request_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    drafts: &mut PlaybackDrafts,
    actions: &mut Vec<Action>,
) {
    let in_place = data.desk.selected().is_some()
        && !matches!(data.desk.requests.as_ref(), Some(RequestsSource::Typed(_)));
    let title = if in_place {
        format!("The request of call {}", data.desk.call + 1)
    } else {
        "A request".to_owned()
    };
    let head = DialogHead {
        icon: icons::PENCIL_LINE,
        title: &title,
        detail: "Enter JSON. Compared are the tool names, the number of messages and the context keys.",
    };
    let text = drafts.request.clone();
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        text_area(
            ui,
            Id::unique("typed request"),
            "The request",
            &mut drafts.request,
        );
    };
    let is_first = data.desk.requests.is_none();
    dialog(
        ui,
        "typed request dialog",
        head,
        actions,
        body,
        |ui, actions| {
            let reason = data.desk.set.is_none().then_some("choose a set first");
            foot_ui(ui, "Play request", reason, actions, || {
                if is_first || !in_place {
                    PlaybackAction::PlayRequests(RequestsSource::Typed(text.as_str().into()))
                } else {
                    PlaybackAction::EditRequest(text.clone())
                }
            });
        },
    );
}

fn foot_ui(
    ui: &mut Ui,
    words: &str,
    reason: Option<&str>,
    actions: &mut Vec<Action>,
    action: impl FnOnce() -> PlaybackAction,
) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let play = Button::primary(words).icon(icons::PLAY).disabled(reason);
        let play = play.keys(vec!["Ctrl".to_owned(), "Enter".to_owned()]);
        let pressed = |input: &mut egui::InputState| {
            reason.is_none() && input.consume_key(Modifiers::COMMAND, Key::Enter)
        };
        if ui.add(play.show_keys()).clicked() || ui.input_mut(pressed) {
            actions.push(Action::SetOverlay(None));
            actions.push(Action::from(action()));
        }
        let cancel = Button::secondary("Cancel").keys(vec!["Esc".to_owned()]);
        if ui.add(cancel.show_keys()).clicked() {
            actions.push(Action::SetOverlay(None));
        }
    });
}
