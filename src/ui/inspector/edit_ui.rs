//! Paints the field of a value that is being edited, on one line or on several, and the edit button of a value.

use egui::text::CCursorRange;
use egui::{
    Color32, EventFilter, Frame, Id, Key, Label, Margin, Modifiers, Pos2, Rect, Response, Role,
    ScrollArea, Sense, TextEdit, Ui, WidgetInfo, pos2, vec2,
};

use super::drafts::DraftOutcome;
use widgets::code::sentence;
use widgets::theme::{self, tokens};
use widgets::{FieldState, Segment, fields, icons};
use workbench::{DraftSize, DraftTarget, ValueDraft, ValueForm};

/// Line height of a multi-line field.
pub(super) const LINE_HEIGHT: f32 = 16.0;

fn outcome_of(ui: &Ui, keys: &[(Modifiers, Key, DraftOutcome)]) -> Option<DraftOutcome> {
    let is_pressed = |(modifiers, key, _): &&(Modifiers, Key, DraftOutcome)| {
        ui.input_mut(|input| input.consume_key(*modifiers, *key))
    };
    keys.iter().find(is_pressed).map(|(_, _, outcome)| *outcome)
}

/// Returns the outcome when the user clicks elsewhere or another field takes the focus: valid input is applied.
pub(super) fn outcome_of_focus_loss(ui: &Ui, response: &Response, field: Rect) -> DraftOutcome {
    // A menu of the field takes the focus without ending the input.
    if !widgets::has_lost_focus(response) || egui::Popup::is_any_open(ui.ctx()) {
        return DraftOutcome::Open;
    }
    let press_position =
        ui.input(|input| input.pointer.interact_pos().filter(|_| input.pointer.any_pressed()));
    let focus = ui.memory(|memory| memory.focused()).and_then(|id| ui.ctx().read_response(id));
    let position = press_position.or(focus.map(|r| r.rect.center()));
    // The buttons beside the input belong to the field.
    let is_outside = position.is_some_and(|p| !field.contains(p));
    if is_outside { DraftOutcome::LostFocus } else { DraftOutcome::Open }
}

/// Returns the egui id of a draft's field.
pub(super) fn field_id(draft: &ValueDraft) -> Id {
    // A value and its key may be edited at the same time, and need different ids.
    let goal = std::mem::discriminant(&draft.target);
    Id::unique(("value", &draft.path, &draft.pointer, goal))
}

/// Returns the state of a draft's field.
fn field_state(draft: &ValueDraft) -> FieldState {
    if draft.error.is_some() { FieldState::Invalid } else { FieldState::Valid }
}

/// Focuses a new field and selects its text, or puts the cursor after a long text.
pub(super) fn focus_new_field(ui: &Ui, id: Id, draft: &mut ValueDraft) {
    if !std::mem::take(&mut draft.needs_focus) {
        return;
    }
    // Without the caret and the undo of an earlier draft of the same value.
    let mut state = egui::text_edit::TextEditState::default();
    let full_range = CCursorRange::select_all_str(&draft.text);
    let is_old = matches!(draft.target, DraftTarget::Value | DraftTarget::Decoded);
    let is_long = draft.size == DraftSize::Sheet && is_old;
    let range = if is_long { CCursorRange::one(full_range.primary) } else { full_range };
    state.cursor.set_char_range(Some(range));
    TextEdit::store_state(ui.ctx(), id, state);
    ui.memory_mut(|memory| memory.request_focus(id));
}

/// Keys that the focused field handles itself.
pub(super) const FIELD_KEYS: EventFilter =
    EventFilter { tab: true, horizontal_arrows: true, vertical_arrows: true, escape: true };

/// Paints the edit button of a value while the pointer is over the value. Tab always reaches it. Returns whether it was
/// clicked.
pub(super) fn pencil(ui: &Ui, center: Pos2, is_hovered: bool, name: &str) -> bool {
    let button = (icons::PENCIL, name);
    widgets::hint(widgets::small_button(ui, center, button, (is_hovered, true)), name).clicked()
}

