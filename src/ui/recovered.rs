//! The dialog that offers unsaved edits of an earlier run.

use egui::{Align, Layout, Ui};

use author::recovered::{DraftFileState, RecoveredDraft};
use document::text::{counted, visible};
use widgets::dialog::{DialogHead, close_button, default_button, dialog, file_row};
use widgets::theme::tokens;
use widgets::{Button, dates, icons};
use workbench::{Action, Actions, Command, Workbench};

/// Draws the dialog over the desk.
pub fn recovered_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let drafts = workbench.core.offered_drafts();
    let detail = format!(
        "Retake exited while {} had unsaved edits. The edits were saved.",
        counted(drafts.len(), "file", "files")
    );
    let head =
        DialogHead { icon: icons::HISTORY, title: "Recover unsaved edits?", detail: &detail };
    let body = |ui: &mut Ui, actions: &mut Actions| {
        for draft in &drafts {
            draft_ui(ui, draft, actions);
        }
        if workbench.core.crash_report.is_some() {
            report_ui(ui, actions);
        }
    };
    dialog(ui, "recovered", head, actions, body, |ui, actions| {
        let words = format!("Discard {}", counted(drafts.len(), "file", "files"));
        if ui.add(Button::secondary(&words).icon(icons::TRASH_2)).clicked() {
            // Only those offered here: edits of other projects stay.
            actions.extend(drafts.iter().map(|draft| Action::DropDraft(draft.id)));
        }
        widgets::muted(ui, "discards these edits permanently");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let recover_all = Button::primary("Recover all").icon(icons::UNDO_2).enter();
            if default_button(ui, recover_all).clicked() {
                actions.extend(drafts.iter().map(|draft| Action::Recover(draft.id)));
                actions.push(Action::SetOverlay(None));
            }
            close_button(ui, "Later", actions);
        });
    });
}

/// Draws the line that offers the report of the crash.
fn report_ui(ui: &mut Ui, actions: &mut Actions) {
    let color = tokens(ui).warning;
    let text = "Retake crashed. The report stays on this computer; nothing was sent.";
    file_row(ui, (icons::TRIANGLE_ALERT, color), text, "", |ui| {
        let button = Button::secondary("Show report");
        widgets::command_button(ui, button, Command::ShowCrashReport, actions);
    });
}

fn draft_ui(ui: &mut Ui, draft: &RecoveredDraft, actions: &mut Actions) {
    let path = draft.path.to_string_lossy();
    let name = draft.path.file_name().unwrap_or_default().to_string_lossy();
    let tip = format!("{}, kept {}", visible(&path), dates::minute_of_seconds(draft.seconds));
    // Shown before the choice, because merging with a changed file may end in a conflict.
    let (words, color) = match &draft.file_state {
        DraftFileState::Same => ("", tokens(ui).muted),
        DraftFileState::Changed(_) => ("changed on disk", tokens(ui).note),
        DraftFileState::Gone => ("deleted on disk", tokens(ui).warning),
        DraftFileState::Unreadable(_) => ("cannot be read", tokens(ui).error),
    };
    file_row(ui, (icons::FILE, color), &visible(&name), words, |ui| {
        let response = widgets::icon_button(ui, icons::TRASH_2, &format!("Discard {name}"));
        widgets::on_click(&response, Action::DropDraft(draft.id), actions);
        let response = ui.add(Button::secondary("Recover").tooltip(&tip));
        widgets::on_click(&response, Action::Recover(draft.id), actions);
    });
}
