//! Paints a one-line field in place of a value: its text or two choices, its unit, and its menus.

use egui::{
    CornerRadius, Frame, Id, Key, Margin, Modifiers, Pos2, Rect, Response, Role, Sense, Stroke,
    StrokeKind, TextEdit, Ui, WidgetInfo, pos2, vec2,
};

use super::drafts::DraftOutcome;
use super::edit::{DraftSize, DraftTarget, ValueDraft, ValueForm};
use super::edit_ui::{
    FIELD_KEYS, field_id, focus_new_field, messages_ui, outcome_for_keys, outcome_of_focus_loss,
};
use widgets::icons;
use widgets::theme::{self, tokens};

/// Paints a one-line field within `rect`.
pub(super) fn line_ui(ui: &mut Ui, rect: Rect, draft: &mut ValueDraft) -> DraftOutcome {
    let tokens = tokens(ui);
    let id = field_id(draft);
    let keys = line_keys(ui, id);
    let radius = CornerRadius::same(theme::RADIUS_KEY);
    ui.painter().rect_filled(rect, radius, tokens.input);
    let mut field = rect.shrink2(vec2(4.0, 0.0));
    let mut is_menu_closed = false;
    // A key is always a text, without unit and choices.
    if draft.target == DraftTarget::Value {
        let (end, is_open) = controls_ui(ui, rect, draft);
        field.max.x = end;
        is_menu_closed = std::mem::replace(&mut draft.is_menu_open, is_open) && !is_open;
    }
    let response = match draft.form {
        ValueForm::Boolean => boolean_ui(ui, field, id, draft),
        _ => text_ui(ui, field, id, draft),
    };
    if is_menu_closed {
        // Only now: a click in the menu is outside the field and takes its focus away.
        response.request_focus();
        ui.request_repaint();
    }
    let stroke = match (response.has_focus(), &draft.error) {
        (_, Some(_)) => Stroke::new(1.0, tokens.error),
        (true, None) => Stroke::new(2.0, tokens.ring),
        (false, None) => Stroke::new(1.0, tokens.strong),
    };
    ui.painter().rect_stroke(rect, radius, stroke, StrokeKind::Inside);
    messages_below_ui(ui, rect, draft);
    keys.unwrap_or_else(|| outcome_of_focus_loss(ui, &response, rect))
}

/// Returns the outcome of the keys pressed in a one-line field.
fn line_keys(ui: &Ui, id: Id) -> Option<DraftOutcome> {
    if !ui.memory(|memory| memory.has_focus(id)) {
        return None;
    }
    const KEYS: [(Modifiers, Key, DraftOutcome); 5] = [
        // The most specific keys first, because egui ignores additional Shift and Alt.
        (Modifiers::COMMAND, Key::Enter, DraftOutcome::Apply),
        (Modifiers::SHIFT, Key::Tab, DraftOutcome::Previous),
        (Modifiers::NONE, Key::Tab, DraftOutcome::Next),
        (Modifiers::NONE, Key::Enter, DraftOutcome::Apply),
        (Modifiers::NONE, Key::Escape, DraftOutcome::Cancel),
    ];
    outcome_for_keys(ui, &KEYS)
}

fn text_ui(ui: &mut Ui, rect: Rect, id: Id, draft: &mut ValueDraft) -> Response {
    let tokens = tokens(ui);
    focus_new_field(ui, id, draft);
    let name = draft.name();
    // Fields are higher than a row. Centered in extra space, the text is on the same line as its neighbours.
    let room = rect.expand2(vec2(0.0, 8.0)).translate(vec2(0.0, -0.5));
    let response = widgets::place_left(ui, room, |ui| {
        ui.set_clip_rect(ui.clip_rect().intersect(rect.expand(1.0)));
        let edit = TextEdit::singleline(&mut draft.text)
            .id(id)
            .font(theme::mono(theme::LABEL))
            .text_color(tokens.text_strong)
            .frame(Frame::NONE)
            .margin(Margin::ZERO)
            .desired_width(f32::INFINITY)
            .event_filter(FIELD_KEYS)
            .align(egui::Align2::LEFT_CENTER);
        edit.show(ui).response.response
    });
    if response.changed() {
        draft.on_typed();
    }
    response.accessible_name(name)
}

/// Paints the two values of a boolean side by side. Arrows, Space and the first letters change it.
fn boolean_ui(ui: &mut Ui, rect: Rect, id: Id, draft: &mut ValueDraft) -> Response {
    let tokens = tokens(ui);
    if std::mem::take(&mut draft.needs_focus) {
        // Commands do not get these keys, as in any field.
        TextEdit::store_state(ui.ctx(), id, Default::default());
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    let response = ui.interact(rect, id, Sense::click());
    if response.has_focus() {
        // Arrows change the value here instead of moving the focus.
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, FIELD_KEYS));
        let old_value = draft.text == "true";
        let is_pressed =
            |keys: &[Key]| ui.input(|input| keys.iter().any(|key| input.key_pressed(*key)));
        let new_value = is_pressed(&[Key::T, Key::ArrowLeft])
            || !is_pressed(&[Key::F, Key::ArrowRight]) && old_value != is_pressed(&[Key::Space]);
        draft.text = new_value.to_string();
    }
    let mut x = rect.left();
    for word in ["true", "false"] {
        let is_chosen = draft.text == word;
        let color = if is_chosen { tokens.number } else { tokens.muted };
        let line = widgets::line(ui, word, theme::mono(theme::LABEL), color, f32::INFINITY);
        let size = vec2(line.size().x + 12.0, rect.height() - 4.0);
        let place = Rect::from_min_size(pos2(x, rect.top() + 2.0), size);
        // Without the focus: the whole field is one stop of the Tab key.
        let choice = ui.interact(place, id.with(word), Sense::CLICK);
        choice.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_chosen, word));
        if choice.clicked() {
            draft.text = word.to_owned();
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        if is_chosen {
            ui.painter().rect_filled(place, CornerRadius::same(theme::RADIUS_KEY), tokens.selected);
        }
        widgets::paint_line(ui.painter(), pos2(x + 6.0, place.center().y), line);
        x = place.right() + 2.0;
    }
    let (name, is_on) = (draft.name(), draft.text == "true");
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, &name));
    response
}

