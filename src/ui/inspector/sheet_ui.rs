//! Paints a multi-line field with its buttons.

use egui::{
    CornerRadius, EventFilter, Frame, Id, Key, Label, Margin, Modifiers, Response, ScrollArea,
    Stroke, StrokeKind, TextEdit, Ui, vec2,
};

use super::drafts::DraftOutcome;
use super::edit::{DraftTarget, ValueDraft, ValueForm};
use super::edit_ui::{
    FIELD_KEYS, LINE_HEIGHT, field_id, focus_new_field, messages_ui, outcome_for_keys,
    outcome_of_focus_loss,
};
use widgets::Segment;
use widgets::fields;
use widgets::theme::{self, tokens};

/// Paints a multi-line field with its buttons. The lines are at most `max_height` high together.
pub(super) fn sheet_ui(ui: &mut Ui, draft: &mut ValueDraft, max_height: f32) -> DraftOutcome {
    let id = field_id(draft);
    let keys = sheet_keys(ui, id);
    let sheet = ui.scope_builder(egui::UiBuilder::new().id_salt(id), |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, theme::ICON_GAP);
        head_ui(ui, draft);
        if let DraftTarget::Member(key) = &mut draft.target {
            let key_id = id.with("key");
            // The key comes first; the value must not take the focus from it.
            if std::mem::take(&mut draft.needs_focus) {
                ui.memory_mut(|memory| memory.request_focus(key_id));
            }
            let field = widgets::TextField::new(key_id, "Key of the new member", key).hint("Key");
            field.mono().show(ui, ui.available_width(), |_| {}, |_| {});
        }
        let response = lines_ui(ui, id, draft, max_height);
        messages_ui(ui, draft);
        (response, ui.horizontal(|ui| buttons_ui(ui, draft, ("Apply", None))).inner)
    });
    let (response, button_outcome) = sheet.inner;
    let rect = sheet.response.rect.expand(4.0);
    keys.or(button_outcome).unwrap_or_else(|| outcome_of_focus_loss(ui, &response, rect))
}

fn sheet_keys(ui: &Ui, id: Id) -> Option<DraftOutcome> {
    let is_focused = ui.memory(|memory| memory.has_focus(id) || memory.has_focus(id.with("key")));
    const KEYS: [(Modifiers, Key, DraftOutcome); 2] = [
        (Modifiers::COMMAND, Key::Enter, DraftOutcome::Apply),
        (Modifiers::NONE, Key::Escape, DraftOutcome::Cancel),
    ];
    is_focused.then(|| outcome_for_keys(ui, &KEYS)).flatten()
}

/// Paints what is edited and its form.
fn head_ui(ui: &mut Ui, draft: &mut ValueDraft) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::CONTROL);
    ui.allocate_ui_with_layout(size, egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let forms = match draft.form {
            ValueForm::Number => &[ValueForm::Text, ValueForm::Number, ValueForm::Json][..],
            _ => &[ValueForm::Text, ValueForm::Json][..],
        };
        let segments: Vec<Segment<'_>> = forms
            .iter()
            .map(|form| {
                let word = match form {
                    ValueForm::Text => "Text",
                    ValueForm::Number => "Number",
                    ValueForm::Boolean | ValueForm::Json => "JSON",
                };
                Segment::text(word).name(form.name())
            })
            .collect();
        let selection = forms.iter().position(|form| *form == draft.form);
        // A key is always a text.
        if draft.target != DraftTarget::Key {
            let segment = widgets::segmented(ui, &segments, selection.unwrap_or_default());
            if let Some(form) = segment.and_then(|index| forms.get(index)) {
                draft.set_form(*form);
            }
        }
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            let name = theme::text(draft.name(), theme::medium(theme::LABEL), tokens.muted);
            ui.add(Label::new(name).truncate());
        });
    });
}

fn lines_ui(ui: &mut Ui, id: Id, draft: &mut ValueDraft, max_height: f32) -> Response {
    let tokens = tokens(ui);
    let max_lines = (max_height / LINE_HEIGHT) as usize;
    let lines = draft.text.lines().count().clamp(3, max_lines.max(3));
    let is_fresh = draft.needs_focus;
    focus_new_field(ui, id, draft);
    let name = draft.name();
    let frame = Frame::new()
        .fill(tokens.input)
        .corner_radius(theme::RADIUS_CONTROL)
        .inner_margin(Margin::symmetric(8, 6));
    let output = frame.show(ui, |ui| {
        let area = ScrollArea::vertical()
            .id_salt(id)
            .max_height(max_height)
            .min_scrolled_height(max_height.min(lines as f32 * LINE_HEIGHT));
        let area_output = area.show(ui, |ui| {
            let font = match draft.form {
                ValueForm::Text => theme::regular(theme::BODY),
                _ => theme::mono(theme::LABEL),
            };
            let edit = TextEdit::multiline(&mut draft.text)
                .id(id)
                .font(font)
                .text_color(tokens.text_strong)
                .frame(Frame::NONE)
                .margin(Margin::ZERO)
                .desired_width(f32::INFINITY)
                .desired_rows(lines)
                // Tab leads to the buttons; only in fields of one line it leads to the next value.
                .event_filter(EventFilter { tab: false, ..FIELD_KEYS });
            edit.show(ui).response.response
        });
        area_output.inner
    });
    let response = output.inner;
    if is_fresh && !response.has_focus() {
        // A click on the controls above is outside the field and takes its focus away.
        response.request_focus();
    }
    let (stroke, kind) = match (response.has_focus(), &draft.error) {
        (_, Some(_)) => (Stroke::new(1.0, tokens.error), StrokeKind::Inside),
        (true, None) => (Stroke::new(2.0, tokens.ring), StrokeKind::Middle),
        (false, None) => (Stroke::new(1.0, tokens.line), StrokeKind::Inside),
    };
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    ui.painter().rect_stroke(output.response.rect, radius, stroke, kind);
    if response.changed() {
        draft.on_typed();
    }
    response.accessible_name(name)
}

/// Adds the buttons that apply a draft, unless there is a fault, and discard it.
pub(super) fn buttons_ui(
    ui: &mut Ui,
    draft: &ValueDraft,
    (label, fault): (&str, Option<&str>),
) -> Option<DraftOutcome> {
    let mut outcome = None;
    let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
    // The error is of the last attempt, and the input may be valid by now.
    let fault = fault.or_else(|| draft.error.as_deref().filter(|_| draft.edit().is_err()));
    let apply = widgets::Button::primary(label).keys(keys(&["Ctrl", "Enter"]));
    let apply = ui.add(apply.show_keys().disabled(fault));
    if apply.clicked() {
        outcome = Some(DraftOutcome::Apply);
    }
    let cancel = ui.add(widgets::Button::ghost("Cancel").keys(keys(&["Esc"])).show_keys());
    if cancel.clicked() {
        outcome = Some(DraftOutcome::Cancel);
    }
    for button in [apply, cancel] {
        // Esc discards the draft, and does not close the inspector.
        let filter = EventFilter { escape: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(button.id, filter));
        fields::mark_typed(ui.ctx(), button.id);
        if button.has_focus() {
            const ESC: [(Modifiers, Key, DraftOutcome); 1] =
                [(Modifiers::NONE, Key::Escape, DraftOutcome::Cancel)];
            outcome = outcome.or_else(|| outcome_for_keys(ui, &ESC));
        }
    }
    outcome
}