/// Paints the error and the remark of a draft.
pub(super) fn messages_ui(ui: &mut Ui, draft: &ValueDraft) {
    let tokens = tokens(ui);
    let messages = [
        (&draft.error, icons::CIRCLE_X, tokens.error),
        (&draft.remark, icons::REFRESH_CW, tokens.warning),
    ];
    for (words, icon, color) in messages {
        let Some(words) = words else { continue };
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
            widgets::icon(ui, icon, theme::ICON, color);
            let font = theme::regular(theme::LABEL);
            let text = sentence(words, font, color, tokens.text_strong, ui.available_width());
            ui.add(Label::new(text).wrap());
        });
    }
}

/// Paints a one-line field within `rect`.
pub(super) fn line_ui(ui: &mut Ui, rect: Rect, draft: &mut ValueDraft) -> DraftOutcome {
    let id = field_id(draft);
    let keys = line_keys(ui, id);
    widgets::place(ui, rect, |ui| {
        let ground = Frame::new().fill(tokens(ui).input).corner_radius(theme::RADIUS_KEY);
        ground.show(ui, |ui| ui.set_min_size(rect.size()));
    });
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
    widgets::field_border(ui, rect, &response, field_state(draft));
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
    outcome_of(ui, &KEYS)
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
    widgets::place_left(ui, rect, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for word in ["true", "false"] {
            let is_chosen = draft.text == word;
            let (fill, color) = if is_chosen {
                (tokens.selected, tokens.number)
            } else {
                (Color32::TRANSPARENT, tokens.muted)
            };
            let frame = Frame::new().fill(fill).corner_radius(theme::RADIUS_KEY);
            let output = frame.inner_margin(Margin::symmetric(6, 0)).show(ui, |ui| {
                let text = theme::text(word, theme::mono(theme::LABEL), color);
                ui.add(Label::new(text).selectable(false))
            });
            // Without the focus: the whole field is one stop of the Tab key.
            let choice = ui.interact(output.response.rect, id.with(word), Sense::CLICK);
            choice.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, is_chosen, word));
            if choice.clicked() {
                draft.text = word.to_owned();
                ui.memory_mut(|memory| memory.request_focus(id));
            }
        }
    });
    let (name, is_on) = (draft.name(), draft.text == "true");
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_on, &name));
    response
}

/// Paints the controls after the text of a line: unit, choices, and form. Returns where the text must end and whether
/// one of their menus is open.
fn controls_ui(ui: &mut Ui, rect: Rect, draft: &mut ValueDraft) -> (f32, bool) {
    let button = |ui: &Ui, right: f32, icon: &str, name: &str| {
        let center = pos2(right - 11.0, rect.center().y);
        widgets::small_button(ui, center, (icon, name), (true, false))
    };
    let mut right = rect.right() - 2.0;
    let (icon, name) = match draft.form {
        ValueForm::Text => (icons::TYPE, "Kind of value: text"),
        ValueForm::Number => (icons::HASH, "Kind of value: number"),
        ValueForm::Boolean => (icons::CIRCLE_DOT, "Kind of value: true or false"),
        ValueForm::Json => (icons::BRACES, "Kind of value: JSON"),
    };
    let kind = button(ui, right, icon, name);
    let kind = widgets::hint(kind, name);
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
        let room = rect.with_max_x(right - 2.0);
        let ((), left) = widgets::place_right(ui, room, |ui| {
            let unit = theme::text(unit.name(), theme::regular(theme::SMALL), tokens(ui).muted);
            ui.add(Label::new(unit).selectable(false));
        });
        right = left - 4.0;
    }
    (right - 2.0, is_open)
}

/// Returns whether the menu of a button is open.
fn is_menu_open(button: &Response) -> bool {
    egui::Popup::is_id_open(&button.ctx, egui::Popup::default_response_id(button))
}

