//! Shared parts of value fields: keys, focus, messages, and the edit button.

use egui::text::CCursorRange;
use egui::{
    CornerRadius, EventFilter, Id, Key, Label, Modifiers, Pos2, Rect, Response, Role, Sense,
    TextEdit, Ui, WidgetInfo, vec2,
};

use super::drafts::DraftOutcome;
use super::edit::{DraftSize, DraftTarget, ValueDraft};
use super::paint;
use widgets::code::sentence;
use widgets::icons;
use widgets::theme::{self, tokens};

/// Line height of a multi-line field.
pub(super) const LINE_HEIGHT: f32 = 16.0;

pub(super) fn outcome_for_keys(
    ui: &Ui,
    keys: &[(Modifiers, Key, DraftOutcome)],
) -> Option<DraftOutcome> {
    ui.input_mut(|input| {
        let mut keys = keys.iter();
        keys.find(|(modifiers, key, _)| input.consume_key(*modifiers, *key))
            .map(|(_, _, outcome)| *outcome)
    })
}

/// Returns the outcome when the user clicks elsewhere or another field takes the focus: valid input is applied.
pub(super) fn outcome_of_focus_loss(
    ui: &Ui,
    response: &Response,
    field_rect: Rect,
) -> DraftOutcome {
    // A menu of the field takes the focus without ending the input.
    if !widgets::has_lost_focus(response) || egui::Popup::is_any_open(ui.ctx()) {
        return DraftOutcome::Open;
    }
    let press_position =
        ui.input(|input| input.pointer.interact_pos().filter(|_| input.pointer.any_pressed()));
    let focus = ui.memory(|memory| memory.focused()).and_then(|id| ui.ctx().read_response(id));
    let position = press_position.or(focus.map(|r| r.rect.center()));
    // The buttons beside the input belong to the field.
    let is_outside = position.is_some_and(|p| !field_rect.contains(p));
    if is_outside { DraftOutcome::LostFocus } else { DraftOutcome::Open }
}

/// Returns the egui id of a draft's field.
pub(super) fn field_id(draft: &ValueDraft) -> Id {
    // A value and its key may be edited at the same time, and need different ids.
    let goal = std::mem::discriminant(&draft.target);
    Id::unique(("value", &draft.path, &draft.pointer, goal))
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
pub(super) fn pencil(ui: &mut Ui, center: Pos2, is_hovered: bool, name: &str) -> bool {
    let tokens = tokens(ui);
    let rect = Rect::from_center_size(center, vec2(20.0, 18.0));
    let response = ui.interact(rect, ui.auto_id_with(("pencil", name)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, name));
    if is_hovered || response.hovered() || response.has_focus() {
        let radius = CornerRadius::same(theme::RADIUS_KEY);
        let (idle_colors, hover_colors) =
            ((tokens.raised, tokens.muted), (tokens.quiet, tokens.text_strong));
        let (fill, color) = if response.hovered() { hover_colors } else { idle_colors };
        ui.painter().rect_filled(rect, radius, fill);
        widgets::paint_icon(ui.painter(), center, icons::PENCIL, theme::ICON_TAG, color);
    }
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, theme::RADIUS_KEY);
    }
    widgets::tip(response, name, &[] as &[&str]).clicked()
}
/// Paints the error and the remark of a draft.
pub(super) fn messages_ui(ui: &mut Ui, draft: &ValueDraft) {
    let tokens = tokens(ui);
    let fault = draft.error.as_ref();
    let messages = [
        (fault, icons::CIRCLE_X, tokens.error),
        (draft.remark.as_ref(), icons::REFRESH_CW, tokens.warning),
    ];
    for (words, icon, color) in messages {
        let Some(words) = words else { continue };
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = theme::ICON_GAP;
            paint::icon(ui, icon, theme::ICON, color);
            let font = theme::regular(theme::LABEL);
            let text = sentence(words, font, color, tokens.text_strong, ui.available_width());
            ui.add(Label::new(text).wrap());
        });
    }
}
