//! The edit history: every step in order, to go back to any of them.

use egui::{Align, Layout, Ui, pos2, vec2};

use super::dialog::{DialogHead, default_button, dialog};
use super::icons;
use super::theme::{self, tokens};
use super::widgets::{self, Button, RowSelection, StyledText, paint_icon, paint_line};
use crate::text::visible;
use crate::workbench::{Action, Command, Workbench};

/// Draws the history over the desk, the latest step on top.
pub fn history_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Vec<Action>) {
    let journal = workbench.journal();
    let head = DialogHead {
        icon: icons::HISTORY,
        title: "Edit history",
        detail: "Choose a step to go back to the state after it. Files on disk do not change.",
    };
    let body = |ui: &mut Ui, actions: &mut Vec<Action>| {
        let count = journal.steps().len();
        // One more row than steps: the initial state.
        let first = ui.cursor().top();
        let (clip, size) = (
            ui.clip_rect(),
            vec2(ui.available_width(), (count + 1) as f32 * theme::ROW_HEIGHT),
        );
        let (area, _) = ui.allocate_exact_size(size, egui::Sense::hover());
        let row_at =
            |y: f32| (((y - first) / theme::ROW_HEIGHT).floor().max(0.0) as usize).min(count);
        for row in row_at(clip.top())..=row_at(clip.bottom()) {
            let rect = egui::Rect::from_min_size(
                pos2(area.left(), first + row as f32 * theme::ROW_HEIGHT),
                vec2(area.width(), theme::ROW_HEIGHT),
            );
            widgets::place(ui, rect, |ui| {
                step_ui(ui, workbench, count - row, actions);
            });
        }
    };
    dialog(ui, "history", head, actions, body, |ui, actions| {
        for command in [Command::Undo, Command::Redo] {
            let enabled = command.enabled(workbench);
            let button = Button::secondary(command.name()).icon(icons::command(command));
            if ui.add(button.command(command, enabled)).clicked() {
                actions.push(Action::Run(command));
            }
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Button::secondary("Close")
                .keys(vec!["Esc".to_owned()])
                .show_keys();
            if default_button(ui, close).clicked() {
                actions.push(Action::SetOverlay(None));
            }
        });
    });
}

/// Adds a row for the state after `steps` steps.
fn step_ui(ui: &mut Ui, workbench: &Workbench, steps: usize, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let journal = workbench.journal();
    let step = steps.checked_sub(1).and_then(|at| journal.steps().get(at));
    let name = step.map_or("As opened", |step| step.name.as_str());
    let name = visible(name);
    let docs = step.map(|step| step.docs()).unwrap_or_default();
    let file = match docs.as_slice() {
        [] => String::new(),
        [doc] => visible(workbench.library().name_of(*doc)).into_owned(),
        docs => crate::ops::diff::counted(docs.len(), "file", "files"),
    };
    let is_now = steps == journal.done();
    let chosen = if is_now {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let response = widgets::row(ui, theme::ROW_HEIGHT, chosen, &format!("{name}, {file}"));
    let rect = response.rect;
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, 0);
    }
    let (color, icon) = match (steps > journal.done(), is_now) {
        (true, _) => (tokens.muted, icons::REDO_2),
        (false, true) => (tokens.text_strong, icons::CIRCLE_DOT),
        (false, false) => (tokens.text, icons::CHECK),
    };
    let middle = rect.center().y;
    paint_icon(
        ui.painter(),
        pos2(rect.left() + 16.0, middle),
        icon,
        theme::ICON,
        color,
    );
    let left = rect.left() + 34.0;
    let beside = StyledText::new().with(&file, theme::mono(theme::LABEL), tokens.muted);
    let beside = beside.galley(ui, rect.width() / 2.0);
    let room = rect.right() - left - beside.size().x - 2.0 * theme::PADDING;
    let words = StyledText::new()
        .with(&name, theme::regular(theme::ROW), color)
        .galley(ui, room);
    paint_line(ui.painter(), pos2(left, middle), words);
    widgets::paint_line_right(
        ui.painter(),
        pos2(rect.right() - theme::GAP, middle),
        beside,
    );
    if response.clicked() {
        actions.push(Action::JumpTo(steps));
    }
}
