//! Paints what is being edited: a field in the place of the value, a larger one with buttons, and the pencil that begins
//! it.

use egui::text::CCursorRange;
use egui::{
    CornerRadius, EventFilter, Frame, Id, Key, Label, Margin, Modifiers, Pos2, Rect, Response,
    RichText, Role, ScrollArea, Sense, Stroke, StrokeKind, TextEdit, Ui, WidgetInfo, pos2, vec2,
};

use super::data::InspectorData;
use super::drafts::{Drafts, Outcome};
use super::edit::{Draft, Form, Goal, Size};
use super::paint;
use crate::format::NodeId;
use crate::ui::icons;
use crate::ui::theme::{self, TEXT_LINE, tokens};
use crate::ui::widgets::{self, Segment};
use crate::workbench::Action;

/// A line of a field for several lines.
const LINE: f32 = 16.0;

/// Paints the field of a value where the value would stand, if it is being edited. False if it is not.
pub(super) fn edited_ui(
    ui: &mut Ui,
    node: Option<NodeId>,
    size: Option<Size>,
    data: &InspectorData,
    drafts: &mut Drafts,
    actions: &mut Vec<Action>,
) -> bool {
    let draft = node.and_then(|node| drafts.of(data, node));
    let Some(draft) = draft.filter(|draft| size.is_none_or(|size| draft.size == size)) else {
        return false;
    };
    let outcome = match draft.size {
        Size::Line => {
            let (rect, _) =
                ui.allocate_exact_size(vec2(ui.available_width(), TEXT_LINE), Sense::hover());
            line_ui(ui, rect, draft)
        }
        Size::Sheet => sheet_ui(ui, draft, 16.0 * LINE),
    };
    let (id, goal) = (field_id(draft), draft.goal.clone());
    if drafts.settle(node, &goal, outcome, data, actions) {
        ui.memory_mut(|memory| memory.surrender_focus(id));
        ui.request_repaint();
    }
    true
}

/// Paints a field of one line within `rect`.
pub(super) fn line_ui(ui: &mut Ui, rect: Rect, draft: &mut Draft) -> Outcome {
    let tokens = tokens(ui);
    let id = field_id(draft);
    let keys = line_keys(ui, id);
    let radius = CornerRadius::same(theme::RADIUS_KEY);
    ui.painter().rect_filled(rect, radius, tokens.input);
    let mut field = rect.shrink2(vec2(4.0, 0.0));
    if draft.goal == Goal::Value {
        field.max.x = controls_ui(ui, rect, draft);
    }
    let response = match draft.form {
        Form::Truth => truth_ui(ui, field, id, draft),
        _ => text_ui(ui, field, id, draft),
    };
    let stroke = match (response.has_focus(), &draft.fault) {
        (_, Some(_)) => Stroke::new(1.0, tokens.error),
        (true, None) => Stroke::new(2.0, tokens.ring),
        (false, None) => Stroke::new(1.0, tokens.strong),
    };
    ui.painter()
        .rect_stroke(rect, radius, stroke, StrokeKind::Inside);
    told_ui(ui, rect, draft);
    keys.unwrap_or_else(|| left(ui, &response, rect))
}

/// What is asked of a field of one line by keys, apart from text.
fn line_keys(ui: &Ui, id: Id) -> Option<Outcome> {
    if !ui.memory(|memory| memory.has_focus(id)) {
        return None;
    }
    const KEYS: [(Modifiers, Key, Outcome); 5] = [
        (Modifiers::COMMAND, Key::Enter, Outcome::Apply),
        (Modifiers::SHIFT, Key::Tab, Outcome::Previous),
        (Modifiers::NONE, Key::Tab, Outcome::Next),
        (Modifiers::NONE, Key::Enter, Outcome::Apply),
        (Modifiers::NONE, Key::Escape, Outcome::Cancel),
    ];
    pressed(ui, &KEYS)
}

fn pressed(ui: &Ui, keys: &[(Modifiers, Key, Outcome)]) -> Option<Outcome> {
    ui.input_mut(|input| {
        let mut keys = keys.iter();
        let pressed = keys.find(|(held, key, _)| input.consume_key(*held, *key));
        pressed.map(|(_, _, outcome)| *outcome)
    })
}

/// A press elsewhere puts what was typed into the file, as long as it is good.
fn left(ui: &Ui, response: &Response, own: Rect) -> Outcome {
    let elsewhere = ui.input(|input| {
        let at = input.pointer.interact_pos();
        input.pointer.any_pressed() && at.is_some_and(|at| !own.contains(at))
    });
    match response.lost_focus() && elsewhere && !egui::Popup::is_any_open(ui.ctx()) {
        true => Outcome::Left,
        false => Outcome::Open,
    }
}

