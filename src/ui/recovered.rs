//! The dialog that offers unsaved edits of an earlier run.

use egui::{Align, Layout, Sense, Ui, pos2};

use author::recovered::{DraftFileState, RecoveredDraft};
use document::text::{counted, visible};
use widgets::dialog::{DialogHead, close_button, default_button, dialog};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, dates, icons, paint_icon};
use workbench::{Action, Actions, Command, Workbench};

const ROW_HEIGHT: f32 = 52.0;

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
        let font = theme::regular(theme::ROW);
        let color = tokens(ui).muted;
        StyledText::new().with("discards these edits permanently", font, color).show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let recover_all = Button::primary("Recover all")
                .icon(icons::UNDO_2)
                .keys(vec!["Enter".to_owned()])
                .show_keys();
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
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, ROW_HEIGHT, Sense::hover());
    let center = pos2(rect.left() + 7.0, rect.center().y);
    paint_icon(ui.painter(), center, icons::TRIANGLE_ALERT, theme::ICON, tokens.warning);
    widgets::place_right(ui, rect.with_min_x(rect.left() + theme::INDENT), |ui| {
        let button = Button::secondary("Show report");
        widgets::command_button(ui, button, Command::ShowCrashReport, actions);
        ui.add_space(theme::GAP);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let text = "Retake crashed. The report stays on this computer; nothing was sent.";
            StyledText::new().with(text, theme::regular(theme::ROW), tokens.text).show(ui);
        });
    });
}

fn draft_ui(ui: &mut Ui, draft: &RecoveredDraft, actions: &mut Actions) {
    let tokens = tokens(ui);
    let path = draft.path.to_string_lossy();
    let name = draft.path.file_name().unwrap_or_default().to_string_lossy();
    let (rect, _) = widgets::allocate_row(ui, ROW_HEIGHT, Sense::hover());
    let center = pos2(rect.left() + 7.0, rect.center().y);
    paint_icon(ui.painter(), center, icons::FILE, theme::ICON, tokens.muted);
    widgets::place_right(ui, rect.with_min_x(rect.left() + theme::INDENT), |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let response = widgets::icon_button(ui, icons::TRASH_2, &format!("Discard {name}"));
        widgets::on_click(&response, Action::DropDraft(draft.id), actions);
        let recover = Button::secondary("Recover");
        let response = ui.add(recover.tooltip("Restores the edits; they stay unsaved"));
        widgets::on_click(&response, Action::Recover(draft.id), actions);
        ui.add_space(theme::GAP);
        // Shown before the choice, because merging with a changed file may end in a conflict.
        let (words, tone) = match &draft.file_state {
            DraftFileState::Same => ("", Tone::Good),
            DraftFileState::Changed(_) => ("Changed on disk", Tone::Note),
            DraftFileState::Gone => ("Deleted on disk", Tone::Warning),
            DraftFileState::Unreadable(_) => ("Cannot be read", Tone::Error),
        };
        if !words.is_empty() {
            widgets::tag(ui, icons::REFRESH_CW, words, tone);
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                ui.add_space(6.0);
                let font = theme::mono_bold(theme::ROW);
                let text = StyledText::new().with(&visible(&name), font, tokens.text_strong);
                text.show(ui).on_hover_text(visible(&path));
                let time = dates::minute_of_seconds(draft.seconds);
                let time = match draft.path.parent() {
                    Some(folder) => {
                        format!("kept {time}, in {}", visible(&folder.to_string_lossy()))
                    }
                    None => format!("kept {time}"),
                };
                StyledText::new().with(&time, theme::regular(theme::LABEL), tokens.muted).show(ui);
            });
        });
    });
}
