//! The fields of a tool's input, validated against its schema while typing.

use egui::{
    CornerRadius, FontId, Frame, Id, Margin, Response, ScrollArea, Stroke, StrokeKind, TextEdit, Ui,
};

use super::queue_data::AnswerContext;
use crate::live::field_ui::{error_ui, label_ui};
use document::text::visible;
use play::live::form::InputField;
use play::live::schema::FieldKind;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, FieldState, Segment, TextField, segmented};

/// Maximum height of a multi-line field.
const MAX_FIELD_HEIGHT: f32 = 160.0;
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
        label_ui(ui, "Whole input", "JSON");
        let misfit = input.and_then(|input| input.misfits.first());
        let fault = misfit.map(|misfit| misfit.message.clone());
        let id = Id::unique(("answer input", &salt));
        let style = (theme::mono(theme::LABEL), fault.is_some());
        let response = lines_ui(ui, id, ("Whole input", 2), style, &mut form.whole);
        if std::mem::take(&mut context.wants_focus) {
            response.request_focus();
        }
        fault.inspect(|fault| error_ui(ui, fault));
        ui.add_space(theme::GAP);
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
        fault.inspect(|fault| error_ui(ui, fault));
        ui.add_space(theme::GAP);
    }
}

/// Draws a field. Returns what takes the focus if that is not the field itself.
fn entry_ui(ui: &mut Ui, id: Id, entry: &mut InputField, fault: Option<&str>) -> Option<Id> {
    let field = &entry.field;
    let kind = match entry.kind() {
        FieldKind::Text => "text",
        FieldKind::Number { whole: true } => "whole number",
        FieldKind::Number { whole: false } => "number",
        FieldKind::Boolean => "yes or no",
        FieldKind::Choice(_) => "choice",
        FieldKind::Json | FieldKind::OneOf(_) => "JSON",
    };
    let note = match (&field.default, field.is_required, field.is_nullable) {
        (_, true, true) => format!("{kind}, required, null if empty"),
        (_, true, false) => format!("{kind}, required"),
        (Some(default), false, _) => format!("{kind}, default {}", visible(default)),
        (None, false, _) => format!("{kind}, optional"),
    };
    let name = visible(&field.name).into_owned();
    label_ui(ui, &name, &note);
    if let Some(description) = &field.description {
        ui.label(theme::text(visible(description), theme::regular(theme::LABEL), tokens(ui).muted));
        ui.add_space(4.0);
    }
    let kind = entry.kind().clone();
    if let FieldKind::OneOf(kinds) = &field.kind {
        let names: Vec<String> = kinds.iter().map(|k| visible(&k.name).into_owned()).collect();
        if let Some(index) = alternatives_ui(ui, &names, entry.alternative) {
            entry.choose(index);
        }
        ui.add_space(4.0);
    }
    let (field, input) = (&entry.field, &mut entry.typed);
    match &kind {
        FieldKind::Text | FieldKind::Json | FieldKind::OneOf(_) => {
            let font = match kind {
                FieldKind::Json => theme::mono(theme::LABEL),
                _ => theme::regular(theme::ROW),
            };
            lines_ui(ui, id, (&name, 2), (font, fault.is_some()), input);
            None
        }
        FieldKind::Number { .. } => {
            let state = if fault.is_some() { FieldState::Invalid } else { FieldState::Valid };
            let width = ui.available_width();
            TextField::new(id, &name, input).mono().state(state).show(ui, width, |_| {}, |_| {});
            None
        }
        FieldKind::Boolean => {
            values_ui(ui, &["true".to_owned(), "false".to_owned()], field.is_required, input)
        }
        FieldKind::Choice(values) => values_ui(ui, values, field.is_required, input),
    }
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

/// Adds a multi-line field that grows from its initial number of rows with its text. A message below says why input is wrong.
pub(super) fn lines_ui(
    ui: &mut Ui,
    id: Id,
    (name, rows): (&str, usize),
    (font, is_wrong): (FontId, bool),
    text: &mut String,
) -> Response {
    let colors = tokens(ui);
    let frame = Frame::new()
        .fill(colors.input)
        .corner_radius(theme::RADIUS_CONTROL)
        .inner_margin(Margin::symmetric(9, 5));
    let output = frame.show(ui, |ui| {
        ScrollArea::vertical()
            .id_salt(id)
            .max_height(MAX_FIELD_HEIGHT)
            .show(ui, |ui| {
                let edit = TextEdit::multiline(text)
                    .id(id)
                    .font(font)
                    .text_color(colors.text_strong)
                    .frame(Frame::NONE)
                    .margin(Margin::ZERO)
                    .desired_width(f32::INFINITY)
                    .desired_rows(rows);
                ui.add(edit).accessible_name(name)
            })
            .inner
    });
    let response = output.inner;
    let (stroke, kind) = if response.has_focus() {
        (Stroke::new(2.0, colors.ring), StrokeKind::Middle)
    } else if is_wrong {
        (Stroke::new(1.0, colors.error), StrokeKind::Inside)
    } else if response.hovered() {
        (Stroke::new(1.0, colors.strong), StrokeKind::Inside)
    } else {
        (Stroke::new(1.0, colors.line), StrokeKind::Inside)
    };
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    ui.painter().rect_stroke(output.response.rect, radius, stroke, kind);
    response
}

/// Adds muted text that may take several lines.
pub(super) fn quiet_ui(ui: &mut Ui, text: &str) {
    ui.label(theme::text(text, theme::regular(theme::ROW), tokens(ui).muted));
}
