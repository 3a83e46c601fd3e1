//! The edit history: every step in order, to go back to any of them.

use egui::{Align, Layout, Ui};

use super::dialog::{DialogHead, dialog};
use super::icons;
use super::theme::{self, tokens};
use super::widgets::{Button, Line, List, Row, RowShape, StyledText};
use crate::text::visible;
use crate::workbench::{Action, Command, Workbench};

const ROWS: RowShape = RowShape {
    margins: (9.0, theme::GAP),
    ..RowShape::ONE_LINE
};

/// Draws the history over the desk, the latest step on top.
pub fn history_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Vec<Action>) {
    let journal = &workbench.core.journal;
    let head = DialogHead {
        icon: icons::HISTORY,
        title: "Edit history",
        detail: "Choose a step to go back to the state after it. Files on disk do not change.",
    };
    let body = |ui: &mut Ui, actions: &mut Vec<Action>| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let count = journal.steps.len();
        // One more row than steps: the initial state.
        List::new("Edits", &ROWS, count + 1)
            .selection(Some(journal.done), |done| Some(count - done))
            .show_inside(ui, |slot| {
                let steps = count - slot.index;
                let row = slot.show(step_row(slot.ui, workbench, steps));
                if steps == journal.done && slot.ui.memory(|memory| memory.focused().is_none()) {
                    row.request_focus();
                }
                if row.clicked() {
                    actions.push(Action::JumpTo(steps));
                }
            });
        ui.add_space(theme::GAP);
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
            if ui.add(close).clicked() {
                actions.push(Action::SetOverlay(None));
            }
        });
    });
}

/// Returns the row for the state after `steps` steps.
fn step_row(ui: &Ui, workbench: &Workbench, steps: usize) -> Row {
    let tokens = tokens(ui);
    let journal = &workbench.core.journal;
    let step = steps.checked_sub(1).and_then(|at| journal.steps.get(at));
    let name = visible(step.map_or("As opened", |step| step.name.as_str()));
    let docs = step.map(|step| step.docs()).unwrap_or_default();
    let file = match docs.as_slice() {
        [] => String::new(),
        [doc] => visible(workbench.core.library.name_of(*doc)).into_owned(),
        docs => crate::text::counted(docs.len(), "file", "files"),
    };
    let is_now = steps == journal.done;
    let (color, icon) = match (steps > journal.done, is_now) {
        (true, _) => (tokens.muted, icons::REDO_2),
        (false, true) => (tokens.text_strong, icons::CIRCLE_DOT),
        (false, false) => (tokens.text, icons::CHECK),
    };
    let beside = StyledText::new().with(&file, theme::mono(theme::LABEL), tokens.muted);
    Row::new(format!("{name}, {file}")).selected(is_now).line(
        Line::new(&name, theme::regular(theme::ROW), color)
            .icon(icon, color)
            .indent(25.0)
            .right(beside)
            .right_share(0.5),
    )
}