fn form_menu(ui: &mut Ui, draft: &mut ValueDraft) {
    for &form in ValueForm::ALL {
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
            .stroke((1.0, tokens.line))
            .corner_radius(theme::RADIUS_CONTROL)
            .inner_margin(Margin::symmetric(8, 4));
        frame.show(ui, |ui| {
            ui.set_max_width(rect.width().clamp(200.0, 320.0));
            messages_ui(ui, draft);
        });
    });
}

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

pub(super) fn sheet_keys(ui: &Ui, id: Id) -> Option<DraftOutcome> {
    let is_focused = ui.memory(|memory| memory.has_focus(id) || memory.has_focus(id.with("key")));
    const KEYS: [(Modifiers, Key, DraftOutcome); 2] = [
        (Modifiers::COMMAND, Key::Enter, DraftOutcome::Apply),
        (Modifiers::NONE, Key::Escape, DraftOutcome::Cancel),
    ];
    is_focused.then(|| outcome_of(ui, &KEYS)).flatten()
}

/// Paints what is edited and its form.
fn head_ui(ui: &mut Ui, draft: &mut ValueDraft) {
    let tokens = tokens(ui);
    widgets::row_from_right(ui, theme::CONTROL, |ui| {
        let forms = match draft.form {
            ValueForm::Number => &[ValueForm::Text, ValueForm::Number, ValueForm::Json][..],
            _ => &[ValueForm::Text, ValueForm::Json][..],
        };
        let segment = |form: &ValueForm| {
            let word = match form {
                ValueForm::Text => "Text",
                ValueForm::Number => "Number",
                ValueForm::Boolean | ValueForm::Json => "JSON",
            };
            Segment::text(word).name(form.name())
        };
        let segments: Vec<Segment<'_>> = forms.iter().map(segment).collect();
        let selection = forms.iter().position(|form| *form == draft.form);
        // A key is always a text.
        if draft.target != DraftTarget::Key {
            let segment = widgets::segmented(ui, &segments, selection.unwrap_or_default());
            if let Some(form) = segment.and_then(|index| forms.get(index)) {
                draft.set_form(*form);
            }
        }
        widgets::at_left(ui, |ui| {
            let name = theme::text(draft.name(), theme::medium(theme::LABEL), tokens.muted);
            ui.add(Label::new(name).truncate());
        });
    });
}

fn lines_ui(ui: &mut Ui, id: Id, draft: &mut ValueDraft, max_height: f32) -> Response {
    let max_lines = (max_height / LINE_HEIGHT) as usize;
    let lines = draft.text.lines().count().clamp(3, max_lines.max(3));
    let is_fresh = draft.needs_focus;
    focus_new_field(ui, id, draft);
    let name = draft.name();
    let font = match draft.form {
        ValueForm::Text => theme::regular(theme::BODY),
        _ => theme::mono(theme::LABEL),
    };
    let response = widgets::framed_field(ui, Margin::symmetric(8, 6), field_state(draft), |ui| {
        let area = ScrollArea::vertical()
            .id_salt(id)
            .max_height(max_height)
            .min_scrolled_height(max_height.min(lines as f32 * LINE_HEIGHT));
        let edit = TextEdit::multiline(&mut draft.text)
            .id(id)
            .font(font)
            .text_color(tokens(ui).text_strong)
            .frame(Frame::NONE)
            .margin(Margin::ZERO)
            .desired_width(f32::INFINITY)
            .desired_rows(lines)
            // Tab leads to the buttons; only in fields of one line it leads to the next value.
            .event_filter(EventFilter { tab: false, ..FIELD_KEYS });
        area.show(ui, |ui| edit.show(ui).response.response).inner
    });
    if is_fresh && !response.has_focus() {
        // A click on the controls above is outside the field and takes its focus away.
        response.request_focus();
    }
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
            outcome = outcome.or_else(|| outcome_of(ui, &ESC));
        }
    }
    outcome
}
