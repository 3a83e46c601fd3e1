//! The keys that the editor handles before egui's text field.

use std::ops::Range;

use egui::text::{CCursor, CCursorRange};
use egui::{Event, FocusDirection, Galley, InputState, Key, Modifiers, Ui, vec2};

use super::find_ui::FindBar;
use super::indent::{self, Shift};
use super::normalized::Splice;
use super::state::{self, EditorState, TabKey};
use crate::theme::TEXT_LINE;
use workbench::StepDirection;

/// The action of a key.
enum KeyAction {
    Leave(FocusDirection),
    Shift(Shift),
    Page(StepDirection, bool),
    Escape,
}

/// Handles the keys of this frame if the text has the focus; returns the changes of the text.
pub(super) fn handle_keys(
    ui: &Ui,
    state: &mut EditorState,
    step: &str,
    galley: &Galley,
) -> Vec<Splice> {
    if !ui.memory(|memory| memory.has_focus(state::field_id())) {
        // Esc applies to one visit of the text: after a return Tab indents again.
        state.tab = TabKey::Indents;
        return Vec::new();
    }
    if ui.input(|input| input.events.iter().any(is_text_interaction)) {
        state.tab = TabKey::Indents;
    }
    let selection = state.selection(ui.ctx()).unwrap_or_default();
    let words = state.buffer.text.get(selection);
    let has_lines = words.is_some_and(|words| words.contains('\n'));
    let (tab, shifts): (_, &[Shift]) = match (state.tab, has_lines) {
        (TabKey::Leaves, _) => (state.tab, &[]),
        // Within a line, egui's text field handles Tab.
        (TabKey::Indents, false) => (state.tab, &[Shift::Out]),
        (TabKey::Indents, true) => (state.tab, &[Shift::Out, Shift::In]),
    };
    match ui.input_mut(|input| read_key(input, shifts)) {
        Some(KeyAction::Leave(to)) => ui.memory_mut(|memory| memory.move_focus(to)),
        Some(KeyAction::Shift(way)) => return shift_lines(ui, state, step, way),
        Some(KeyAction::Page(step, extends)) => move_by_page(ui, state, galley, step, extends),
        Some(KeyAction::Escape) if state.find.bar != FindBar::Closed => {
            state.find.bar = FindBar::Closed;
        }
        Some(KeyAction::Escape) if tab == TabKey::Indents => state.tab = TabKey::Leaves,
        Some(KeyAction::Escape) => {
            ui.memory_mut(|memory| memory.surrender_focus(state::field_id()));
        }
        None => {}
    }
    Vec::new()
}

/// Returns whether an event works on the text, so that Tab indents again.
fn is_text_interaction(event: &Event) -> bool {
    match event {
        Event::Text(_) | Event::Paste(_) | Event::Cut => true,
        Event::Key { key, pressed, .. } => *pressed && !matches!(key, Key::Tab | Key::Escape),
        Event::PointerButton { pressed, .. } => *pressed,
        _ => false,
    }
}

fn read_key(input: &mut InputState, shifts: &[Shift]) -> Option<KeyAction> {
    let mut take = |modifiers, key| input.consume_key(modifiers, key);
    // Ctrl+Tab also matches Ctrl+Shift+Tab, so the latter comes first.
    if take(Modifiers::CTRL | Modifiers::SHIFT, Key::Tab) {
        return Some(KeyAction::Leave(FocusDirection::Previous));
    }
    if take(Modifiers::CTRL, Key::Tab) {
        return Some(KeyAction::Leave(FocusDirection::Next));
    }
    for shift in shifts {
        let tab_modifiers = match shift {
            Shift::Out => Modifiers::SHIFT,
            Shift::In => Modifiers::NONE,
        };
        // Tab also matches Shift+Tab, so Shift+Tab comes first.
        if take(tab_modifiers, Key::Tab) {
            return Some(KeyAction::Shift(*shift));
        }
    }
    for (key, step) in
        [(Key::PageDown, StepDirection::Next), (Key::PageUp, StepDirection::Previous)]
    {
        // With Shift first, since a key without modifiers matches with Shift, too.
        if take(Modifiers::SHIFT, key) {
            return Some(KeyAction::Page(step, true));
        }
        if take(Modifiers::NONE, key) {
            return Some(KeyAction::Page(step, false));
        }
    }
    take(Modifiers::NONE, Key::Escape).then_some(KeyAction::Escape)
}

fn shift_lines(ui: &Ui, state: &mut EditorState, step: &str, direction: Shift) -> Vec<Splice> {
    let text = &state.buffer.text;
    let selection = state.selection(ui.ctx()).unwrap_or_default();
    let changes = indent::shift(text, selection.clone(), step, direction);
    let end = position_after(&changes, selection.end);
    // A mere caret stays a caret, behind the inserted step.
    let start = if selection.is_empty() {
        end
    } else {
        // The text that is inserted in the first line of a selection is also selected.
        position_after(&changes, selection.start).min(selection.start)
    };
    if !changes.is_empty() {
        state.next_selection = Some(start..end.max(start));
    }
    changes
}

/// Returns a position after these changes, which are in the order of the text.
fn position_after(changes: &[Splice], at: usize) -> usize {
    let mut new_position = at;
    for (Range { start, end }, new) in changes {
        if *start > at {
            break;
        }
        new_position = new_position + new.len() - (at.min(*end) - start);
    }
    new_position
}

/// Moves the caret by one page.
fn move_by_page(ui: &Ui, state: &EditorState, galley: &Galley, step: StepDirection, extends: bool) {
    let edit_state = egui::text_edit::TextEditState::load(ui.ctx(), state::field_id());
    let cursor = edit_state.and_then(|state| state.cursor.char_range()).unwrap_or_default();
    let at = galley.pos_from_cursor(cursor.primary).left_center();
    // One line of the previous page stays visible.
    let distance = state.page.saturating_sub(1).max(1) as f32 * TEXT_LINE;
    let distance = match step {
        StepDirection::Next => distance,
        StepDirection::Previous => -distance,
    };
    let caret: CCursor = galley.cursor_from_pos(at.to_vec2() + vec2(0.0, distance));
    let cursor =
        if extends { CCursorRange::two(cursor.secondary, caret) } else { CCursorRange::one(caret) };
    state::set_cursor(ui.ctx(), cursor);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_move_with_the_lines() {
        let changes = indent::shift("a\n  b\nc", 0..7, "  ", Shift::In);
        assert_eq!([0, 1, 4, 7].map(|at| position_after(&changes, at)), [2, 3, 8, 13]);
        let changes = indent::shift("  a\n b", 0..6, "  ", Shift::Out);
        assert_eq!([0, 1, 2, 3, 6].map(|at| position_after(&changes, at)), [0, 0, 0, 1, 3]);
    }
}
