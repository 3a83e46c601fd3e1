//! The dialog that chooses the versions that the recordings are compared with.

use std::path::PathBuf;

use egui::{Id, Ui};

use protocol::ReviewBase;
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::theme;
use widgets::{Button, TextField, form_row, icons, is_entered};
use workbench::{Action, Actions, ReviewAction, ReviewDesk};

/// The typed values.
#[derive(Debug, Default)]
pub struct ReviewAgainstDraft {
    revision: String,
    folder: String,
    old: String,
    new: String,
}

impl ReviewAgainstDraft {
    /// Fills the fields with the current review.
    pub fn prefill(&mut self, desk: &ReviewDesk) {
        match &desk.base {
            ReviewBase::Revision(revision) => self.revision = revision.to_string(),
            ReviewBase::Folder(folder) => self.folder = folder.to_string_lossy().into_owned(),
            // Pending recordings need no field; the others keep what was typed.
            ReviewBase::Sidecars => {}
            ReviewBase::Files { old, new } => {
                self.old = old.to_string_lossy().into_owned();
                self.new = new.to_string_lossy().into_owned();
            }
        }
    }
}

/// Draws the dialog over the desk.
pub fn against_ui(ui: &mut Ui, state: &mut ReviewAgainstDraft, actions: &mut Actions) {
    let head = DialogHead {
        icon: icons::GIT_COMPARE,
        title: "Review against…",
        detail: "The open folder is the new side, unless you name two files.",
    };
    let body = |ui: &mut Ui, actions: &mut Actions| {
        // Trimmed because pasted revisions and paths often end in a line break.
        let revision = ReviewBase::Revision(state.revision.trim().into());
        let fields = [("A git revision", "HEAD, a branch, a tag, a commit", &mut state.revision)];
        choice_ui(ui, fields, revision, actions);
        let folder = ReviewBase::Folder(PathBuf::from(state.folder.trim()));
        let fields =
            [("Another folder", "Path of the folder with the old recordings", &mut state.folder)];
        choice_ui(ui, fields, folder, actions);
        let files = ReviewBase::Files {
            old: PathBuf::from(state.old.trim()),
            new: PathBuf::from(state.new.trim()),
        };
        let fields = [
            ("The old file", "Path of the old recording", &mut state.old),
            ("The new file", "Path of the new recording", &mut state.new),
        ];
        choice_ui(ui, fields, files, actions);
        ui.add_space(theme::SECTION_GAP);
    };
    dialog(ui, "review against", head, actions, body, |ui, actions| {
        close_button(ui, "Cancel", actions);
        let response = ui.add(Button::ghost("Pending recordings next to the files"));
        widgets::on_click(&response, ReviewAction::SetBase(ReviewBase::Sidecars), actions);
    });
}

/// Draws fields, and the button that starts the review with them.
fn choice_ui<const N: usize>(
    ui: &mut Ui,
    fields: [(&str, &str, &mut String); N],
    base: ReviewBase,
    actions: &mut Actions,
) {
    const BUTTON_WIDTH: f32 = 84.0;
    ui.add_space(theme::SECTION_GAP);
    let first = fields[0].0;
    let is_empty = fields.iter().any(|(_, _, text)| text.trim().is_empty());
    let mut is_started = false;
    for (index, (name, hint, text)) in fields.into_iter().enumerate() {
        form_row(ui, name, |ui| {
            let width = ui.available_width() - BUTTON_WIDTH - theme::GAP;
            let id = Id::unique(("review against", name));
            let field = TextField::new(id, name, text).hint(hint).mono();
            let response = field.show(ui, width, |_| {}, |_| {});
            is_started |= is_entered(ui, &response);
            if index == 0 {
                let reason = is_empty.then_some("the field is empty");
                let tip = format!("Review against {}", document::text::lower_first(first));
                let button = Button::secondary("Review").width(BUTTON_WIDTH).tooltip(&tip);
                is_started |= ui.add(button.disabled(reason)).clicked();
            }
        });
    }
    if is_started && !is_empty {
        actions.push(Action::from(ReviewAction::SetBase(base)));
    }
}
