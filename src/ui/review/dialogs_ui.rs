//! The dialogs that create a rule to ignore differences, and that choose the versions that the recordings are compared with.

use std::path::PathBuf;

use egui::{Id, Ui};

use super::format_text::short_path;
use document::text::{counted, listed};
use protocol::{ReviewBase, RuleDraft, RulePreview};
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::theme::{self, tokens};
use widgets::{Button, FormField, TextField, form_row, icons, is_entered};
use workbench::{Action, Actions, ReviewAction, ReviewDesk};

/// The rule being typed.
#[derive(Debug, Default)]
pub struct RuleState {
    draft: RuleDraft,
}

impl RuleState {
    /// Starts with the rule that the desk suggests.
    pub fn reset(&mut self, desk: &ReviewDesk) {
        self.draft.clone_from(desk.draft().0);
    }
}

/// Draws the dialog over the desk.
pub fn rule_ui(ui: &mut Ui, desk: &ReviewDesk, state: &mut RuleState, actions: &mut Actions) {
    let (_, preview) = desk.draft();
    let rule = state.draft.rule();
    let detail = "Ignored differences can still be shown. The rule is saved in retake.toml.";
    let head = DialogHead { icon: icons::VOLUME_X, title: "Ignore differences like this", detail };
    let (draft, problem) = (&mut state.draft, rule.as_ref().err());
    let body = |ui: &mut Ui, actions: &mut Actions| {
        fields_ui(ui, draft, actions);
        effect_ui(ui, problem.map(String::as_str), preview);
        if let Ok(rule) = &rule {
            preview_ui(ui, &rule.toml());
        }
        ui.add_space(theme::SECTION_GAP);
    };
    // Without a preview, saving is allowed: the preview is only advice.
    let reason = match (&rule, preview.is_some_and(|preview| preview.changes == 0)) {
        (Err(_), _) => Some("the rule is not valid"),
        (Ok(_), true) => Some("the rule would ignore nothing"),
        (Ok(_), false) => None,
    };
    dialog(ui, "review rule", head, actions, body, |ui, actions| {
        widgets::at_right(ui, |ui| {
            let response = ui.add(Button::primary("Save rule").disabled(reason));
            widgets::on_click(&response, ReviewAction::SaveRule, actions);
            close_button(ui, "Cancel", actions);
        });
    });
}

fn fields_ui(ui: &mut Ui, draft: &mut RuleDraft, actions: &mut Actions) {
    let old_draft = draft.clone();
    let fields: [(&str, &str, &str, &mut String); 3] = [
        ("Where", "Where", "A JSON Pointer; * is one step, ** any number", &mut draft.at),
        (
            "Text",
            "Only text that differs in",
            "Any, or a pattern such as build \\d+",
            &mut draft.text,
        ),
        (
            "Numbers",
            "Only numbers that differ by at most",
            "Any, or a difference such as 0.01",
            &mut draft.tolerance,
        ),
    ];
    for (label, name, hint, text) in fields {
        let id = Id::unique(("review rule", name));
        FormField::data(label, text).name(name).hint(hint).show(ui, id);
    }
    // Each letter is previewed at once, so the fields need no button.
    if *draft != old_draft {
        actions.push(Action::from(ReviewAction::TypeRule(draft.clone())));
    }
}

/// Draws what the rule would ignore, or why it is not valid.
fn effect_ui(ui: &mut Ui, problem: Option<&str>, preview: Option<&RulePreview>) {
    let colors = tokens(ui);
    let (words, color) = match (problem, preview) {
        (Some(problem), _) => (format!("{problem}."), colors.error),
        (None, None) => ("Checking what the rule would ignore…".to_owned(), colors.muted),
        (None, Some(preview)) => (describe_effect(preview), colors.text_strong),
    };
    ui.add_space(theme::SECTION_GAP);
    ui.label(theme::text(words, theme::regular(theme::BODY), color));
}

fn describe_effect(preview: &RulePreview) -> String {
    if preview.changes == 0 {
        return "The rule would ignore nothing.".to_owned();
    }
    let changes = counted(preview.changes, "difference", "differences");
    let pairs = counted(preview.pairs, "recording", "recordings");
    let full_count_text = match preview.fully_ignored {
        0 => String::new(),
        count => format!("; {count} of them have no other difference"),
    };
    let mut names: Vec<String> = preview.first.iter().map(|path| short_path(path)).collect();
    if preview.pairs > names.len() {
        names.push(format!("{} more", preview.pairs - names.len()));
    }
    format!("Ignores {changes} in {pairs}{full_count_text}: {}.", listed(&names))
}

fn preview_ui(ui: &mut Ui, toml: &str) {
    ui.add_space(theme::SECTION_GAP);
    widgets::card(ui, |ui| widgets::data(ui, toml.trim_end()));
}

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
    let detail = "The open folder is the new side, unless you name two files.";
    let head = DialogHead { icon: icons::GIT_COMPARE, title: "Review against…", detail };
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
            let field =
                TextField::new(id, name, text).hint(hint).mono().show(ui, width, |_| {}, |_| {});
            is_started |= is_entered(ui, &field);
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
