//! The selected call: what was asked, what answered it and why, what was sent, and what can be done next.

use egui::{RichText, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

use super::calls_ui::{Sight, act};
use super::words::{self, Mark, clock};
use crate::ops::diff::counted;
use crate::ops::live::record::{Kept, Outcome};
use crate::ops::live::serve::{Choice, Ended};
use crate::ops::live::{record, serve};
use crate::ops::playback::Standing;
use crate::ops::tape::timing::duration;
use crate::text::visible;
use crate::ui::icons;
use crate::ui::playback::{numbered_ui, section, signature_card_ui};
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, Button, Words, bytes};
use crate::workbench::{Action, CallId, CallsAction, Command, Listener, Room};

/// How wide the names of facts are.
const NAMES: f32 = 96.0;
/// How many differences are told.
const MOST_TOLD: usize = 12;

/// Draws the selected call.
pub(super) fn aside_ui(ui: &mut Ui, sight: &Sight<'_>, room: Room, actions: &mut Vec<Action>) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let Some(id) = sight.desk.selected() else {
        widgets::empty_state(ui, "Select a call to see why it got its answer.", None);
        return;
    };
    match id.which {
        Listener::Recorder => {
            let Some(call) = sight.desk.recorded().get(id) else {
                return;
            };
            let title = format!("Recorded at {}", clock(call.began.at, &sight.zone));
            let head = (&*title, &words::recorded_state(call));
            head_ui(ui, head, room, actions);
            scrolled(ui, id, |ui| recorded_ui(ui, call, actions));
        }
        Listener::Server => {
            let Some(call) = sight.desk.served().get(id) else {
                return;
            };
            let title = format!("Served at {}", clock(call.began.at, &sight.zone));
            let chosen = call
                .choice
                .as_ref()
                .and_then(|choice| choice.chosen.as_ref());
            let mark = match chosen {
                Some(chosen) => words::how(chosen.how),
                None => words::served_state(call),
            };
            head_ui(ui, (&title, &mark), room, actions);
            scrolled(ui, id, |ui| served_ui(ui, sight, id, call, actions));
        }
    }
}

/// The selected call in a line, where there is no room beside the desk.
pub(super) fn gist_ui(ui: &mut Ui, sight: &Sight<'_>, actions: &mut Vec<Action>) {
    let Some(id) = sight.desk.selected() else {
        return;
    };
    let colors = tokens(ui);
    let rect = ui.max_rect();
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, hair);
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        let details = Button::secondary("Details").icon(icons::PANEL_RIGHT);
        let details = details.command(Command::ToggleInspector, Ok(()));
        if ui.add(details).clicked() {
            actions.push(Action::Run(Command::ToggleInspector));
        }
    });
    let recorded = sight.desk.recorded().get(id);
    let found = match id.which {
        Listener::Recorder => recorded.map(|call| words::recorded(call, sight.now, &sight.zone)),
        Listener::Server => {
            let call = sight.desk.served().get(id);
            call.map(|call| words::served(call, sight.now, &sight.zone))
        }
    };
    let Some(found) = found else { return };
    let text = format!("{}: {}, {}", found.at, found.result.word, found.detail);
    let icon = (found.state.icon, colors.tone(found.state.tone));
    let inner = inner.with_max_x(right - theme::GAP);
    widgets::paint_icon_word(ui, inner, icon, (&text, colors.text));
}

fn scrolled(ui: &mut Ui, id: CallId, content: impl FnOnce(&mut Ui)) {
    let area = ScrollArea::vertical().id_salt(id).auto_shrink(false);
    area.show(ui, content);
}

fn head_ui(ui: &mut Ui, (title, mark): (&str, &Mark), room: Room, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), theme::DESK_HEADER);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        if room == Room::Over {
            let close = Button::icon_only(icons::X, "Close the call");
            if ui.add(close.keys(vec!["Esc".to_owned()])).clicked() {
                actions.push(Action::Run(Command::ToggleInspector));
            }
        }
        widgets::tag(ui, mark.icon, &mark.word, mark.tone);
    });
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        Words::new()
            .with(title, theme::semibold(theme::TITLE), colors.text_strong)
            .show(ui);
    });
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
}