/// The field that has the text of a draft, by the id under which egui keeps the focus.
fn field_id(draft: &Draft) -> Id {
    let goal = std::mem::discriminant(&draft.goal);
    Id::unique(("value", &draft.path, &draft.pointer, goal))
}

/// Gives a field the focus that was just opened: with its text selected, or with the cursor behind a long one.
fn freshen(ui: &Ui, id: Id, draft: &mut Draft) {
    if !std::mem::take(&mut draft.fresh) {
        return;
    }
    let mut state = egui::text_edit::TextEditState::default();
    let all = CCursorRange::select_all_str(&draft.text);
    let range = match draft.size {
        Size::Line => all,
        Size::Sheet => CCursorRange::one(all.primary),
    };
    state.cursor.set_char_range(Some(range));
    TextEdit::store_state(ui.ctx(), id, state);
    ui.memory_mut(|memory| memory.request_focus(id));
}

fn text_ui(ui: &mut Ui, rect: Rect, id: Id, draft: &mut Draft) -> Response {
    let tokens = tokens(ui);
    freshen(ui, id, draft);
    let name = draft.name();
    // Fields are higher than a row; in the middle of more room, the text stands on the line of what is beside it.
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
            .event_filter(OWN_KEYS)
            .align(egui::Align2::LEFT_CENTER);
        edit.show(ui).response.response
    });
    if response.changed() {
        draft.typed();
    }
    response.accessible_name(name)
}

/// Keys that move no focus while a field has it.
const OWN_KEYS: EventFilter = EventFilter {
    tab: true,
    horizontal_arrows: true,
    vertical_arrows: true,
    escape: true,
};

/// The two values of a boolean, side by side. Arrows and Space change it, as do the first letters.
fn truth_ui(ui: &mut Ui, rect: Rect, id: Id, draft: &mut Draft) -> Response {
    let tokens = tokens(ui);
    if std::mem::take(&mut draft.fresh) {
        ui.memory_mut(|memory| memory.request_focus(id));
    }
    let response = ui.interact(rect, id, Sense::click());
    if response.has_focus() {
        ui.memory_mut(|memory| memory.set_focus_lock_filter(id, OWN_KEYS));
        let was = draft.text == "true";
        let on = ui.input(|input| {
            let pressed = |key| input.key_pressed(key);
            match () {
                () if pressed(Key::T) || pressed(Key::ArrowLeft) => true,
                () if pressed(Key::F) || pressed(Key::ArrowRight) => false,
                () if pressed(Key::Space) => !was,
                () => was,
            }
        });
        draft.text = on.to_string();
    }
    let mut x = rect.left();
    for word in ["true", "false"] {
        let chosen = draft.text == word;
        let color = if chosen { tokens.number } else { tokens.muted };
        let line = widgets::line(ui, word, theme::mono(theme::LABEL), color, f32::INFINITY);
        let place = Rect::from_min_size(
            pos2(x, rect.top() + 2.0),
            vec2(line.size().x + 12.0, rect.height() - 4.0),
        );
        let choice = ui.interact(place, id.with(word), Sense::CLICK);
        choice.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, word));
        if choice.clicked() {
            draft.text = word.to_owned();
            ui.memory_mut(|memory| memory.request_focus(id));
        }
        if chosen {
            let radius = CornerRadius::same(theme::RADIUS_KEY);
            ui.painter().rect_filled(place, radius, tokens.selected);
        }
        widgets::paint_line(ui.painter(), pos2(x + 6.0, place.center().y), line);
        x = place.right() + 2.0;
    }
    let (name, on) = (draft.name(), draft.text == "true");
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, on, &name));
    response
}

/// What stands behind the text of a line: its unit, words to choose from, and as what it is read. Answers where the text
/// has to end.
fn controls_ui(ui: &mut Ui, rect: Rect, draft: &mut Draft) -> f32 {
    let tokens = tokens(ui);
    let button = |ui: &mut Ui, right: f32, icon: &str, name: &str| {
        let center = pos2(right - 11.0, rect.center().y);
        let response = small_button(ui, center, name);
        let color = match response.hovered() || response.has_focus() {
            true => tokens.text_strong,
            false => tokens.muted,
        };
        widgets::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, color);
        response
    };
    let mut right = rect.right() - 2.0;
    let (icon, name) = match draft.form {
        Form::Text => (icons::TYPE, "Kind of value: text"),
        Form::Number => (icons::HASH, "Kind of value: number"),
        Form::Truth => (icons::CIRCLE_DOT, "Kind of value: true or false"),
        Form::Json => (icons::BRACES, "Kind of value: JSON"),
    };
    let kind = button(ui, right, icon, name);
    widgets::menu(&widgets::tip(kind, name, &[] as &[&str]), |ui| {
        form_menu(ui, draft);
    });
    right -= 22.0;
    if !draft.choices.is_empty() && draft.form == Form::Text {
        let choose = button(ui, right, icons::CHEVRON_DOWN, "Choose a value");
        widgets::menu(&choose, |ui| choice_menu(ui, draft));
        right -= 22.0;
    }
    if let Some(unit) = draft.unit.filter(|_| draft.form == Form::Number) {
        let font = theme::regular(theme::SMALL);
        let line = widgets::line(ui, unit.name(), font, tokens.muted, f32::INFINITY);
        let width = line.size().x;
        widgets::paint_line_right(ui.painter(), pos2(right - 2.0, rect.center().y), line);
        right -= width + 6.0;
    }
    right - 2.0
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

