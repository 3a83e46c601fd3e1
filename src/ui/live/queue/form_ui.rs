//! The fields of a tool's input, validated against its schema while typing.

use egui::{Id, Response, Ui};

use super::queue_data::AnswerContext;
use document::text::visible;
use play::live::form::InputField;
use play::live::schema::FieldKind;
use widgets::FormField;

/// Draws the fields of the chosen tool.
pub(super) fn form_ui(ui: &mut Ui, context: &mut AnswerContext<'_>) {
    let Some(tool) = context.draft.tool else { return };
    let input = context.request.filled.as_ref();
    let salt = (context.data.id.clone(), tool);
    let Some(form) = context.draft.forms.get_mut(tool) else { return };
    ui.add_space(4.0);
    // A schema that names no fields leaves only JSON as a whole.
    if form.entries.is_empty() {
        let misfit = input.and_then(|input| input.misfits.first());
        let id = Id::unique(("answer input", &salt));
        let response = FormField::lines("Whole input", &mut form.whole, 2)
            .mono()
            .note("JSON")
            .fault(misfit.map(|misfit| &*misfit.message))
            .show(ui, id);
        if std::mem::take(&mut context.wants_focus) {
            response.request_focus();
        }
    }
    for entry in &mut form.entries {
        // What is missing is no fault yet; the button says that the input does not match.
        let input = input.filter(|_| !entry.typed.is_empty());
        let misfit = input.and_then(|input| input.misfits_at(&entry.field.name).next());
        let fault = misfit.map(|misfit| misfit.message.clone());
        let id = Id::unique(("answer field", &salt, &entry.field.name));
        let response = entry_ui(ui, id, entry, fault.as_deref());
        if std::mem::take(&mut context.wants_focus) {
            response.request_focus();
        }
    }
}

/// Draws a field. A value that is one of several can be unset.
fn entry_ui(ui: &mut Ui, id: Id, entry: &mut InputField, fault: Option<&str>) -> Response {
    let field = &entry.field;
    let note = match (&field.default, field.is_required, field.is_nullable) {
        (_, true, true) => "required, null if empty".to_owned(),
        (_, true, false) => "required".to_owned(),
        (Some(default), false, _) => format!("default {}", visible(default)),
        (None, false, _) => String::new(),
    };
    let name = visible(&field.name).into_owned();
    let tip = field.description.as_deref().map(visible).unwrap_or_default().into_owned();
    if let FieldKind::OneOf(kinds) = &field.kind {
        let names: Vec<_> = kinds.iter().map(|kind| visible(&kind.name)).collect();
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let (label, mut index) = (format!("Kind of {name}"), entry.alternative);
        FormField::choice(&label, &names, &mut index).show(ui, id.with("kind"));
        if index != entry.alternative {
            entry.choose(index);
        }
    }
    let kind = entry.kind().clone();
    let values = match &kind {
        FieldKind::Boolean => vec!["true".to_owned(), "false".to_owned()],
        FieldKind::Choice(values) => values.clone(),
        _ => Vec::new(),
    };
    let typed = &mut entry.typed;
    let selection = values.iter().position(|value| value == typed).map_or(0, |index| index + 1);
    // Values are JSON; quotes would only repeat that they are texts.
    let labels = values.iter().map(|value| visible(value).replace('"', ""));
    let labels: Vec<String> = ["not set".to_owned()].into_iter().chain(labels).collect();
    let names: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut index = selection;
    let field = match &kind {
        FieldKind::Number { .. } => FormField::data(&name, typed),
        FieldKind::Json => FormField::lines(&name, typed, 2).mono(),
        FieldKind::Text | FieldKind::OneOf(_) => FormField::lines(&name, typed, 2),
        FieldKind::Boolean | FieldKind::Choice(_) => FormField::choice(&name, &names, &mut index),
    };
    let response = field.note(&note).fault(fault).tip(&tip).show(ui, id);
    if index != selection {
        let value = index.checked_sub(1).and_then(|index| values.get(index));
        entry.typed = value.cloned().unwrap_or_default();
    }
    response
}
