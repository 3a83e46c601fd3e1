//! Paints the user's own settings: the path of their file, and its problems.

use egui::{Align, Layout, Ui};

use document::Problem;
use document::text::visible;
use widgets::dialog::{DialogHead, default_button, dialog, row, small_text};
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, command_button, icons, severity_tone};
use workbench::{Action, Actions, Command, UserSettingsAction, Workbench, describe_problem};

/// Draws the settings over the desk.
pub(super) fn settings_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let user = &workbench.core.user;
    let head = DialogHead {
        icon: icons::SETTINGS,
        title: "Settings",
        detail: "Theme, editor, diff tool and keys, in every project.",
    };
    let path = user.path.as_ref().map(|path| path.display().to_string());
    let body = |ui: &mut Ui, actions: &mut Actions| {
        row(ui, "File", |ui| match &path {
            Some(path) => {
                StyledText::new()
                    .with(&visible(path), theme::mono(theme::LABEL), tokens(ui).text_strong)
                    .show(ui);
                if ui.add(Button::icon_only(icons::COPY, "Copy path")).clicked() {
                    actions.push(Action::Copy(path.clone()));
                }
            }
            None => small_text(ui, "No folder for settings; set RETAKE_CONFIG_DIR"),
        });
        let editor = user.settings.editor.as_ref();
        row(ui, "Editor", |ui| match editor {
            // Only the program: arguments may be long, and are in the file.
            Some(editor) => small_text(ui, &visible(editor.program())),
            None => small_text(ui, "Not set in the file"),
        });
        if let Some(reason) = user.unreadable() {
            widgets::dialog::error_text(ui, &format!("{reason}."));
        }
        for problem in &user.problems {
            problem_ui(ui, problem);
        }
        ui.add_space(theme::PADDING);
    };
    dialog(ui, "settings", head, actions, body, |ui, actions| {
        let mut act = |action| actions.push(Action::UserSettings(action));
        let no_path = path.is_none().then_some("there is no folder for settings");
        if user.settings.editor.is_some() {
            let button = Button::primary("Open in editor").icon(icons::EXTERNAL_LINK);
            if default_button(ui, button.disabled(no_path)).clicked() {
                act(UserSettingsAction::Open);
            }
        // An existing file is never written, since it is the user's own.
        } else if !user.exists() {
            let create = Button::primary("Create file")
                .icon(icons::PLUS)
                .tooltip("Writes a file in which every setting is a comment");
            if default_button(ui, create.disabled(no_path)).clicked() {
                act(UserSettingsAction::Create);
            }
        }
        let keys = Button::secondary("Keyboard shortcuts").icon(icons::KEYBOARD);
        command_button(ui, keys.command(Command::ShowKeys, Ok(())), Command::ShowKeys, actions);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let close = Button::secondary("Close").keys(vec!["Esc".to_owned()]).show_keys();
            // The first default button takes the focus, so this one has it only if there is no other.
            widgets::on_click(&default_button(ui, close), Action::SetOverlay(None), actions);
        });
    });
}

/// Draws a problem with its place, and what to do below it.
fn problem_ui(ui: &mut Ui, problem: &Problem) {
    let colors = tokens(ui);
    ui.add_space(theme::GAP);
    let tone = colors.tone(severity_tone(problem.severity));
    let help = problem.help.as_deref().unwrap_or_default();
    for (line, color) in [(describe_problem(problem), tone), (help.to_owned(), colors.muted)] {
        ui.label(theme::text(visible(&line), theme::regular(theme::ROW), color));
    }
}