fn served_ui(
    ui: &mut Ui,
    sight: &Sight<'_>,
    id: CallId,
    call: &serve::Call,
    actions: &mut Vec<Action>,
) {
    served_banner_ui(ui, call);
    let choice = call.choice.as_deref();
    if let Some(choice) = choice {
        why_ui(ui, choice);
        widgets::hair_line(ui);
        differs_ui(ui, choice, actions);
        widgets::hair_line(ui);
    }
    section(ui, |ui| {
        widgets::heading(ui, "", "What was sent", "");
        ui.add_space(6.0);
        sent_ui(ui, call, actions);
    });
    widgets::hair_line(ui);
    let request = sight.desk.request(id);
    section(ui, |ui| {
        widgets::heading(ui, "", "What next", "");
        ui.add_space(8.0);
        let set = choice.and_then(set_path);
        if let Some(path) = set {
            let reason = request
                .is_none()
                .then_some("its request is not kept any more");
            let explain = Button::secondary("Explain in Playback")
                .icon(icons::LIST_CHECKS)
                .trailing(icons::ARROW_RIGHT)
                .width(ui.available_width())
                .tooltip("Plays the request against the set, with every step and every miss")
                .disabled(reason);
            if ui.add(explain).clicked() {
                actions.push(act(CallsAction::Explain(id, path.into())));
            }
            ui.add_space(8.0);
        }
        let reason = request
            .is_none()
            .then_some("it was not read, or is not kept any more");
        let copy = Button::secondary("Copy the request")
            .icon(icons::COPY)
            .trailing("")
            .width(ui.available_width())
            .tooltip("Copies the request as recordings keep it")
            .disabled(reason);
        if ui.add(copy).clicked() {
            actions.push(act(CallsAction::CopyRequest(id)));
        }
        let file = choice.and_then(|choice| choice.chosen.as_ref());
        if let Some(chosen) = file {
            ui.add_space(8.0);
            let show = Button::secondary("Show what was served")
                .icon(icons::FILE_PLAY)
                .trailing(icons::ARROW_RIGHT)
                .width(ui.available_width())
                .keys(vec!["Enter".to_owned()]);
            if ui
                .add(show.tooltip("Shows the tape or the recording"))
                .clicked()
            {
                actions.push(act(CallsAction::ShowFile(chosen.path.clone())));
            }
        }
    });
}

/// The recording by which the request can be played against its set: the one that served, or the nearest.
fn set_path(choice: &Choice) -> Option<&str> {
    use serve::How;
    match &choice.chosen {
        Some(chosen) => {
            let is_recording = matches!(chosen.how, How::Signature { .. } | How::Position(_));
            is_recording.then_some(&*chosen.path)
        }
        None => {
            let asked = choice.asked.as_ref()?;
            let near = choice.nearest.first()?;
            (!asked.offered.is_empty()).then_some(&*near.path)
        }
    }
}

/// What the user should know before all else.
fn served_banner_ui(ui: &mut Ui, call: &serve::Call) {
    let not_offered = call.not_offered();
    if let Some(first) = not_offered.first() {
        let heading = match not_offered.len() {
            1 => "The client got a tool that it did not offer.".to_owned(),
            count => format!("The client got {count} tools that it did not offer."),
        };
        let body = format!("{}, as from the recording that served it.", visible(first));
        widgets::banner(ui, Tone::Warning, icons::TRIANGLE_ALERT, &heading, &body);
    }
    match &call.ended {
        Some((Ended::Refused(status, message), _)) => {
            let heading = match call.choice {
                Some(_) => "Nothing that is served answers this call.".to_owned(),
                None => format!("The call was refused with {status}."),
            };
            let near = call
                .choice
                .as_ref()
                .and_then(|choice| choice.nearest.first());
            let body = match near {
                Some(near) => format!("Nearest is {}: {}.", near.label, near.short),
                None => format!("{message}."),
            };
            let icon = icons::CIRCLE_X;
            widgets::banner(ui, Tone::Error, icon, &heading, &visible(&body));
        }
        Some((Ended::HungUp, took)) => {
            let body = format!(
                "After {}, with {} of {} sent.",
                duration(*took as f64),
                call.chunks,
                counted(call.planned, "chunk", "chunks")
            );
            let heading = "The client hung up.";
            widgets::banner(ui, Tone::Warning, icons::TRIANGLE_ALERT, heading, &body);
        }
        _ => {}
    }
}

fn why_ui(ui: &mut Ui, choice: &Choice) {
    section(ui, |ui| {
        let title = match choice.chosen {
            Some(_) => "Why this one",
            None => "Why none",
        };
        widgets::heading(ui, "", title, "");
        ui.add_space(6.0);
        for (number, why) in choice.why.iter().enumerate() {
            numbered_ui(ui, Some(number + 1), why, Standing::Doubtful);
        }
        if let Some(chosen) = choice.chosen.as_ref().filter(|chosen| chosen.before > 0) {
            let times = counted(chosen.before, "time", "times");
            let words = format!("It was served {times} before.");
            numbered_ui(ui, Some(choice.why.len() + 1), &words, Standing::Doubtful);
        }
    });
}

