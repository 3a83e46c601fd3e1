//! Paints a served call: its answer and why it matched, what was sent, and the next steps.

use egui::Ui;

use super::call_details_ui::{fact_row_ui, fact_ui, muted_ui};
use super::call_row_text;
use super::calls_ui::{CallsContext, calls_action};
use super::next_ui::next_ui;
use crate::ops::live::serve::{ServeChoice, ServedCall, ServedCallEnd};
use crate::ops::playback::ResultStatus;
use crate::ops::tape::timing::format_duration;
use crate::text::{counted, visible};
use crate::ui::icons;
use crate::ui::playback::{numbered_ui, section, signature_card_ui};
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, StyledText};
use crate::workbench::{Action, CallId, CallsAction};

/// Maximum number of differences shown.
const MAX_DIFFERENCES: usize = 12;

/// Draws the details of the call.
pub(super) fn served_ui(
    ui: &mut Ui,
    context: &CallsContext<'_>,
    (id, call): (CallId, &ServedCall),
    actions: &mut Vec<Action>,
) {
    banner_ui(ui, call);
    let choice = call.choice.as_deref();
    if let Some(choice) = choice {
        match_reason_ui(ui, choice);
        widgets::hair_line(ui);
        section(ui, |ui| differs_ui(ui, choice, actions));
        widgets::hair_line(ui);
    }
    section(ui, |ui| sent_ui(ui, call, actions));
    widgets::hair_line(ui);
    section(ui, |ui| next_ui(ui, context, (id, choice), actions));
}

/// Paints warnings and errors first.
fn banner_ui(ui: &mut Ui, call: &ServedCall) {
    let not_offered = call.not_offered();
    if let Some(first) = not_offered.first() {
        let heading = match not_offered.len() {
            1 => "The client got a tool that it did not offer.".to_owned(),
            count => format!("The client got {count} tools that it did not offer."),
        };
        let body = format!("{}, as in the recording that was served.", visible(first));
        widgets::banner(ui, Tone::Warning, icons::TRIANGLE_ALERT, &heading, &body);
    }
    let choice = call.choice.as_ref();
    if let Some(conversion) = choice.and_then(|choice| choice.conversion.as_ref()) {
        let heading = "The client got the recorded answer in another form.";
        widgets::banner(ui, Tone::Warning, icons::TRIANGLE_ALERT, heading, conversion);
    }
    match &call.ended {
        Some((ServedCallEnd::Refused(status, message), _)) => {
            refused_ui(ui, call, *status, message);
        }
        Some((ServedCallEnd::HungUp, took)) => {
            let body = format!(
                "After {}, with {} of {} sent.",
                format_duration(*took as f64),
                call.chunks,
                counted(call.planned, "chunk", "chunks")
            );
            let heading = "The client disconnected.";
            widgets::banner(ui, Tone::Warning, icons::TRIANGLE_ALERT, heading, &body);
        }
        _ => {}
    }
}

fn refused_ui(ui: &mut Ui, call: &ServedCall, status: u16, message: &str) {
    let heading = match call.choice {
        Some(_) => "No served tape or recording matches this call.".to_owned(),
        None => format!("The call was refused with {status}."),
    };
    let choice = call.choice.as_deref();
    let body = match choice.and_then(|choice| choice.nearest.first()) {
        Some(near) => format!("The nearest is {}: {}.", near.label, near.short),
        None => format!("{message}."),
    };
    let icon = icons::CIRCLE_X;
    widgets::banner(ui, Tone::Error, icon, &heading, &visible(&body));
}

fn match_reason_ui(ui: &mut Ui, choice: &ServeChoice) {
    section(ui, |ui| {
        let title = match choice.chosen {
            Some(_) => "Why this one",
            None => "Why none",
        };
        widgets::heading(ui, "", title, "");
        ui.add_space(6.0);
        let chosen = choice.chosen.as_ref().filter(|chosen| chosen.before > 0);
        let repeat = chosen.map(|chosen| {
            let times = counted(chosen.before, "time", "times");
            format!("It was served {times} before.")
        });
        let sentences = choice.why.iter().chain(&repeat);
        for (number, sentence) in sentences.enumerate() {
            numbered_ui(ui, Some(number + 1), sentence, ResultStatus::Doubtful);
        }
    });
}

