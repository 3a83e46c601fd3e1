//! Paints the user's own settings as a form, and what is wrong in their file.

use egui::{Align, Id, Layout, Ui};

use document::Problem;
use document::text::visible;
use protocol::{EditorCommand, Theme, USER_SETTINGS_FILE};
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::theme::{self, tokens};
use widgets::{Button, FormField, command_button, icons, is_entered, severity_tone};
use workbench::{
    Action, Actions, Command, UserSetting, UserSettingsAction, Workbench, describe_problem,
};

const THEMES: [(Theme, &str); 3] =
    [(Theme::System, "System"), (Theme::Light, "Light"), (Theme::Dark, "Dark")];

/// The typed values. They are written when their field is left.
#[derive(Debug, Default)]
pub(super) struct SettingsForm {
    /// The command of the editor and the diff tool, as they are in the file.
    saved: [String; 2],
    typed: [String; 2],
}

/// Draws the settings over the desk.
pub(super) fn settings_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    form: &mut SettingsForm,
    actions: &mut Actions,
) {
    let user = &workbench.core.user;
    let editor = user.settings.editor.as_ref().map(ToString::to_string);
    let saved = [editor, user.settings.difftool.clone()].map(Option::unwrap_or_default);
    if form.saved != saved {
        form.typed.clone_from(&saved);
        form.saved = saved;
    }
    let head = DialogHead {
        icon: icons::SETTINGS,
        title: "Settings",
        detail: "Your own, in every project. A project has its own in retake.toml.",
    };
    let body = |ui: &mut Ui, actions: &mut Actions| {
        fields_ui(ui, workbench, form, actions);
        if let Some(reason) = user.unreadable() {
            let text = format!("{USER_SETTINGS_FILE}: {reason}.");
            ui.label(theme::text(text, theme::regular(theme::ROW), tokens(ui).error));
        }
        for problem in &user.problems {
            problem_ui(ui, problem);
        }
        ui.add_space(theme::PADDING);
    };
    dialog(ui, "settings", head, actions, body, |ui, actions| foot_ui(ui, workbench, actions));
}

fn fields_ui(ui: &mut Ui, workbench: &Workbench, form: &mut SettingsForm, actions: &mut Actions) {
    let user = &workbench.core.user;
    let theme = workbench.core.theme();
    let mut index = THEMES.iter().position(|(value, _)| *value == theme).unwrap_or_default();
    let names = THEMES.map(|(_, name)| name);
    FormField::choice("Theme", &names, &mut index).show(ui, Id::unique("theme"));
    if THEMES[index].0 != theme {
        actions.push(Action::SetTheme(THEMES[index].0));
    }
    let set = |setting, value: &str| {
        Action::UserSettings(UserSettingsAction::Set(setting, value.to_owned()))
    };
    let mut is_reduced = user.settings.reduced_motion;
    let motion = FormField::switch("Motion", &mut is_reduced)
        .note("Reduced: playheads jump, and nothing fades");
    if motion.show(ui, Id::unique("motion")).changed() {
        let value = if is_reduced { "reduced" } else { "full" };
        actions.push(set(UserSetting::Motion, value));
    }
    let [editor, difftool] = &mut form.typed;
    let fault = EditorCommand::parse(editor).err().filter(|_| !editor.is_empty());
    let fields = [
        (UserSetting::Editor, "Editor", "code -g {file}:{line}:{column}", editor, fault),
        (UserSetting::Difftool, "Diff tool", "git’s diff.tool", difftool, None),
    ];
    for ((setting, label, hint, typed, fault), saved) in fields.into_iter().zip(&form.saved) {
        let field = FormField::data(label, typed).hint(hint).fault(fault.as_deref());
        let response = field.show(ui, Id::unique(("setting", label)));
        let is_left = response.lost_focus() || is_entered(ui, &response);
        if is_left && fault.is_none() && typed != saved {
            actions.push(set(setting, typed));
        }
    }
}

fn foot_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let user = &workbench.core.user;
    let path = user.path.as_ref().map(|path| path.display().to_string());
    let reason = match (&path, &user.settings.editor) {
        (None, _) => Some("there is no folder for settings; set RETAKE_CONFIG_DIR"),
        (_, None) => Some("no editor is set"),
        _ => None,
    };
    let edit = Button::secondary("Edit file").icon(icons::EXTERNAL_LINK).disabled(reason);
    let open = Action::UserSettings(UserSettingsAction::Open);
    widgets::on_click(&ui.add(edit), open, actions);
    if let Some(path) = path {
        let copy = Button::secondary("Copy path").icon(icons::COPY).tooltip(&path);
        widgets::on_click(&ui.add(copy), Action::Copy(path.clone()), actions);
    }
    let keys = Button::secondary("Keyboard shortcuts").icon(icons::KEYBOARD);
    command_button(ui, keys.command(Command::ShowKeys, Ok(())), Command::ShowKeys, actions);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| close_button(ui, "Close", actions));
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