fn differs_ui(ui: &mut Ui, choice: &Choice, actions: &mut Vec<Action>) {
    section(ui, |ui| {
        widgets::heading(ui, "", "How the request differs", "");
        ui.add_space(8.0);
        if let Some(diff) = &choice.signatures {
            signature_card_ui(ui, ["This call", "Recorded"], diff);
            let known = choice.differences.len();
            if known > 0 {
                ui.add_space(4.0);
            }
        }
        let near = choice.nearest.first().filter(|_| choice.chosen.is_none());
        let (differences, from) = match near {
            Some(near) => (&near.against[..], Some(near)),
            None => (&choice.differences[..], None),
        };
        if let Some(near) = from {
            ui.horizontal(|ui| {
                let color = tokens(ui).muted;
                Words::new()
                    .with("From the nearest,", theme::regular(theme::ROW), color)
                    .show(ui);
                if widgets::mono_link(ui, &visible(&near.label)).clicked() {
                    actions.push(act(CallsAction::ShowFile(near.path.clone())));
                }
            });
            ui.add_space(2.0);
        }
        for difference in differences.iter().take(MOST_TOLD) {
            let difference = format!("{}.", difference.trim_end_matches('.'));
            numbered_ui(ui, None, &difference, Standing::Doubtful);
        }
        let more = differences.len().saturating_sub(MOST_TOLD);
        if more > 0 {
            muted(
                ui,
                &format!(
                    "and {}",
                    counted(more, "more difference", "more differences")
                ),
            );
        }
        if differences.is_empty() && choice.signatures.is_none() {
            muted(
                ui,
                match choice.chosen {
                    Some(_) => "Not at all.",
                    None => "There is nothing to compare it with.",
                },
            );
        }
    });
}

fn muted(ui: &mut Ui, words: &str) {
    let color = tokens(ui).muted;
    let text = RichText::new(words).font(theme::regular(theme::ROW));
    ui.label(text.color(color));
}

fn sent_ui(ui: &mut Ui, call: &serve::Call, actions: &mut Vec<Action>) {
    let status = match &call.ended {
        Some((Ended::AsRecorded(status) | Ended::Refused(status, _), _)) => Some(*status),
        Some((Ended::Done, _)) => Some(200),
        _ => (call.chunks > 0).then_some(200),
    };
    if let Some(status) = status {
        fact(ui, "Status", &status.to_string(), "");
    }
    if let Some(plan) = call.plan.as_deref() {
        let calls: Vec<&str> = plan.calls.iter().map(|name| &**name).collect();
        match calls.is_empty() {
            false => fact(ui, "Answer", &visible(&calls.join(", ")), ""),
            true if !plan.text.trim().is_empty() => {
                let text = plan.text.split_whitespace().collect::<Vec<_>>().join(" ");
                fact(ui, "Answer", &visible(&text), "");
            }
            true => {}
        }
    }
    if let Some(chosen) = call
        .choice
        .as_ref()
        .and_then(|choice| choice.chosen.as_ref())
    {
        row(ui, "From", |ui| {
            let name = words::file_name(&chosen.path);
            let link = widgets::mono_link(ui, &visible(name));
            if link.on_hover_text(visible(&chosen.path)).clicked() {
                actions.push(act(CallsAction::ShowFile(chosen.path.clone())));
            }
        });
    }
    if call.planned > 0 {
        let planned = format!("of {}", call.planned);
        fact(ui, "Chunks", &call.chunks.to_string(), &planned);
    }
    if let Some(first) = call.first_nanos {
        let due = call.first_due_nanos.map(|due| duration(due as f64));
        let due = due.map_or_else(String::new, |due| format!("planned {due}"));
        fact(ui, "First chunk", &duration(first as f64), &due);
        fact(ui, "Late by", &duration(call.late_nanos as f64), "at most");
    }
}

/// A fact: its name, what it is, and what is said of that.
fn fact(ui: &mut Ui, name: &str, data: &str, aside: &str) {
    row(ui, name, |ui| {
        let colors = tokens(ui);
        let words = Words::new().with(data, theme::mono(theme::LABEL), colors.text_strong);
        let words = words.after(6.0, aside, theme::regular(theme::ROW), colors.muted);
        words.show(ui).on_hover_text(data);
    });
}

