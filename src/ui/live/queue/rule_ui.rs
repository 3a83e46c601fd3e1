//! The dialog that makes a rule from an answer.

use egui::{Id, Ui};

use super::queue_list_ui::queue_action;
use widgets::dialog::{DialogHead, confirm_buttons, dialog};
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, FormField};
use workbench::{Actions, AnswerRuleDraft, QueueAction, Workbench};

/// Draws the dialog over the desk.
pub fn rule_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.live.queue;
    let mut draft = desk.rule_draft.clone();
    let rule = draft.rule(&desk.rules);
    let head = DialogHead {
        icon: icons::LIST_CHECKS,
        title: "Save as rule",
        detail: "The rule is added at the end of retake.toml. It answers this request, and every request that no earlier rule answers.",
    };
    let body = |ui: &mut Ui, actions: &mut Actions| {
        fields_ui(ui, &mut draft);
        ui.add_space(theme::SECTION_GAP);
        let (words, color) = match &rule {
            Ok(_) => ("Text to add".to_owned(), tokens(ui).text_strong),
            Err(reason) => (format!("{reason}."), tokens(ui).error),
        };
        ui.label(theme::text(words, theme::regular(theme::BODY), color));
        if let Ok(rule) = &rule {
            ui.add_space(theme::GAP);
            widgets::card(ui, |ui| {
                let toml = rule.toml();
                ui.label(theme::text(toml.trim_end(), theme::mono(theme::LABEL), tokens(ui).text));
            });
        }
        ui.add_space(theme::SECTION_GAP);
        // The desk owns the draft; the fields edit a copy, and the change goes through an action.
        if draft != desk.rule_draft {
            actions.push(queue_action(QueueAction::TypeRule(draft)));
        }
    };
    let reason = rule.as_ref().err().map(|_| "the rule is incomplete");
    dialog(ui, "answer rule", head, actions, body, |ui, actions| {
        let save = Button::primary("Save rule").disabled(reason);
        confirm_buttons(ui, save, actions, || queue_action(QueueAction::SaveRule));
    });
}

fn fields_ui(ui: &mut Ui, draft: &mut AnswerRuleDraft) {
    let fields: [(&str, &str, &str, &mut String); 5] = [
        ("Name", "Name", "Its name in the log", &mut draft.name),
        ("At the node", "Only at the node", "Any node", &mut draft.node),
        (
            "With these tools",
            "Only where these tools are offered",
            "Any, or names between commas",
            &mut draft.offers,
        ),
        (
            "With this text",
            "Only where the last message contains",
            "Anything, or a part of the last message",
            &mut draft.says,
        ),
        ("Reasoning", "Reasoning", "Names this rule", &mut draft.reasoning),
    ];
    for (label, name, hint, text) in fields {
        let id = Id::unique(("answer rule", name));
        FormField::text(label, text).name(name).hint(hint).show(ui, id);
    }
}
