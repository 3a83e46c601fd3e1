//! Paints the command that runs a session.

use egui::{CornerRadius, Role, Sense, StrokeKind, Ui, vec2};

use document::text::counted;
use protocol::{ContractReport, RunCommands};
use widgets::theme::{self, tokens};
use widgets::{Button, icons};
use workbench::{Action, Actions, ContractAction, RunScope, SessionsAction};

/// Reason why the command cannot be run.
const NO_FLAKESTORM: &str = "Flakestorm was not found on the PATH";

pub(super) fn run_ui(ui: &mut Ui, report: &ContractReport, actions: &mut Actions) {
    let commands = &report.commands;
    widgets::padded_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        // A name with a control character has no safe spelling; a command that only looks right is worse than none.
        let Some(command) = &commands.one else {
            let words = "The file name cannot be quoted for a shell.";
            ui.label(egui::RichText::new(words).color(tokens(ui).muted));
            return;
        };
        command_ui(ui, command, commands, actions);
        let reason = (!commands.has_flakestorm).then_some(NO_FLAKESTORM);
        let row = ui.horizontal(|ui| {
            if ui.add(Button::secondary("Copy command").icon(icons::COPY)).clicked() {
                actions.push(Action::Copy(command.to_string()));
            }
            let run = Button::secondary("Run here…").icon(icons::PLAY);
            let run =
                run.tooltip("Show the command in the terminal. It runs after you confirm it.");
            widgets::on_click(&ui.add(run.disabled(reason)), run_action(RunScope::One), actions);
        });
        widgets::keep_clear(ui, row.response.rect);
        if let Some(reason) = reason {
            let words = egui::RichText::new(format!("{reason}."));
            ui.label(words.font(theme::regular(theme::LABEL)).color(tokens(ui).muted));
        }
    });
}

fn run_action(scope: RunScope) -> Action {
    Action::from(SessionsAction::Contract(ContractAction::Run(scope)))
}

/// Draws the command on one line, shortened, and at its end the menu of commands of the whole folder.
fn command_ui(ui: &mut Ui, command: &str, commands: &RunCommands, actions: &mut Actions) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, 34.0, Sense::hover());
    widgets::describe(&response, Role::Label, command);
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    ui.painter().rect(rect, radius, colors.input, (1.0, colors.line), StrokeKind::Inside);
    let mut inner = rect.shrink2(vec2(12.0, 0.0));
    // With one session, the folder's command is the one above.
    if commands.folder.len() > 1 {
        inner.max.x -= theme::CONTROL;
        widgets::place_right(ui, rect.shrink2(vec2(3.0, 3.0)), |ui| {
            let button = widgets::icon_button(ui, icons::ELLIPSIS, "Whole folder");
            widgets::menu(&button, |ui| folder_ui(ui, commands, actions));
        });
    }
    let line = widgets::line(ui, command, theme::mono(theme::LABEL), colors.text, inner.width());
    widgets::paint_line(ui.painter(), inner.left_center(), line);
    widgets::tip(response, command, &[] as &[&str]);
}

fn folder_ui(ui: &mut Ui, commands: &RunCommands, actions: &mut Actions) {
    let sessions = counted(commands.folder.len(), "session", "sessions");
    let reason = (!commands.has_flakestorm).then_some(NO_FLAKESTORM);
    let run = format!("Run the {sessions} of {}…", commands.folder_name);
    if widgets::menu_action(ui, icons::PLAY, &run, reason) {
        actions.push(run_action(RunScope::Folder));
    }
    let copy = format!("Copy the commands of the {sessions}");
    widgets::menu_choice(ui, icons::COPY, &copy, Action::Copy(commands.folder.join("\n")), actions);
}
