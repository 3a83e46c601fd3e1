//! Paints how to configure a client for the recorder or the server.

use egui::{Sense, Ui, vec2};

use super::calls_ui::calls_action;
use super::runs_ui::{paint_frame, sentence_ui};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, Segment, StyledText};
use crate::workbench::{Action, CallsAction, CallsDesk, ClientKind, Command, ListenerKind};

/// Draws the base URL for a client's SDK, with a copy button.
pub(super) fn client_ui(ui: &mut Ui, desk: &CallsDesk, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    widgets::heading(ui, "", "Point a client here", "");
    ui.add_space(8.0);
    let Some((which, address)) = desk.client_target() else {
        let words = "The base URL for its SDK appears here when the recorder or the server runs.";
        return sentence_ui(ui, words, colors.muted);
    };
    if desk.addresses().len() > 1 {
        let segments = ["Recorder", "Server"].map(Segment::text);
        if let Some(which) = choice_ui(ui, &segments, &ListenerKind::ALL, which) {
            actions.push(calls_action(CallsAction::PointAt(which)));
        }
        ui.add_space(8.0);
    }
    let segments = ["Anthropic", "OpenAI", "Gemini"].map(Segment::text);
    if let Some(client) = choice_ui(ui, &segments, &ClientKind::ALL, desk.client) {
        actions.push(calls_action(CallsAction::ShowClient(client)));
    }
    ui.add_space(8.0);
    variable_ui(ui, desk.client.variable(address), actions);
    ui.add_space(8.0);
    reach_ui(ui, desk.addresses().len());
}

/// Adds a choice of one among a few. Returns which one was clicked.
fn choice_ui<T: Copy + PartialEq>(
    ui: &mut Ui,
    segments: &[Segment<'_>],
    all: &[T],
    chosen: T,
) -> Option<T> {
    let at = all.iter().position(|it| *it == chosen);
    let pressed = widgets::segmented(ui, segments, at.unwrap_or_default())?;
    all.get(pressed).copied()
}

/// Paints the environment variable for a client.
fn variable_ui(ui: &mut Ui, (name, url): (&str, String), actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 56.0), Sense::hover());
    paint_frame(ui, rect);
    let ((), right) = widgets::place_right(ui, rect.shrink2(vec2(2.0, 0.0)), |ui| {
        let copy = Button::icon_only(icons::COPY, Command::CopyBaseUrl.name());
        if ui.add(copy.command(Command::CopyBaseUrl, Ok(()))).clicked() {
            actions.push(calls_action(CallsAction::CopyVariable));
        }
    });
    let inner = rect.shrink2(vec2(12.0, 8.0)).with_max_x(right);
    widgets::place(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let font = || theme::mono(theme::LABEL);
        let words = StyledText::new().with(name, font(), colors.key);
        words.with("=", font(), colors.muted).show(ui);
        StyledText::new().with(&url, font(), colors.string).show(ui);
    });
}

/// Paints who can reach the addresses.
fn reach_ui(ui: &mut Ui, addresses: usize) {
    let colors = tokens(ui);
    let words = match addresses {
        1 => "Only this computer can reach this address.",
        _ => "Only this computer can reach these two addresses.",
    };
    let center = ui.cursor().min + vec2(7.0, 9.0);
    widgets::paint_icon(ui.painter(), center, icons::LOCK, theme::ICON, colors.muted);
    widgets::indented(ui, |ui| sentence_ui(ui, words, colors.muted));
}
