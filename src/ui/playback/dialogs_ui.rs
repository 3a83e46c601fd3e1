//! The dialogs of the playback desk: a field for a log, and a field for a request.

use egui::{Align, Id, Key, Layout, Modifiers, Ui};

use super::data::{PlaybackData, request_text};
use crate::ops::triage::looks_like_run;
use crate::ui::dialog::{DialogHead, dialog, text_area};
use crate::ui::icons;
use crate::ui::theme::{self, Tone};
use crate::ui::widgets::{self, Button};
use crate::workbench::{Action, Overlay, PlaybackAction, RequestsSource};

/// The text typed in the dialogs.
#[derive(Debug, Default)]
pub struct PlaybackDrafts {
    log: String,
    /// The text in which no log was found, until it is changed.
    refused_log: Option<String>,
    request: String,
}

impl PlaybackDrafts {
    /// Fills the fields when a dialog opens.
    pub fn prefill(&mut self, overlay: Overlay, data: &PlaybackData<'_>) {
        match overlay {
            Overlay::FailureLog => {
                self.log.clear();
                self.refused_log = None;
            }
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
    let refused = &mut drafts.refused_log;
    let is_refused = refused.as_ref() == Some(&text);
    let body = |ui: &mut Ui, _: &mut Vec<Action>| {
        if is_refused {
            let (tone, icon) = (Tone::Warning, icons::TRIANGLE_ALERT);
            widgets::banner(ui, tone, icon, NO_LOG, LOG_LINES);
            ui.add_space(theme::GAP);
        }
        text_area(ui, Id::unique("failure log"), "The log", &mut drafts.log);
    };
    dialog(ui, "failure log dialog", head, actions, body, |ui, actions| {
        let reason = if text.trim().is_empty() { Some("paste a log first") } else { None };
        foot_ui(ui, "Play failed request", reason, actions, || {
            let action = pasted(&text);
            if action.is_none() {
                *refused = Some(text.clone());
            }
            action
        });
    });
}

/// Why a text in the field for a log is refused.
const NO_LOG: &str = "This text contains no log of a playback.";
/// What a log contains.
const LOG_LINES: &str = "A log has a line such as \u{201c}No matching recording found\u{201d}, \u{201c}Matched recording by \
    signature\u{201d} or \u{201c}Using sequential recording 1/4\u{201d}, and the lines that follow it. Copy the whole output of the test.";

/// Returns what plays a text in the field for a log: a log, or a request as JSON.
fn pasted(text: &str) -> Option<PlaybackAction> {
    if looks_like_run(text) {
        let (name, text) = ("Pasted log".into(), text.into());
        return Some(PlaybackAction::ReadLog { name, text });
    }
    let is_json = text.trim_start().starts_with('{');
    is_json.then(|| PlaybackAction::PlayRequests(RequestsSource::Typed(text.into())))
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
        text_area(ui, Id::unique("typed request"), "The request", &mut drafts.request);
    };
    let is_first = data.desk.requests.is_none();
    dialog(ui, "typed request dialog", head, actions, body, |ui, actions| {
        let reason = data.desk.set.is_none().then_some("choose a set first");
        foot_ui(ui, "Play request", reason, actions, || {
            Some(if is_first || !in_place {
                PlaybackAction::PlayRequests(RequestsSource::Typed(text.as_str().into()))
            } else {
                PlaybackAction::EditRequest(text.clone())
            })
        });
    });
}

/// Draws the buttons. Without an action, the dialog stays open.
fn foot_ui(
    ui: &mut Ui,
    words: &str,
    reason: Option<&str>,
    actions: &mut Vec<Action>,
    action: impl FnOnce() -> Option<PlaybackAction>,
) {
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let play = Button::primary(words)
            .icon(icons::PLAY)
            .disabled(reason)
            .keys(vec!["Ctrl".to_owned(), "Enter".to_owned()]);
        let pressed = |input: &mut egui::InputState| {
            reason.is_none() && input.consume_key(Modifiers::COMMAND, Key::Enter)
        };
        let is_pressed = ui.add(play.show_keys()).clicked() || ui.input_mut(pressed);
        if let Some(action) = is_pressed.then(action).flatten() {
            actions.push(Action::SetOverlay(None));
            actions.push(Action::from(action));
        }
        let cancel = Button::secondary("Cancel").keys(vec!["Esc".to_owned()]);
        if ui.add(cancel.show_keys()).clicked() {
            actions.push(Action::SetOverlay(None));
        }
    });
}
