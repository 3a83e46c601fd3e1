//! The edit history: every step in order, to go back to any of them.

use egui::{Align, Layout, Ui};

use author::command_step::{CommandStep, UndoMode};
use document::text::visible;
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::theme::{self, tokens};
use widgets::{Button, Line, List, Row, RowShape, StyledText, command_button, icons};
use workbench::{Action, Actions, Command, Workbench};

const STEP_ROW: RowShape = RowShape { margins: (9.0, theme::GAP), ..RowShape::ONE_LINE };

/// Draws the history over the desk, the latest step on top.
pub fn history_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let journal = &workbench.core.journal;
    let head = DialogHead {
        icon: icons::HISTORY,
        title: "Edit history",
        detail: "Choose a step to go back to the state after it. Files on disk do not change.",
    };
    let body = |ui: &mut Ui, actions: &mut Actions| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let count = journal.steps.len();
        // One more row than steps: the initial state.
        List::new("Edits", &STEP_ROW, count + 1)
            .selection(Some(journal.done), |steps| Some(count - steps))
            .show_inside(ui, |slot| {
                let steps = count - slot.index;
                let row = slot.show(step_row(slot.ui, workbench, steps));
                // The arrow keys then work at once; but a focus that the user has moved stays.
                if steps == journal.done && slot.ui.memory(|memory| memory.focused().is_none()) {
                    row.request_focus();
                }
                widgets::on_click(&row, Action::JumpTo(steps), actions);
            });
        ui.add_space(theme::GAP);
        command_steps_ui(ui, workbench, actions);
    };
    dialog(ui, "history", head, actions, body, |ui, actions| {
        for command in [Command::Undo, Command::Redo] {
            let availability = command.enabled(workbench);
            let button = Button::secondary(command.name()).icon(icons::command(command));
            command_button(ui, button.command(command, availability), command, actions);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            close_button(ui, "Close", actions);
        });
    });
}

/// Draws what the command line has written, the last command on top.
fn command_steps_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let steps = &workbench.core.command_steps;
    if steps.is_empty() {
        return;
    }
    ui.add_space(theme::GAP);
    widgets::subtitle(ui, "On the command line");
    ui.add_space(4.0);
    widgets::body(ui, "Undoing a command restores its files on disk.");
    ui.add_space(theme::GAP);
    for step in steps {
        command_ui(ui, step);
    }
    ui.add_space(theme::GAP);
    let undo = Button::secondary("Undo the last command")
        .icon(icons::command(Command::Undo))
        .tooltip("Restores the files that it wrote, unless one has changed since.");
    let skip = Button::secondary("Restore unchanged files only")
        .tooltip("Leaves the files that have changed since as they are.");
    let forget = Button::secondary("Forget the last command")
        .tooltip("Changes no file, so that the command before can be undone.");
    let choices =
        [(undo, UndoMode::All), (skip, UndoMode::SkipChanged), (forget, UndoMode::Forget)];
    ui.horizontal_wrapped(|ui| {
        // The other choices are needed only if the first is refused.
        let count = if workbench.core.is_undo_refused { choices.len() } else { 1 };
        for (button, mode) in choices.into_iter().take(count) {
            widgets::on_click(&ui.add(button), Action::UndoCommandStep(mode), actions);
        }
    });
    ui.add_space(theme::GAP);
}

fn command_ui(ui: &mut Ui, step: &CommandStep) {
    let tokens = tokens(ui);
    let time = jiff::Timestamp::from_second(step.seconds)
        // A damaged record shows 1970, and its command can still be undone.
        .unwrap_or_default()
        .strftime("%Y-%m-%d %H:%M UTC")
        .to_string();
    let files = document::text::counted(step.files.len(), "file", "files");
    let font = || theme::mono(theme::LABEL);
    StyledText::new()
        .with(&time, font(), tokens.muted)
        // As wide as `9999 files`, so that the commands of all rows begin at one place.
        .with_gap(&format!("{files:<10}"), (font(), tokens.muted))
        .with_gap(&visible(&step.command), (font(), tokens.text))
        .show(ui);
    ui.add_space(6.0);
}

/// Returns the row for the state after `steps` steps.
fn step_row(ui: &Ui, workbench: &Workbench, steps: usize) -> Row {
    let tokens = tokens(ui);
    let journal = &workbench.core.journal;
    // A row is the state after a step; the state before the first one has none.
    let step = steps.checked_sub(1).and_then(|i| journal.steps.get(i));
    let name = visible(step.map_or("As opened", |step| step.name.as_str()));
    let docs = step.map(|step| step.docs()).unwrap_or_default();
    let file = match docs.as_slice() {
        [] => String::new(),
        [doc] => visible(workbench.core.library.name_of(*doc)).into_owned(),
        docs => document::text::counted(docs.len(), "file", "files"),
    };
    let is_now = steps == journal.done;
    let (color, icon) = match (steps > journal.done, is_now) {
        (true, _) => (tokens.muted, icons::REDO_2),
        (false, true) => (tokens.text_strong, icons::CIRCLE_DOT),
        (false, false) => (tokens.text, icons::CHECK),
    };
    Row::new(format!("{name}, {file}")).selected(is_now).line(
        Line::new(&name, theme::regular(theme::ROW), color)
            .icon(icon, color)
            .indent(25.0)
            .right(StyledText::of(&file, tokens.muted_data()))
            // Names of steps and of files are equally important.
            .right_share(0.5),
    )
}