fn row(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    let size = vec2(ui.available_width(), 24.0);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let line = widgets::line(
        ui,
        name,
        theme::regular(theme::ROW),
        tokens(ui).muted,
        NAMES,
    );
    widgets::paint_line(ui.painter(), pos2(rect.left(), rect.center().y), line);
    widgets::place_left(ui, rect.with_min_x(rect.left() + NAMES), content);
}

fn recorded_ui(ui: &mut Ui, call: &record::Call, actions: &mut Vec<Action>) {
    recorded_banner_ui(ui, call);
    section(ui, |ui| {
        widgets::heading(ui, "", "What was asked", "");
        ui.add_space(6.0);
        if let Some(label) = &call.began.label {
            fact(ui, "Label", &visible(label), "");
        }
        fact(ui, "Address", &visible(&call.began.address), "");
        let api = call.began.api.map_or("not known", |api| api.as_str());
        fact(ui, "API", api, "");
        if let Some(asked) = call.asked.as_deref() {
            let model = asked.model.as_deref().unwrap_or("none");
            fact(ui, "Model", &visible(model), "");
            fact(ui, "Tools", &asked.tools.to_string(), "");
            fact(ui, "Messages", &asked.messages.to_string(), "");
        }
    });
    widgets::hair_line(ui);
    section(ui, |ui| {
        widgets::heading(ui, "", "What came back", "");
        ui.add_space(6.0);
        if let Some(status) = call.status() {
            fact(ui, "Status", &status.to_string(), "");
        }
        fact(ui, "Chunks", &call.pieces.to_string(), "");
        if let Some(first) = call.first_nanos {
            fact(ui, "First chunk", &duration(first as f64), "");
        }
        if let Some((_, took)) = &call.ended {
            fact(ui, "Took", &duration(*took as f64), "");
        }
    });
    if let Some(kept) = &call.kept {
        widgets::hair_line(ui);
        section(ui, |ui| kept_ui(ui, kept, actions));
    }
}

fn recorded_banner_ui(ui: &mut Ui, call: &record::Call) {
    let (tone, heading, body) = match call.ended.as_ref().map(|(outcome, _)| outcome) {
        Some(Outcome::CutOff(why)) => (Tone::Error, "The answer broke off.", why.as_str()),
        Some(Outcome::Unreached(_, why)) => (
            Tone::Error,
            "The model's side was not reached.",
            why.as_str(),
        ),
        Some(Outcome::Cancelled) => (
            Tone::Warning,
            "The client hung up.",
            "What came until then is kept, and marked as cancelled",
        ),
        Some(Outcome::Stopped) => (
            Tone::Warning,
            "The recorder was stopped meanwhile.",
            "What came until then is kept, and marked as cut off",
        ),
        _ => return,
    };
    let icon = match tone {
        Tone::Error => icons::CIRCLE_X,
        _ => icons::TRIANGLE_ALERT,
    };
    widgets::banner(ui, tone, icon, heading, &visible(&format!("{body}.")));
}

/// What became of a call, and where it is looked at.
fn kept_ui(ui: &mut Ui, kept: &Kept, actions: &mut Vec<Action>) {
    widgets::heading(ui, "", "What it became", "");
    ui.add_space(6.0);
    match kept {
        Kept::PassedOn => muted(ui, "It was passed on: it was no call of a model."),
        Kept::Failed(reason) => {
            let color = tokens(ui).error;
            let words = format!("It is not kept. {reason}.");
            let text = RichText::new(visible(&words)).font(theme::regular(theme::ROW));
            ui.label(text.color(color));
        }
        Kept::Tape {
            path,
            bytes: size,
            chunks,
            notes,
        } => {
            row(ui, "Tape", |ui| {
                let link = widgets::mono_link(ui, &visible(words::file_name(path)));
                if link.on_hover_text(visible(path)).clicked() {
                    actions.push(act(CallsAction::ShowFile(path.clone())));
                }
            });
            let size = bytes(*size as u64);
            fact(ui, "Size", &size, &counted(*chunks, "chunk", "chunks"));
            for note in notes {
                numbered_ui(ui, None, &format!("{note}."), Standing::Doubtful);
            }
            ui.add_space(8.0);
            let open = Button::secondary("Open in Tapes")
                .icon(icons::CASSETTE_TAPE)
                .trailing(icons::ARROW_RIGHT)
                .width(ui.available_width())
                .keys(vec!["Enter".to_owned()]);
            if ui
                .add(open.tooltip("Shows the tape along its time"))
                .clicked()
            {
                actions.push(act(CallsAction::ShowFile(path.clone())));
            }
        }
    }
}