/// Paints the controls after the text of a line: unit, choices, and form. Returns where the text must end and whether
/// one of their menus is open.
fn controls_ui(ui: &mut Ui, rect: Rect, draft: &mut ValueDraft) -> (f32, bool) {
    let tokens = tokens(ui);
    let button = |ui: &mut Ui, right: f32, icon: &str, name: &str| {
        let center = pos2(right - 11.0, rect.center().y);
        let response = small_button(ui, center, name);
        let is_active = response.hovered() || response.has_focus();
        let color = if is_active { tokens.text_strong } else { tokens.muted };
        widgets::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, color);
        response
    };
    let mut right = rect.right() - 2.0;
    let (icon, name) = match draft.form {
        ValueForm::Text => (icons::TYPE, "Kind of value: text"),
        ValueForm::Number => (icons::HASH, "Kind of value: number"),
        ValueForm::Boolean => (icons::CIRCLE_DOT, "Kind of value: true or false"),
        ValueForm::Json => (icons::BRACES, "Kind of value: JSON"),
    };
    let kind = button(ui, right, icon, name);
    let kind = widgets::tip(kind, name, &[] as &[&str]);
    widgets::menu(&kind, |ui| form_menu(ui, draft));
    let mut is_open = is_menu_open(&kind);
    right -= 22.0;
    if !draft.choices.is_empty() && draft.form == ValueForm::Text {
        let choose = button(ui, right, icons::CHEVRON_DOWN, "Choose a value");
        widgets::menu(&choose, |ui| choice_menu(ui, draft));
        is_open |= is_menu_open(&choose);
        right -= 22.0;
    }
    if let Some(unit) = draft.unit.filter(|_| draft.form == ValueForm::Number) {
        let font = theme::regular(theme::SMALL);
        let line = widgets::line(ui, unit.name(), font, tokens.muted, f32::INFINITY);
        let width = line.size().x;
        widgets::paint_line_right(ui.painter(), pos2(right - 2.0, rect.center().y), line);
        right -= width + 6.0;
    }
    (right - 2.0, is_open)
}

/// Returns whether the menu of a button is open.
fn is_menu_open(button: &Response) -> bool {
    egui::Popup::is_id_open(&button.ctx, egui::Popup::default_response_id(button))
}

fn small_button(ui: &mut Ui, center: Pos2, name: &str) -> Response {
    let rect = Rect::from_center_size(center, vec2(20.0, 18.0));
    let response = ui.interact(rect, ui.auto_id_with(("small", name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, theme::RADIUS_KEY);
    }
    response
}

fn form_menu(ui: &mut Ui, draft: &mut ValueDraft) {
    for form in ValueForm::ALL {
        let icon = if draft.form == form { icons::CHECK } else { "" };
        if widgets::menu_action(ui, icon, form.name(), None) {
            draft.set_form(form);
        }
    }
    let item = widgets::menu_item(ui, icons::UNFOLD_VERTICAL, "Edit in a larger field", &[], None);
    if item.clicked() {
        // The two buttons exist only on one line.
        if draft.form == ValueForm::Boolean {
            draft.set_form(ValueForm::Json);
        }
        draft.size = DraftSize::Sheet;
        draft.needs_focus = true;
        ui.close();
    }
}

fn choice_menu(ui: &mut Ui, draft: &mut ValueDraft) {
    for word in draft.choices {
        let icon = if draft.text == *word { icons::CHECK } else { "" };
        if widgets::menu_action(ui, icon, word, None) {
            draft.text = (*word).to_owned();
            draft.needs_focus = true;
            draft.on_typed();
        }
    }
}

/// Paints the error or the remark of a line below it, over other content.
fn messages_below_ui(ui: &Ui, rect: Rect, draft: &ValueDraft) {
    let tokens = tokens(ui);
    if draft.error.is_none() && draft.remark.is_none() {
        return;
    }
    let room = ui.clip_rect();
    let is_above = rect.bottom() + 60.0 > room.bottom();
    let gap = vec2(0.0, 2.0);
    let above_row = (rect.left_top() - gap, egui::Align2::LEFT_BOTTOM);
    let below_row = (rect.left_bottom() + gap, egui::Align2::LEFT_TOP);
    let (position, pivot) = if is_above { above_row } else { below_row };
    let area = egui::Area::new(field_id(draft).with("messages"))
        .fixed_pos(position)
        .pivot(pivot)
        // The message covers other content, which must stay clickable.
        .interactable(false)
        .fade_in(false);
    area.show(ui.ctx(), |ui| {
        let frame = Frame::new()
            .fill(tokens.overlay)
            .stroke(Stroke::new(1.0, tokens.line))
            .corner_radius(theme::RADIUS_CONTROL)
            .inner_margin(Margin::symmetric(8, 4));
        frame.show(ui, |ui| {
            ui.set_max_width(rect.width().clamp(200.0, 320.0));
            messages_ui(ui, draft);
        });
    });
}
