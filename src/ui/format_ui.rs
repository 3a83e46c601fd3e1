//! The form that describes the format of a file, with what the description finds.

use egui::{Id, Ui};

use document::format::FormatPart;
use document::text::{counted, visible};
use protocol::PreviewedFile;
use widgets::dialog::{DialogHead, confirm_buttons, dialog};
use widgets::theme::{self, tokens};
use widgets::{Button, FormField, fields, icons};
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

/// Returns the label, the name for screen readers and the hint of the pointer to a part.
fn labels(part: FormatPart) -> (&'static str, &'static str, &'static str) {
    match part {
        FormatPart::Calls => {
            ("Calls", "Pointer to the calls", "Of a file with several: /calls; * is every element")
        }
        FormatPart::Request => ("Request", "Pointer to the request", "In each call, such as /req"),
        FormatPart::Answer => {
            ("Answer", "Pointer to the answer", "In each call, such as /res/body")
        }
        FormatPart::Key => ("Key", "Pointer to the key", "What the player finds the call by"),
        FormatPart::Time => ("Time", "Pointer to the time", "When the call was made"),
        FormatPart::Status => ("Status", "Pointer to the status", "Of the answer, such as 200"),
        FormatPart::Test => ("Test", "Pointer to the test", "The name of the test"),
    }
}

fn fields_ui(ui: &mut Ui, old_draft: &FormatDraft, actions: &mut Actions) {
    // A copy: the draft is the workbench's, and changes only by an action.
    let mut draft = old_draft.clone();
    let fault = old_draft.format().err();
    let id = |name| Id::unique(("describe format", name));
    let name = FormField::text("Name", &mut draft.name).name("Name of the format");
    name.hint("Of your recorder; may be empty").show(ui, id("name"));
    let paths_fault = fault.as_ref().filter(|fault| fault.part.is_none());
    FormField::data("Paths", &mut draft.paths)
        .name("Paths of the files")
        .hint("Patterns as in .gitignore, between commas")
        .fault(paths_fault.map(|fault| &*fault.reason))
        .show(ui, id("paths"));
    for part in [FormatPart::Request, FormatPart::Answer, FormatPart::Calls].into_iter().chain([
        FormatPart::Key,
        FormatPart::Time,
        FormatPart::Status,
        FormatPart::Test,
    ]) {
        let (label, name, hint) = labels(part);
        let part_fault = fault.as_ref().filter(|fault| fault.part == Some(part));
        let field = FormField::data(label, draft.pointers.get_mut(part)).name(name).hint(hint);
        let response = field.fault(part_fault.map(|fault| &*fault.reason)).show(ui, id(label));
        if part == FormatPart::Request {
            fields::focus_first(ui, &response);
        }
    }
    if draft != *old_draft {
        actions.push(Action::Format(FormatAction::Type(Box::new(draft))));
    }
}

/// Draws what the description finds in the first files.
fn preview_ui(ui: &mut Ui, describing: &Describing) {
    let colors = tokens(ui);
    let summary = describing.summary();
    ui.label(theme::text(summary, theme::regular(theme::BODY), colors.text_strong));
    let files = match &describing.preview.value {
        Some(Ok(preview)) => &*preview.files,
        Some(Err(_)) | None => &[],
    };
    if files.is_empty() {
        return;
    }
    ui.add_space(theme::GAP);
    widgets::card(ui, |ui| {
        for file in files {
            let (text, color) = match &file.fault {
                // One font is for all of it, so that backticks would be shown as they are.
                Some(fault) => (format!("{}.", visible(fault).replace('`', "")), colors.error),
                None => (describe(file), colors.muted),
            };
            ui.label(theme::text(visible(&file.path), theme::mono(theme::LABEL), colors.text));
            ui.label(theme::text(text, theme::regular(theme::LABEL), color));
        }
    });
}

fn describe(file: &PreviewedFile) -> String {
    let calls = counted(file.calls, "call", "calls");
    let words = Some(&*file.words).filter(|words| !words.is_empty());
    let parts = [Some(&*calls), file.model.as_deref(), words];
    let parts: Vec<_> = parts.into_iter().flatten().map(visible).collect();
    parts.join(" · ")
}
