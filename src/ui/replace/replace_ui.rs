//! Paints the form: what is replaced, in which files, and the button that plans it.

use egui::{Align, Id, Key, Layout, Modifiers, Ui};

use super::places_ui::{ReplaceView, places_ui};
use author::replace::{RenameKind, ReplaceField, ReplaceForm, ReplaceKind};
use document::text::{counted, thousands};
use protocol::ReplaceScope;
use widgets::dialog::{DialogHead, close_button, dialog};
use widgets::icons;
use widgets::theme;
use widgets::{Button, FormField, Segment, fields, form_row, segmented};
use workbench::{Action, Actions, ReplaceAction, Replacing, Workbench};

/// Draws the form over the desk.
pub fn replace_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut ReplaceView,
    actions: &mut Actions,
) {
    let replacing = &workbench.core.replacing;
    // Before the list, in which it would also toggle the place with the focus.
    let is_entered = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
    let renames = matches!(replacing.form.kind, ReplaceKind::Rename(_));
    let head = DialogHead {
        icon: icons::REPLACE,
        title: if renames { "Rename throughout" } else { "Replace in files" },
        detail: "Unsaved edits are searched, too. The changes are shown before anything is saved.",
    };
    let body = |ui: &mut Ui, actions: &mut Actions| {
        form_ui(ui, &replacing.form, actions);
        scope_ui(ui, workbench, actions);
        ui.add_space(theme::GAP);
        places_ui(ui, workbench, view, actions);
    };
    dialog(ui, "replace in files", head, actions, body, |ui, actions| {
        foot_ui(ui, replacing, (renames, is_entered), actions);
    });
}

fn kind_name(kind: ReplaceKind) -> &'static str {
    match kind {
        ReplaceKind::Text => "Text",
        ReplaceKind::Regex => "Regular expression",
        ReplaceKind::Pointer => "JSON Pointer",
        ReplaceKind::Rename(RenameKind::Tool) => "Tool",
        ReplaceKind::Rename(RenameKind::Node) => "Node",
        ReplaceKind::Rename(RenameKind::Model) => "Model",
    }
}

/// Returns the label and the hint of a field.
fn labels(kind: ReplaceKind, field: ReplaceField) -> (&'static str, &'static str) {
    match (field, kind) {
        (ReplaceField::Old, ReplaceKind::Text) => ("Replace", "Text inside string values"),
        (ReplaceField::Old, ReplaceKind::Regex) => ("Replace", "A pattern, such as (\\d+) %"),
        (ReplaceField::Old, ReplaceKind::Pointer) => {
            ("Values at", "Such as /tool_responses/*/status; * is every element or member")
        }
        (ReplaceField::Old, ReplaceKind::Rename(_)) => ("Old name", "Exactly as in the files"),
        (ReplaceField::New, ReplaceKind::Text) => ("With", "Empty: remove the text"),
        (ReplaceField::New, ReplaceKind::Regex) => {
            ("With", "$1 is the first group; empty: remove the text")
        }
        (ReplaceField::New, ReplaceKind::Pointer) => ("New value", "JSON, such as 502 or \"done\""),
        (ReplaceField::New, ReplaceKind::Rename(_)) => ("New name", ""),
        (ReplaceField::At, _) => {
            ("Only at", "A JSON Pointer, such as /request/messages; empty: everywhere")
        }
    }
}

