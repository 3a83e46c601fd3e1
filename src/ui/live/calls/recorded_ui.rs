//! Paints a recorded call: the request, the response, and the resulting tape.

use egui::{RichText, Ui};

use super::call_details_ui::{fact_row_ui, fact_ui, muted_ui};
use super::call_row_text;
use super::calls_ui::calls_action;
use crate::ops::live::record::{ProxyOutcome, RecordedCall, StoreResult};
use crate::ops::playback::ResultStatus;
use crate::ops::tape::timing::format_duration;
use crate::text::{bytes, counted, visible};
use crate::ui::icons;
use crate::ui::playback::{numbered_ui, section};
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, Button};
use crate::workbench::{Action, CallsAction};

/// Draws the details of the call.
pub(super) fn recorded_ui(ui: &mut Ui, call: &RecordedCall, actions: &mut Vec<Action>) {
    banner_ui(ui, call);
    section(ui, |ui| request_ui(ui, call));
    widgets::hair_line(ui);
    section(ui, |ui| response_ui(ui, call));
    if let Some(kept) = &call.stored {
        widgets::hair_line(ui);
        section(ui, |ui| result_ui(ui, kept, actions));
    }
}

fn request_ui(ui: &mut Ui, call: &RecordedCall) {
    widgets::heading(ui, "", "Request", "");
    ui.add_space(6.0);
    if let Some(label) = &call.began.label {
        fact_ui(ui, "Label", &visible(label), "");
    }
    fact_ui(ui, "Address", &visible(&call.began.address), "");
    let api = call.began.api.map_or("unknown", |api| api.as_str());
    fact_ui(ui, "API", api, "");
    if let Some(provider) = call.began.provider {
        fact_ui(ui, "Provider", provider, "");
    }
    if let Some(request) = call.request.as_deref() {
        let model = request.model.as_deref().unwrap_or("none");
        fact_ui(ui, "Model", &visible(model), "");
        fact_ui(ui, "Tools", &request.tools.to_string(), "");
        fact_ui(ui, "Messages", &request.messages.to_string(), "");
    }
}

fn response_ui(ui: &mut Ui, call: &RecordedCall) {
    widgets::heading(ui, "", "Response", "");
    ui.add_space(6.0);
    if let Some(status) = call.status() {
        fact_ui(ui, "Status", &status.to_string(), "");
    }
    fact_ui(ui, "Chunks", &call.pieces.to_string(), "");
    if let Some(first) = call.first_nanos {
        fact_ui(ui, "First chunk", &format_duration(first as f64), "");
    }
    if let Some((_, took)) = &call.ended {
        fact_ui(ui, "Duration", &format_duration(*took as f64), "");
    }
}

fn banner_ui(ui: &mut Ui, call: &RecordedCall) {
    let (tone, heading, body) = match call.ended.as_ref().map(|(outcome, _)| outcome) {
        Some(ProxyOutcome::CutOff(why)) => (Tone::Error, "The answer was cut off.", why.as_str()),
        Some(ProxyOutcome::Unreached(_, why)) => {
            (Tone::Error, "Upstream could not be reached.", why.as_str())
        }
        Some(ProxyOutcome::Refused(_, why)) => {
            (Tone::Error, "The recorder refused the call.", why.as_str())
        }
        Some(ProxyOutcome::Cancelled) => (
            Tone::Warning,
            "The client disconnected.",
            "The part received until then is saved and marked as cancelled",
        ),
        Some(ProxyOutcome::Stopped) => (
            Tone::Warning,
            "The recorder was stopped during the call.",
            "The part received until then is saved and marked as cut off",
        ),
        _ => return,
    };
    let icon = match tone {
        Tone::Error => icons::CIRCLE_X,
        _ => icons::TRIANGLE_ALERT,
    };
    widgets::banner(ui, tone, icon, heading, &visible(&format!("{body}.")));
}

/// Paints the result of a call, with a link to it.
fn result_ui(ui: &mut Ui, kept: &StoreResult, actions: &mut Vec<Action>) {
    widgets::heading(ui, "", "Result", "");
    ui.add_space(6.0);
    match kept {
        StoreResult::Refused => muted_ui(ui, "Nothing: it was not forwarded."),
        StoreResult::PassedOn => {
            muted_ui(ui, "It was forwarded but not saved: it was not a model call.");
        }
        StoreResult::Failed(reason) => {
            let color = tokens(ui).error;
            let words = format!("It was not saved. {reason}.");
            let text = RichText::new(visible(&words)).font(theme::regular(theme::ROW));
            ui.label(text.color(color));
        }
        StoreResult::Tape { path, bytes: size, chunks, notes } => {
            fact_row_ui(ui, "Tape", |ui| {
                let link = widgets::mono_link(ui, &visible(call_row_text::file_name(path)));
                if link.on_hover_text(visible(path)).clicked() {
                    actions.push(calls_action(CallsAction::ShowFile(path.clone())));
                }
            });
            let size = bytes(*size as u64);
            fact_ui(ui, "Size", &size, &counted(*chunks, "chunk", "chunks"));
            for note in notes {
                numbered_ui(ui, None, &format!("{note}."), ResultStatus::Doubtful);
            }
            ui.add_space(8.0);
            let open = Button::secondary("Open in Tapes")
                .icon(icons::CASSETTE_TAPE)
                .trailing(icons::ARROW_RIGHT)
                .width(ui.available_width())
                .keys(vec!["Enter".to_owned()]);
            if ui.add(open.tooltip("Shows the tape on its timeline")).clicked() {
                actions.push(calls_action(CallsAction::ShowFile(path.clone())));
            }
        }
    }
}
