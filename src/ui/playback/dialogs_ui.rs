//! The dialog of the playback desk with a field for a log.

use egui::{Align, Id, Key, Layout, Modifiers, Ui};

use play::triage::looks_like_run;
use protocol::RequestsSource;
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::icons;
use widgets::theme::{self, Tone};
use widgets::{Button, TextField, fields};
use workbench::{Action, Actions, PlaybackAction};

/// The text typed in the dialog.
#[derive(Debug, Default)]
pub struct PlaybackDrafts {
    log: String,
    /// The text in which no log was found, until it is changed.
    refused_log: Option<String>,
}

/// Draws the field for the log of a failed playback.
pub fn log_ui(ui: &mut Ui, drafts: &mut PlaybackDrafts, actions: &mut Actions) {
    let head = DialogHead {
        icon: icons::CLIPBOARD_PASTE,
        title: "Paste failure log",
        detail: "Paste the output of the test run. The request, the set and the used recordings are read from it.",
    };
    // A copy, because the field borrows the text that the buttons read.
    let text = drafts.log.clone();
    let refused_log = &mut drafts.refused_log;
    let is_refused = refused_log.as_ref() == Some(&text);
    let body = |ui: &mut Ui, _: &mut Actions| {
        if is_refused {
            let (tone, icon) = (Tone::Warning, icons::TRIANGLE_ALERT);
            widgets::banner(ui, tone, icon, NO_LOG, LOG_LINES);
            ui.add_space(theme::GAP);
        }
        let field = TextField::new(Id::unique("failure log"), "The log", &mut drafts.log).mono();
        let response = field.show_lines(ui, 16);
        fields::focus_first(ui, &response);
        ui.add_space(theme::PADDING);
    };
    dialog(ui, "failure log dialog", head, actions, body, |ui, actions| {
        let reason = text.trim().is_empty().then_some("paste a log first");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let play = Button::primary("Play failed request")
                .icon(icons::PLAY)
                .disabled(reason)
                .keys(vec!["Ctrl".to_owned(), "Enter".to_owned()]);
            let is_pressed = |input: &mut egui::InputState| {
                reason.is_none() && input.consume_key(Modifiers::COMMAND, Key::Enter)
            };
            if ui.add(play.show_keys()).clicked() || ui.input_mut(is_pressed) {
                match pasted(&text) {
                    Some(action) => {
                        actions.push(Action::SetOverlay(None));
                        actions.push(Action::from(action));
                    }
                    // The dialog stays open, with the reason.
                    None => *refused_log = Some(text.clone()),
                }
            }
            close_button(ui, "Cancel", actions);
        });
    });
}

/// Message for a text without a log.
const NO_LOG: &str = "This text contains no log of a playback.";
/// Description of a log.
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