fn differs_ui(ui: &mut Ui, choice: &ServeChoice, actions: &mut Vec<Action>) {
    widgets::heading(ui, "", "How the request differs", "");
    ui.add_space(8.0);
    if let Some(diff) = &choice.signatures {
        signature_card_ui(ui, ["This call", "Recorded"], diff);
        if !choice.differences.is_empty() {
            ui.add_space(4.0);
        }
    }
    let near = choice.nearest.first().filter(|_| choice.chosen.is_none());
    if let Some(near) = near {
        ui.horizontal(|ui| {
            let font = theme::regular(theme::ROW);
            let words =
                StyledText::new().with("Compared with the nearest,", font, tokens(ui).muted);
            words.show(ui);
            if widgets::mono_link(ui, &visible(&near.label)).clicked() {
                actions.push(calls_action(CallsAction::ShowFile(near.path.clone())));
            }
        });
        ui.add_space(2.0);
    }
    let differences = near.map_or(&choice.differences, |near| &near.differences);
    for difference in differences.iter().take(MAX_DIFFERENCES) {
        let difference = format!("{}.", difference.trim_end_matches('.'));
        numbered_ui(ui, None, &difference, ResultStatus::Doubtful);
    }
    let more = differences.len().saturating_sub(MAX_DIFFERENCES);
    if more > 0 {
        let more = counted(more, "more difference", "more differences");
        muted_ui(ui, &format!("and {more}"));
    }
    if differences.is_empty() && choice.signatures.is_none() {
        let words = match choice.chosen {
            Some(_) => "No differences.",
            None => "There is nothing to compare it with.",
        };
        muted_ui(ui, words);
    }
}

fn sent_ui(ui: &mut Ui, call: &ServedCall, actions: &mut Vec<Action>) {
    widgets::heading(ui, "", "Response", "");
    ui.add_space(6.0);
    let status = match &call.ended {
        Some((ServedCallEnd::AsRecorded(status) | ServedCallEnd::Refused(status, _), _)) => {
            Some(*status)
        }
        Some((ServedCallEnd::Done, _)) => Some(200),
        _ => (call.chunks > 0).then_some(200),
    };
    if let Some(status) = status {
        fact_ui(ui, "Status", &status.to_string(), "");
    }
    answer_ui(ui, call);
    let choice = call.choice.as_deref();
    if let Some(chosen) = choice.and_then(|choice| choice.chosen.as_ref()) {
        fact_row_ui(ui, "From", |ui| {
            let name = call_row_text::file_name(&chosen.path);
            let link = widgets::mono_link(ui, &visible(name));
            if link.on_hover_text(visible(&chosen.path)).clicked() {
                actions.push(calls_action(CallsAction::ShowFile(chosen.path.clone())));
            }
        });
    }
    if call.planned > 0 {
        let planned = format!("of {}", call.planned);
        fact_ui(ui, "Chunks", &call.chunks.to_string(), &planned);
    }
    if let Some(first) = call.first_nanos {
        let due = call.first_due_nanos.map(|due| format_duration(due as f64));
        let due = due.map_or_else(String::new, |due| format!("planned {due}"));
        fact_ui(ui, "First chunk", &format_duration(first as f64), &due);
        fact_ui(ui, "Late by", &format_duration(call.late_nanos as f64), "at most");
    }
}

/// Paints the tools that the answer calls, else its text.
fn answer_ui(ui: &mut Ui, call: &ServedCall) {
    let Some(plan) = call.plan.as_deref() else {
        return;
    };
    let calls: Vec<&str> = plan.calls.iter().map(|name| &**name).collect();
    let answer = if !calls.is_empty() {
        calls.join(", ")
    } else {
        plan.text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    if !answer.is_empty() {
        fact_ui(ui, "Answer", &visible(&answer), "");
    }
}
