//! Paints the card of the recorder or the server: its state and its start and stop buttons.

use egui::{Sense, Ui, WidgetInfo, pos2, vec2};

use super::calls_ui::calls_action;
use super::options_ui::{recorder_ui, server_ui};
use super::runs_ui::{paint_frame, sentence_ui};
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{
    Action, CallsAction, CallsDesk, Command, ListenState, ListenerKind, Workbench,
};

/// Draws the address and the options of a listener, or its start button.
pub(super) fn listener_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    which: ListenerKind,
    actions: &mut Vec<Action>,
) {
    let desk = &workbench.live.calls;
    let state = desk.state(which);
    head_ui(ui, which, state);
    match state {
        ListenState::Listening { .. } => running_ui(ui, workbench, which, actions),
        ListenState::Starting | ListenState::Stopping => {
            ui.add_space(6.0);
            let button = Button::secondary("Stop").icon(icons::SQUARE);
            let reason = (*state == ListenState::Stopping).then_some("it is stopping");
            if ui.add(button.disabled(reason)).clicked() {
                actions.push(calls_action(CallsAction::Stop(which)));
            }
        }
        ListenState::Off | ListenState::Failed(_) => idle_ui(ui, workbench, which, actions),
    }
}

fn name(which: ListenerKind) -> &'static str {
    match which {
        ListenerKind::Recorder => "Recorder",
        ListenerKind::Server => "Server",
    }
}

/// Paints a running listener.
fn running_ui(ui: &mut Ui, workbench: &Workbench, which: ListenerKind, actions: &mut Vec<Action>) {
    let desk = &workbench.live.calls;
    address_ui(ui, desk, which, actions);
    ui.add_space(6.0);
    let stop = match which {
        ListenerKind::Recorder => {
            if let Some(order) = desk.recorder.request.as_ref() {
                recorder_ui(ui, workbench, order, actions);
            }
            Command::StopRecording
        }
        ListenerKind::Server => {
            if let Some(order) = desk.server.request.as_ref() {
                server_ui(ui, workbench, order, actions);
            }
            Command::StopServing
        }
    };
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let button = Button::secondary("Stop").icon(icons::SQUARE);
        if ui.add(button.tooltip(stop.name())).clicked() {
            actions.push(calls_action(CallsAction::Stop(which)));
        }
        let tip = format!("{}: restart with other settings", name(which));
        if ui.add(Button::ghost("Change…").tooltip(&tip)).clicked() {
            actions.push(calls_action(CallsAction::ShowForm(which)));
        }
    });
}

/// Paints a stopped listener.
fn idle_ui(ui: &mut Ui, workbench: &Workbench, which: ListenerKind, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    ui.add_space(4.0);
    let (start, purpose) = match which {
        ListenerKind::Recorder => (
            Command::RecordCalls,
            "Forwards calls from a client to the model and saves each call as a tape.",
        ),
        ListenerKind::Server => (
            Command::ServeCalls,
            "Answers clients from tapes and recording sets, in place of the model.",
        ),
    };
    match workbench.live.calls.state(which) {
        ListenState::Failed(fault) => sentence_ui(ui, &format!("{}.", fault.message), colors.error),
        _ => sentence_ui(ui, purpose, colors.muted),
    }
    ui.add_space(8.0);
    let button = Button::secondary(start.name()).command(start, start.enabled(workbench));
    if ui.add(button).clicked() {
        actions.push(Action::Run(start));
    }
}

/// Returns the icon, the tone and the label of a state.
fn state_look(state: &ListenState) -> (&'static str, Tone, &'static str) {
    match state {
        ListenState::Off => ("", Tone::Plain, "off"),
        ListenState::Starting => (icons::HOURGLASS, Tone::Note, "starting"),
        ListenState::Listening { .. } => (icons::CIRCLE_CHECK, Tone::Good, "running"),
        ListenState::Stopping => (icons::HOURGLASS, Tone::Note, "stopping"),
        ListenState::Failed(_) => (icons::CIRCLE_X, Tone::Error, "not started"),
    }
}

fn head_ui(ui: &mut Ui, which: ListenerKind, state: &ListenState) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), theme::CONTROL);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let (sign, tone, word) = state_look(state);
    let name = name(which);
    let name_and_state = format!("{name}: {word}");
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Heading, true, &name_and_state));
    let color = match tone {
        Tone::Plain => colors.muted,
        tone => colors.tone(tone),
    };
    let icon = match which {
        ListenerKind::Recorder => icons::RADIO,
        ListenerKind::Server => icons::SERVER,
    };
    let (painter, middle) = (ui.painter(), rect.center().y);
    let center = pos2(rect.left() + 8.0, middle);
    widgets::paint_icon(painter, center, icon, theme::ICON_HEADING, color);
    let font = theme::semibold(theme::BODY);
    let line = widgets::line(ui, name, font, colors.text_strong, 140.0);
    let left = rect.left() + theme::INDENT + 2.0;
    widgets::paint_line(painter, pos2(left, middle), line);
    let line = widgets::line(ui, word, theme::regular(theme::ROW), color, 120.0);
    let left = rect.right() - line.size().x;
    widgets::paint_line(painter, pos2(left, middle), line);
    let center = pos2(left - 11.0, middle);
    widgets::paint_icon(painter, center, sign, theme::ICON, color);
}

/// Paints the address of a listener, with a copy button.
fn address_ui(ui: &mut Ui, desk: &CallsDesk, which: ListenerKind, actions: &mut Vec<Action>) {
    let Some(address) = desk.address(which) else {
        return;
    };
    let colors = tokens(ui);
    ui.add_space(2.0);
    let size = vec2(ui.available_width(), theme::CONTROL);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    paint_frame(ui, rect);
    let ((), right) = widgets::place_right(ui, rect.shrink2(vec2(2.0, 0.0)), |ui| {
        let name = match which {
            ListenerKind::Recorder => "Copy the recorder's URL",
            ListenerKind::Server => "Copy the server's URL",
        };
        if ui.add(Button::icon_only(icons::COPY, name)).clicked() {
            actions.push(calls_action(CallsAction::CopyUrl(which)));
        }
    });
    let inner = rect.with_min_x(rect.left() + 9.0).with_max_x(right);
    widgets::place_left(ui, inner, |ui| {
        let font = theme::mono(theme::LABEL);
        StyledText::new().with(&address.to_string(), font, colors.text_strong).show(ui);
    });
}
