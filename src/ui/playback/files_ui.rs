//! The dialog that shows how the files of a set would change.

use egui::{Align, Layout, Ui};

use super::playback_data::PlaybackData;
use document::files::{FileStep, file_name};
use document::text::visible;
use widgets::dialog::{DialogHead, default_button, dialog, file_row, more_text};
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, on_click};
use workbench::{Action, Actions, PlaybackAction};

/// Maximum number of listed files.
const MAX_LISTED_STEPS: usize = 200;

/// Draws the planned file changes over the desk.
pub fn files_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let Some(plan) = data.desk.plan.as_ref() else { return };
    let (action_label, sentence) = (plan.label(), plan.sentence.replace('`', ""));
    let head = DialogHead {
        icon: match plan.request.steps.first() {
            Some(FileStep::Copy { .. }) => icons::COPY,
            _ => icons::LIST_ORDERED,
        },
        title: &format!("{action_label}?"),
        detail: &visible(&sentence),
    };
    let body = |ui: &mut Ui, _: &mut Actions| {
        let steps = &plan.request.steps;
        for step in steps.iter().take(MAX_LISTED_STEPS) {
            step_ui(ui, step, plan.request.folders.len() > 1);
        }
        more_text(ui, steps.len().saturating_sub(MAX_LISTED_STEPS));
        ui.add_space(theme::SECTION_GAP);
    };
    dialog(ui, "file changes", head, actions, body, |ui, actions| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            on_click(&ui.add(Button::primary(&action_label)), PlaybackAction::ChangeFiles, actions);
            let cancel = Button::secondary("Cancel").keys(vec!["Esc".to_owned()]);
            // The focus is on the safe choice, so that Enter does not change files by accident.
            on_click(&default_button(ui, cancel.show_keys()), Action::SetOverlay(None), actions);
        });
    });
}

/// Draws a step, with the whole path of its file if the files of several folders change.
fn step_ui(ui: &mut Ui, step: &FileStep, has_folders: bool) {
    let color = tokens(ui).muted;
    // Within one folder the path would only repeat what the dialog is about.
    let old = visible(if has_folders { step.path() } else { file_name(step.path()) });
    let (icon, words) = match step {
        FileStep::Rename { to, .. } => (icons::PENCIL, format!("→ {}", visible(file_name(to)))),
        FileStep::Copy { to, .. } => (icons::COPY, format!("→ {}", visible(file_name(to)))),
        FileStep::Create { .. } | FileStep::Write { .. } => (icons::FILE, "is written".to_owned()),
    };
    file_row(ui, (icon, color), &old, &words, |_| {});
}