fn form_menu(ui: &mut Ui, draft: &mut Draft) {
    for form in Form::ALL {
        let icon = if draft.form == form { icons::CHECK } else { "" };
        if widgets::menu_item(ui, icon, form.name(), &[], None).clicked() {
            draft.read_as(form);
            ui.close();
        }
    }
    let larger = widgets::menu_item(ui, icons::UNFOLD_VERTICAL, "In a larger field", &[], None);
    if larger.clicked() {
        if draft.form == Form::Truth {
            draft.read_as(Form::Json);
        }
        draft.size = Size::Sheet;
        draft.fresh = true;
        ui.close();
    }
}

fn choice_menu(ui: &mut Ui, draft: &mut Draft) {
    for word in draft.choices {
        let icon = if draft.text == *word {
            icons::CHECK
        } else {
            ""
        };
        if widgets::menu_item(ui, icon, word, &[], None).clicked() {
            draft.text = (*word).to_owned();
            draft.fresh = true;
            draft.typed();
            ui.close();
        }
    }
}

/// What is wrong with a line, or what happened to its value: below it, over what stands there.
fn told_ui(ui: &Ui, rect: Rect, draft: &Draft) {
    let tokens = tokens(ui);
    if draft.fault.is_none() && draft.remark.is_none() {
        return;
    }
    let room = ui.clip_rect();
    let above = rect.bottom() + 60.0 > room.bottom();
    let (at, pivot) = match above {
        true => (rect.left_top() - vec2(0.0, 2.0), egui::Align2::LEFT_BOTTOM),
        false => (rect.left_bottom() + vec2(0.0, 2.0), egui::Align2::LEFT_TOP),
    };
    let area = egui::Area::new(field_id(draft).with("told"));
    let area = area
        .fixed_pos(at)
        .pivot(pivot)
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
            words_ui(ui, draft);
        });
    });
}

fn words_ui(ui: &mut Ui, draft: &Draft) {
    let tokens = tokens(ui);
    let fault = draft.fault.as_ref();
    let told = [
        (fault, icons::CIRCLE_X, tokens.error),
        (draft.remark.as_ref(), icons::REFRESH_CW, tokens.warning),
    ];
    for (words, icon, color) in told {
        let Some(words) = words else { continue };
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
            paint::icon(ui, icon, theme::ICON, color);
            let text = RichText::new(words).font(theme::regular(theme::LABEL));
            ui.add(Label::new(text.color(color)).wrap());
        });
    }
}

/// Paints a field of several lines with its buttons; the lines are at most `most` high together.
pub(super) fn sheet_ui(ui: &mut Ui, draft: &mut Draft, most: f32) -> Outcome {
    let id = field_id(draft);
    let keys = sheet_keys(ui, id);
    let builder = egui::UiBuilder::new().id_salt(id);
    let shown = ui.scope_builder(builder, |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, theme::ICON_GAP);
        head_ui(ui, draft);
        if let Goal::Member(key) = &mut draft.goal {
            let key_id = id.with("key");
            if std::mem::take(&mut draft.fresh) {
                ui.memory_mut(|memory| memory.request_focus(key_id));
            }
            let field = widgets::Field::new(key_id, "Key of the new member", key).hint("Key");
            field.mono().show(ui, ui.available_width(), |_| {}, |_| {});
        }
        let response = lines_ui(ui, id, draft, most);
        words_ui(ui, draft);
        (response, buttons_ui(ui, draft))
    });
    let (response, pressed) = shown.inner;
    let own = shown.response.rect.expand(4.0);
    keys.or(pressed).unwrap_or_else(|| left(ui, &response, own))
}

fn sheet_keys(ui: &Ui, id: Id) -> Option<Outcome> {
    let focused = ui.memory(|memory| memory.has_focus(id) || memory.has_focus(id.with("key")));
    const KEYS: [(Modifiers, Key, Outcome); 2] = [
        (Modifiers::COMMAND, Key::Enter, Outcome::Apply),
        (Modifiers::NONE, Key::Escape, Outcome::Cancel),
    ];
    focused.then(|| pressed(ui, &KEYS)).flatten()
}

