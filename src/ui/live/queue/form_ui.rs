//! The fields of a tool's input, validated against its schema while typing.

use egui::{Id, Ui};

use super::queue_data::AnswerContext;
use document::text::visible;
use play::live::form::InputField;
use play::live::schema::FieldKind;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, FormField, Segment, segmented};

/// Up to this many values are side by side; more are in a menu.
const MAX_SEGMENTS: usize = 3;

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
        // A missing value is not shown as an error at the field, but beside the heading.
        let input = input.filter(|_| !entry.typed.is_empty());
        let misfit = input.and_then(|input| input.misfits_at(&entry.field.name).next());
        let fault = misfit.map(|misfit| misfit.message.clone());
        let id = Id::unique(("answer field", &salt, &entry.field.name));
        let response = entry_ui(ui, id, entry, fault.as_deref());
        if std::mem::take(&mut context.wants_focus) {
            ui.memory_mut(|memory| memory.request_focus(response.unwrap_or(id)));
        }
    }
}

/// Draws a field. Returns what takes the focus if that is not the field itself.
fn entry_ui(ui: &mut Ui, id: Id, entry: &mut InputField, fault: Option<&str>) -> Option<Id> {
    let field = &entry.field;
    let note = match (&field.default, field.is_required, field.is_nullable) {
        (_, true, true) => "required, null if empty".to_owned(),
        (_, true, false) => "required".to_owned(),
        (Some(default), false, _) => format!("default {}", visible(default)),
        (None, false, _) => String::new(),
    };
    let name = visible(&field.name).into_owned();
    let tip = field.description.as_deref().map(visible).unwrap_or_default().into_owned();
    let kind = entry.kind().clone();
    let alternatives = match &field.kind {
        FieldKind::OneOf(kinds) => kinds.iter().map(|k| visible(&k.name).into_owned()).collect(),
        _ => Vec::new(),
    };
    let is_choice = matches!(kind, FieldKind::Boolean | FieldKind::Choice(_));
    if is_choice || !alternatives.is_empty() {
        FormField::fixed(&name, "").note(&note).tip(&tip).show(ui, id.with("label"));
    }
    if !alternatives.is_empty() {
        if let Some(index) = alternatives_ui(ui, &alternatives, entry.alternative) {
            entry.choose(index);
        }
        ui.add_space(4.0);
    }
    let (is_required, input) = (entry.field.is_required, &mut entry.typed);
    let values = match &kind {
        FieldKind::Boolean => &["true".to_owned(), "false".to_owned()][..],
        FieldKind::Choice(values) => values,
        kind => {
            let field = match kind {
                FieldKind::Number { .. } => FormField::data(&name, input),
                FieldKind::Json => FormField::lines(&name, input, 2).mono(),
                _ => FormField::lines(&name, input, 2),
            };
            field.note(&note).fault(fault).tip(&tip).show(ui, id);
            return None;
        }
    };
    let focus = values_ui(ui, values, is_required, input);
    ui.add_space(theme::GAP);
    focus
}

/// Adds a choice of kinds of a value; returns the one that was chosen.
fn alternatives_ui(ui: &mut Ui, names: &[String], selection: usize) -> Option<usize> {
    if names.len() <= MAX_SEGMENTS {
        let segments: Vec<Segment> = names.iter().map(|name| Segment::text(name)).collect();
        return segmented(ui, &segments, selection).filter(|i| *i != selection);
    }
    let mut choice = None;
    let text = names.get(selection).map_or("", String::as_str);
    let button = Button::secondary(text).trailing(icons::CHEVRON_DOWN);
    widgets::menu(&ui.add(button.width(ui.available_width())), |ui| {
        for (index, name) in names.iter().enumerate() {
            if widgets::menu_action(ui, icons::CHECK, name, None) {
                choice = Some(index);
            }
        }
    });
    choice
}

/// Adds a choice of values. An optional value can be unset.
fn values_ui(ui: &mut Ui, values: &[String], is_required: bool, input: &mut String) -> Option<Id> {
    // Values are JSON; quotes would only repeat that they are texts.
    let labels: Vec<String> = values.iter().map(|value| visible(value).replace('"', "")).collect();
    let selection = values.iter().position(|value| value == input);
    // In a narrow column more segments would have no room for their words.
    if values.len() <= MAX_SEGMENTS {
        let mut segments = vec![Segment::text("not set")];
        segments.extend(labels.iter().map(|value| Segment::text(value)));
        if let Some(segment) = segmented(ui, &segments, selection.map_or(0, |i| i + 1)) {
            let value = segment.checked_sub(1).and_then(|i| values.get(i));
            *input = value.cloned().unwrap_or_default();
        }
        return None;
    }
    let text = selection.and_then(|i| labels.get(i)).map_or("not set", String::as_str);
    let button = Button::secondary(text).trailing(icons::CHEVRON_DOWN);
    let response = ui.add(button.width(ui.available_width()));
    widgets::menu(&response, |ui| {
        if !is_required && widgets::menu_action(ui, icons::MINUS, "not set", None) {
            input.clear();
        }
        for (value, label) in values.iter().zip(&labels) {
            if widgets::menu_action(ui, icons::CHECK, label, None) {
                input.clone_from(value);
            }
        }
    });
    Some(response.id)
}

/// Adds muted text that may take several lines.
pub(super) fn quiet_ui(ui: &mut Ui, text: &str) {
    ui.label(theme::text(text, theme::regular(theme::ROW), tokens(ui).muted));
}
