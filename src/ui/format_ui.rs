//! The form that describes the format of a file, with what the description finds.

use egui::{Color32, Id, Ui};

use calls::Item;
use document::RuleId;
use document::format::FormatPart;
use document::text::{counted, visible};
use widgets::dialog::{DialogHead, confirm_buttons, dialog, more_text};
use widgets::theme::{self, Tokens, tokens};
use widgets::{Button, FormField, fields, icons, is_entered};
use workbench::{Action, Actions, Describing, FormatAction, FormatDraft, Workbench};

/// Draws the form over the desk.
pub(super) fn format_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let describing = &workbench.core.describing;
    let head = DialogHead {
        icon: icons::FILE_BRACES,
        title: "Describe this format",
        detail: "Files of these paths are then read by the pointers. The description is added to retake.toml.",
    };
    let fault = describing.draft.as_ref().map(FormatDraft::format);
    let body = |ui: &mut Ui, actions: &mut Actions| {
        if let Some(draft) = &describing.draft {
            fields_ui(ui, draft, actions);
        }
        ui.add_space(theme::SECTION_GAP);
        preview_ui(ui, describing);
        ui.add_space(theme::SECTION_GAP);
    };
    let reason = match &fault {
        None => Some("the file is being read"),
        Some(Err(_)) => Some("the description is incomplete"),
        Some(Ok(_)) => None,
    };
    dialog(ui, "describe format", head, actions, body, |ui, actions| {
        let save = Button::primary("Save").disabled(reason);
        confirm_buttons(ui, save, actions, || Action::Format(FormatAction::Save));
    });
}

/// The parts in the order of the form, each with the label, the name for screen readers and the hint of its pointer.
const FIELDS: [(FormatPart, &str, &str, &str); 7] = [
    (FormatPart::Request, "Request", "Pointer to the request", "In each call, such as /req"),
    (FormatPart::Answer, "Answer", "Pointer to the answer", "In each call, such as /res/body"),
    (
        FormatPart::Calls,
        "Calls",
        "Pointer to the calls",
        "Of a file with several: /calls; * is every element",
    ),
    (FormatPart::Key, "Key", "Pointer to the key", "What the player finds the call by"),
    (FormatPart::Time, "Time", "Pointer to the time", "When the call was made"),
    (FormatPart::Status, "Status", "Pointer to the status", "Of the answer, such as 200"),
    (FormatPart::Test, "Test", "Pointer to the test", "The name of the test"),
];

fn fields_ui(ui: &mut Ui, old_draft: &FormatDraft, actions: &mut Actions) {
    // A copy: the draft is the workbench's, and changes only by an action.
    let mut draft = old_draft.clone();
    let fault = old_draft.format().err();
    let fault_of =
        |part| fault.as_ref().filter(|(other, _)| *other == part).map(|(_, reason)| &**reason);
    let id = |name| Id::unique(("describe format", name));
    let name = FormField::text("Name", &mut draft.name)
        .name("Name of the format")
        .hint("Of your recorder; may be empty")
        .show(ui, id("name"));
    let paths = FormField::data("Paths", &mut draft.paths)
        .name("Paths of the files")
        .hint("Patterns as in .gitignore, between commas")
        .fault(fault_of(None))
        .show(ui, id("paths"));
    let mut is_done = is_entered(ui, &name) || is_entered(ui, &paths);
    for (part, label, name, hint) in FIELDS {
        let field = FormField::data(label, draft.pointers.get_mut(part)).name(name).hint(hint);
        let response = field.fault(fault_of(Some(part))).show(ui, id(label));
        is_done |= is_entered(ui, &response);
        if part == FormatPart::Request {
            fields::focus_first(ui, &response);
        }
    }
    if draft != *old_draft {
        actions.push(Action::Format(FormatAction::Type(Box::new(draft))));
    }
    // An incomplete description is not saved.
    if is_done {
        actions.push(Action::Format(FormatAction::Save));
    }
}

/// Draws what the description finds in the first files.
fn preview_ui(ui: &mut Ui, describing: &Describing) {
    let colors = tokens(ui);
    let summary = describing.summary();
    ui.label(theme::text(summary, theme::regular(theme::BODY), colors.text_strong));
    let Some(Ok(preview)) = &describing.preview.value else { return };
    if preview.files.is_empty() {
        return;
    }
    ui.add_space(theme::GAP);
    widgets::card(ui, |ui| {
        for file in &preview.files {
            let (text, color) = describe(file, colors);
            ui.label(theme::text(
                visible(file.root_path()),
                theme::mono(theme::LABEL),
                colors.text,
            ));
            ui.label(theme::text(text, theme::regular(theme::LABEL), color));
        }
        more_text(ui, preview.count - preview.files.len());
    });
}

/// Returns the calls of a file, or what is wrong with it, in its colour.
fn describe(file: &Item, colors: &Tokens) -> (String, Color32) {
    let is_fault = |rule: RuleId| {
        rule == RuleId::FormatMismatch || rule == RuleId::Syntax || rule.hides_content()
    };
    if let Some(problem) = file.problems.iter().find(|problem| is_fault(problem.rule)) {
        // One font is for all of it, so that backticks would be shown as they are.
        return (format!("{}.", visible(&problem.message).replace('`', "")), colors.error);
    }
    let calls = counted(file.calls.len(), "call", "calls");
    let words = file.calls.first().map(|call| call.summary.label());
    let parts = [Some(&*calls), file.model.as_deref(), words.filter(|words| !words.is_empty())];
    let parts: Vec<_> = parts.into_iter().flatten().map(visible).collect();
    (parts.join(" · "), colors.muted)
}