/// What is edited, and as what it is read.
fn head_ui(ui: &mut Ui, draft: &mut Draft) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::CONTROL);
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    ui.allocate_ui_with_layout(size, layout, |ui| {
        let forms = match draft.form {
            Form::Number => &[Form::Text, Form::Number, Form::Json][..],
            _ => &[Form::Text, Form::Json][..],
        };
        let segments: Vec<Segment<'_>> = forms
            .iter()
            .map(|form| {
                let word = match form {
                    Form::Text => "Text",
                    Form::Number => "Number",
                    Form::Truth | Form::Json => "JSON",
                };
                Segment::text(word).name(form.name())
            })
            .collect();
        let chosen = forms.iter().position(|form| *form == draft.form);
        if draft.goal != Goal::Key {
            let pressed = widgets::segmented(ui, &segments, chosen.unwrap_or_default());
            if let Some(form) = pressed.and_then(|index| forms.get(index)) {
                draft.read_as(*form);
            }
        }
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        ui.with_layout(layout, |ui| {
            let name = RichText::new(draft.name()).font(theme::medium(theme::LABEL));
            ui.add(Label::new(name.color(tokens.muted)).truncate());
        });
    });
}

fn lines_ui(ui: &mut Ui, id: Id, draft: &mut Draft, most: f32) -> Response {
    let tokens = tokens(ui);
    let fitting = (most / LINE) as usize;
    let lines = draft.text.lines().count().clamp(3, fitting.max(3));
    freshen(ui, id, draft);
    let name = draft.name();
    let frame = Frame::new()
        .fill(tokens.input)
        .corner_radius(theme::RADIUS_CONTROL)
        .inner_margin(Margin::symmetric(8, 6));
    let shown = frame.show(ui, |ui| {
        let area = ScrollArea::vertical().id_salt(id).max_height(most);
        let area = area.min_scrolled_height(most.min(lines as f32 * LINE));
        let edited = area.show(ui, |ui| {
            let font = match draft.form {
                Form::Text => theme::regular(theme::BODY),
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
                .event_filter(EventFilter {
                    tab: false,
                    ..OWN_KEYS
                });
            edit.show(ui).response.response
        });
        edited.inner
    });
    let response = shown.inner;
    let (stroke, kind) = match (response.has_focus(), &draft.fault) {
        (_, Some(_)) => (Stroke::new(1.0, tokens.error), StrokeKind::Inside),
        (true, None) => (Stroke::new(2.0, tokens.ring), StrokeKind::Middle),
        (false, None) => (Stroke::new(1.0, tokens.line), StrokeKind::Inside),
    };
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    let rect = shown.response.rect;
    ui.painter().rect_stroke(rect, radius, stroke, kind);
    if response.changed() {
        draft.typed();
    }
    response.accessible_name(name)
}

fn buttons_ui(ui: &mut Ui, draft: &Draft) -> Option<Outcome> {
    let mut outcome = None;
    let fault = draft.fault.as_deref().filter(|_| draft.edit().is_err());
    ui.horizontal(|ui| {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect();
        let apply = widgets::Button::primary("Apply").keys(keys(&["Ctrl", "Enter"]));
        if ui.add(apply.show_keys().disabled(fault)).clicked() {
            outcome = Some(Outcome::Apply);
        }
        let cancel = widgets::Button::ghost("Cancel").keys(keys(&["Esc"]));
        if ui.add(cancel.show_keys()).clicked() {
            outcome = Some(Outcome::Cancel);
        }
    });
    outcome
}

/// The sign that a value can be edited, painted while the value is under the pointer. It can always be reached by Tab.
/// True when it was pressed.
pub(super) fn pencil(ui: &mut Ui, center: Pos2, hovered: bool, name: &str) -> bool {
    let tokens = tokens(ui);
    let rect = Rect::from_center_size(center, vec2(20.0, 18.0));
    let response = ui.interact(rect, ui.auto_id_with(("pencil", name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    if hovered || response.hovered() || response.has_focus() {
        let radius = CornerRadius::same(theme::RADIUS_KEY);
        let (fill, color) = match response.hovered() {
            true => (tokens.quiet, tokens.text_strong),
            false => (tokens.raised, tokens.muted),
        };
        ui.painter().rect_filled(rect, radius, fill);
        widgets::paint_icon(ui.painter(), center, icons::PENCIL, theme::ICON_TAG, color);
    }
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, theme::RADIUS_KEY);
    }
    let response = widgets::tip(response, name, &[] as &[&str]);
    response.clicked()
}
