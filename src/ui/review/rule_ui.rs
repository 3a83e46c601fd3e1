//! The dialog that creates a rule to ignore differences.

use egui::{Align, Id, Layout, Ui};

use document::text::{counted, listed};
use protocol::{RuleDraft, RulePreview};
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::theme::{self, tokens};
use widgets::{Button, FormField, icons};
use workbench::{Action, Actions, ReviewAction, ReviewDesk};

use super::format_text::short_path;

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
    let head = DialogHead {
        icon: icons::VOLUME_X,
        title: "Ignore differences like this",
        detail: "Ignored differences can still be shown. The rule is saved in retake.toml.",
    };
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
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
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
    widgets::card(ui, |ui| {
        ui.label(theme::text(toml.trim_end(), theme::mono(theme::LABEL), tokens(ui).text));
    });
}
