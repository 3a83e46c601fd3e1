//! Paints what saving the drafts would do, file by file.

use std::sync::Arc;

use egui::{Frame, Id, Key, Margin, Role, Ui, WidgetInfo};

use super::incident_data::{ImportView, MAX_LISTED_FILES};
use document::text::{counted, visible};
use protocol::{ExistingFile, PlannedFile, SessionPlan};
use widgets::dialog::{DialogHead, confirm_buttons, dialog, file_row, more_text};
use widgets::icons;
use widgets::sheet::{Sheet, whole_sheet_ui};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, FormField, TextField, form_row};
use workbench::{Action, Actions, ImportAction, ImportDesk, Workbench};

/// Minimum height of the plan.
const MIN_PLAN_HEIGHT: f32 = 3.0 * theme::ROW_HEIGHT;

/// Draws the dialog.
pub fn save_ui(ui: &mut Ui, workbench: &Workbench, view: &mut ImportView, actions: &mut Actions) {
    let desk = &workbench.import;
    view.sync_plan(desk);
    let title = format!("Save {}?", counted(desk.included().len(), "session", "sessions"));
    let detail =
        "Undo reverts all changes in one step. Existing files are replaced only if you choose so.";
    let head = DialogHead { icon: icons::SAVE, title: &title, detail };
    let body = |ui: &mut Ui, actions: &mut Actions| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        // Room for the ring around what has the focus.
        ui.add_space(4.0);
        destination_ui(ui, workbench, actions);
        ui.add_space(theme::GAP);
        // The buttons below stay at their place while a plan is made.
        let top = ui.cursor().top();
        match (desk.plan.as_ref(), desk.plan_error.as_deref()) {
            (_, Some(reason)) => {
                let reason = format!("{}.", visible(reason));
                widgets::banner(ui, Tone::Warning, icons::TRIANGLE_ALERT, &reason, "");
            }
            (Some(plan), None) => plan_ui(ui, desk, plan, view, actions),
            (None, None) => widgets::skeleton_rows(ui, 3, theme::ROW_HEIGHT),
        }
        let height = ui.cursor().top() - top;
        ui.add_space((MIN_PLAN_HEIGHT - height).max(0.0));
        ui.add_space(theme::SECTION_GAP);
    };
    dialog(ui, "save sessions", head, actions, body, |ui, actions| foot_ui(ui, desk, actions));
}

fn foot_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let file_count = desk.plan.as_ref().map_or(0, |plan| count_written(desk, plan));
    let lists_sessions = desk.plan.as_ref().is_some_and(|plan| plan.config.is_some());
    let words = match (file_count, lists_sessions) {
        (0, true) => "List sessions".to_owned(),
        _ => format!("Save {}", counted(file_count, "session", "sessions")),
    };
    let reason = match (desk.plan_error.as_deref(), file_count, lists_sessions) {
        (Some(_), ..) => Some("fix the problems above first"),
        (None, 0, false) => Some("nothing to save"),
        _ => None,
    };
    let save = Button::primary(&words).disabled(reason);
    confirm_buttons(ui, save, actions, || Action::from(ImportAction::Save));
}

/// Returns how many files would be written.
fn count_written(desk: &ImportDesk, plan: &SessionPlan) -> usize {
    let files = plan.files.iter().enumerate();
    let is_written = |(index, file): &(usize, &PlannedFile)| match file.existing {
        ExistingFile::Nothing => true,
        ExistingFile::Other(..) => desk.replaces(*index),
        ExistingFile::Same | ExistingFile::DuplicateName => false,
    };
    files.filter(is_written).count()
}

