//! The dialog that shows how the files of a set would change.

use egui::Ui;

use super::playback_data::PlaybackData;
use document::files::{FileStep, file_name};
use document::text::visible;
use widgets::Button;
use widgets::dialog::{DialogHead, confirm_buttons, dialog, file_row, more_text};
use widgets::icons;
use widgets::theme::{self, tokens};
use workbench::{Actions, PlaybackAction};

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
        let folder =
            |step: &FileStep| step.path().rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let has_folders = steps.windows(2).any(|pair| folder(&pair[0]) != folder(&pair[1]));
        for step in steps.iter().take(MAX_LISTED_STEPS) {
            step_ui(ui, step, has_folders);
        }
        more_text(ui, steps.len().saturating_sub(MAX_LISTED_STEPS));
        ui.add_space(theme::SECTION_GAP);
    };
    dialog(ui, "file changes", head, actions, body, |ui, actions| {
        confirm_buttons(ui, Button::primary(&action_label), actions, || {
            PlaybackAction::ChangeFiles.into()
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