fn form_ui(ui: &mut Ui, old_form: &ReplaceForm, actions: &mut Actions) {
    // A copy: the form is the workbench's, and changes only by an action.
    let mut form = old_form.clone();
    let segments = ReplaceKind::ALL.map(|kind| Segment::text(kind_name(kind)));
    let position = ReplaceKind::ALL.iter().position(|k| *k == form.kind);
    if let Some(kind) = segmented(ui, &segments, position.unwrap_or_default()) {
        form.kind = ReplaceKind::ALL[kind];
    }
    ui.add_space(theme::GAP);
    let (kind, fault) = (form.kind, form.replacement().err());
    let mut field_ui = |field, text: &mut String| {
        let fault = fault.as_ref().filter(|fault| fault.field == field);
        let (name, hint) = labels(kind, field);
        let id = Id::unique(("replace in files", field as u8));
        let input = FormField::data(name, text).hint(hint);
        let response = input.fault(fault.map(|fault| &*fault.reason)).show(ui, id);
        // Only if nothing has it: a click into another field must keep the focus there.
        if field == ReplaceField::Old {
            fields::focus_first(ui, &response);
        }
    };
    field_ui(ReplaceField::Old, &mut form.old);
    field_ui(ReplaceField::New, &mut form.new);
    if kind.is_text() {
        field_ui(ReplaceField::At, &mut form.at);
    } else {
        // An empty row, so that the rest stays where it is when the kind is changed.
        form_row(ui, "", |_| {});
    }
    if form != *old_form {
        actions.push(Action::Replace(ReplaceAction::Type(form)));
    }
}

/// Draws the choice of the files that are searched.
fn scope_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let core = &workbench.core;
    let file_count = thousands(core.library.len());
    let mut scopes = vec![ReplaceScope::All];
    let mut segments = vec![Segment::text("All files").count(&file_count)];
    let filter = core.list.filter.trim();
    // Without a filter, the listed files are all files.
    if !filter.is_empty() || core.list.verdict.is_some() {
        scopes.push(ReplaceScope::Listed);
        segments.push(Segment::text("Listed files"));
    }
    let selected = core.replacing.selected;
    if selected.is_some() {
        scopes.push(ReplaceScope::Selected);
        segments.push(Segment::text("Selected file"));
    }
    let position = scopes.iter().position(|s| *s == core.replacing.scope);
    form_row(ui, "In", |ui| {
        if let Some(scope) = segmented(ui, &segments, position.unwrap_or_default()) {
            actions.push(Action::Replace(ReplaceAction::Limit(scopes[scope])));
        }
        let note = match core.replacing.scope {
            ReplaceScope::All => String::new(),
            ReplaceScope::Listed => filter.to_owned(),
            ReplaceScope::Selected => {
                selected.map_or_else(String::new, |doc| core.library.name_of(doc).to_owned())
            }
        };
        widgets::muted(ui, &document::text::visible(&note));
    });
}

fn foot_ui(
    ui: &mut Ui,
    replacing: &Replacing,
    (renames, is_entered): (bool, bool),
    actions: &mut Actions,
) {
    let preview = replacing.current().and_then(|r| r.as_ref().ok());
    let (places, docs) = preview.map_or((0, Vec::new()), |p| replacing.included(p));
    let verb = if renames { "Rename" } else { "Replace" };
    let label = match places {
        0 => format!("{verb}…"),
        _ => {
            let files = counted(docs.len(), "file", "files");
            format!("{verb} {} in {files}…", counted(places, "place", "places"))
        }
    };
    let form = replacing.form.replacement();
    let reason = match (&form, preview) {
        // In the order in which the user can fix them.
        (Err(_), _) => Some("a field is not valid"),
        (Ok(None), _) => Some("a field is empty"),
        _ if replacing.is_applying => Some("the changes are being made"),
        (_, None) => Some("the files are being searched"),
        _ if places == 0 => Some("there is no place to change"),
        _ => None,
    };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let apply = Button::primary(&label)
            .icon(icons::REPLACE)
            .disabled(reason)
            .keys(vec!["Ctrl".to_owned(), "Enter".to_owned()]);
        // Requested while the files are searched, it is done when they are.
        let is_possible =
            reason.is_none() || preview.is_none() && !matches!(form, Err(_) | Ok(None));
        if ui.add(apply.show_keys()).clicked() || is_entered && is_possible {
            actions.push(Action::Replace(ReplaceAction::Apply));
        }
        close_button(ui, "Cancel", actions);
    });
}