/// Draws the folder and the naming of the sessions.
fn destination_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.import;
    let mut destination = desk.to.clone();
    form_row(ui, "Folder", |ui| {
        let width = ui.available_width() - 120.0;
        let id = Id::unique("sessions folder");
        let field = TextField::new(id, "Folder of the sessions", &mut destination.folder);
        // The response adds nothing: changes of all fields are found by the comparison below.
        let _ = field.mono().hint("in the project").show(ui, width, |_| {}, |_| {});
        let response = ui.add(Button::secondary("Choose…").icon(icons::FOLDER_OPEN));
        widgets::on_click(&response, ImportAction::PickFolder, actions);
    });
    FormField::data("Names", &mut destination.pattern)
        .name("Names of the files")
        .hint("{id}, {date}, {source}, {number}")
        .tip("{id}, {date}, {source} and {number} are replaced")
        .show(ui, Id::unique("sessions names"));
    let config = desk.config.and_then(|doc| workbench.core.library.get(doc));
    if let Some(config) = config {
        let words = format!("List the sessions in {}", visible(config.root_path()));
        form_row(ui, "", |ui| {
            widgets::check_box(ui, &mut destination.listed, &words);
            // Enter saves, as the button says; Space ticks.
            if destination.listed != desk.to.listed
                && ui.input(|input| input.key_pressed(Key::Enter))
            {
                destination.listed = desk.to.listed;
                actions.push(Action::from(ImportAction::Save));
            }
        });
    }
    if destination != desk.to {
        actions.push(Action::from(ImportAction::SaveTo(destination)));
    }
}

fn plan_ui(
    ui: &mut Ui,
    desk: &ImportDesk,
    plan: &SessionPlan,
    view: &ImportView,
    actions: &mut Actions,
) {
    for (index, file) in plan.files.iter().enumerate().take(MAX_LISTED_FILES) {
        file_ui(ui, desk, index, file, actions);
        if let Some(sheet) = view.sheet(index) {
            sheet_ui(ui, ("session", index), sheet, actions);
        }
    }
    more_text(ui, plan.files.len().saturating_sub(MAX_LISTED_FILES));
    if let (Some(config), Some(sheet)) = (&plan.config, view.config.as_ref()) {
        let color = tokens(ui).muted;
        let path = visible(&config.path);
        file_row(ui, (icons::FILE_COG, color), &path, "Lists the sessions", |_| {});
        sheet_ui(ui, ("config", 0), sheet, actions);
    }
}

fn file_ui(ui: &mut Ui, desk: &ImportDesk, at: usize, file: &PlannedFile, actions: &mut Actions) {
    let (icon, words) = match &file.existing {
        ExistingFile::Nothing => (icons::PLUS, "New"),
        ExistingFile::Same => (icons::EQUAL, "Already exists, identical"),
        ExistingFile::DuplicateName => {
            (icons::CIRCLE_MINUS, "Skipped: another draft has this name")
        }
        ExistingFile::Other(..) if desk.replaces(at) => (icons::REPLACE, "Replaced"),
        ExistingFile::Other(..) => (icons::CIRCLE_MINUS, "Skipped: a different file exists"),
    };
    let is_other = matches!(file.existing, ExistingFile::Other(..));
    let color = tokens(ui).muted;
    file_row(ui, (icon, color), &visible(&file.path), words, |ui| {
        let (words, name) = if desk.replaces(at) {
            ("Keep file", format!("Keep {}", file.path))
        } else {
            ("Replace file", format!("Replace {}", file.path))
        };
        if is_other {
            let link = widgets::link(ui, words);
            // Several links have the same label; a screen reader needs the file, too.
            link.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
            widgets::on_click(&link, ImportAction::ToggleReplace(at), actions);
        }
    });
}

fn sheet_ui(ui: &mut Ui, id: (&str, usize), sheet: &Arc<Sheet>, actions: &mut Actions) {
    let colors = tokens(ui);
    let margin = Margin { left: theme::INDENT as i8, bottom: 8, ..Margin::ZERO };
    Frame::new().outer_margin(margin).show(ui, |ui| {
        widgets::card_with(ui, colors.input, Margin::symmetric(0, 4), |ui| {
            let mut sheet_actions = Vec::new();
            ui.push_id(id, |ui| whole_sheet_ui(ui, sheet, &mut sheet_actions));
            // Folds cannot be opened here: the few lines around a change are enough to decide. Enter on one saves.
            let is_fold = |action: &Action| matches!(action, Action::ToggleFold { .. });
            if sheet_actions.iter().any(is_fold) && ui.input(|input| input.key_pressed(Key::Enter))
            {
                actions.push(Action::from(ImportAction::Save));
            }
            sheet_actions.retain(|action| matches!(action, Action::Copy(_)));
            actions.append(&mut sheet_actions);
        });
    });
}
