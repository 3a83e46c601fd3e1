//! The keys that the editor handles before egui's text field.

use std::ops::Range;

use egui::text::{CCursor, CCursorRange};
use egui::{Event, FocusDirection, Galley, InputState, Key, Modifiers, Ui, vec2};

use super::find_ui::Bar;
use super::indent::{self, Shift};
use super::shown::Splice;
use super::state::{self, EditorState, Tab};
use crate::ui::theme::TEXT_LINE;
use crate::workbench::Step;

/// The action of a key.
enum Press {
    Leave(FocusDirection),
    Shift(Shift),
    Page(Step, Extend),
    Escape,
}

/// Whether the selection is extended when the caret moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extend {
    No,
    Yes,
}

/// Handles the keys of this frame if the text has the focus; returns the changes of the text.
pub(super) fn take(ui: &Ui, state: &mut EditorState, step: &str, galley: &Galley) -> Vec<Splice> {
    if !ui.memory(|memory| memory.has_focus(state::field())) {
        state.tab = Tab::Indents;
        return Vec::new();
    }
    if ui.input(|input| input.events.iter().any(is_work)) {
        state.tab = Tab::Indents;
    }
    let selected = state.selection(ui.ctx()).unwrap_or_default();
    let words = state.buffer.text.get(selected);
    let has_lines = words.is_some_and(|words| words.contains('\n'));
    let (tab, shifts): (_, &[Shift]) = match (state.tab, has_lines) {
        (Tab::Leaves, _) => (state.tab, &[]),
        // Within a line, egui's text field handles Tab.
        (Tab::Indents, false) => (state.tab, &[Shift::Out]),
        (Tab::Indents, true) => (state.tab, &[Shift::Out, Shift::In]),
    };
    match ui.input_mut(|input| press(input, shifts)) {
        Some(Press::Leave(to)) => ui.memory_mut(|memory| memory.move_focus(to)),
        Some(Press::Shift(way)) => return shift(ui, state, step, way),
        Some(Press::Page(step, extend)) => page(ui, state, galley, step, extend),
        Some(Press::Escape) if state.find.bar != Bar::Closed => state.find.bar = Bar::Closed,
        Some(Press::Escape) if tab == Tab::Indents => state.tab = Tab::Leaves,
        Some(Press::Escape) => {
            ui.memory_mut(|memory| memory.surrender_focus(state::field()));
        }
        None => {}
    }
    Vec::new()
}

/// Returns whether an event works on the text, so that Tab indents again.
fn is_work(event: &Event) -> bool {
    match event {
        Event::Text(_) | Event::Paste(_) | Event::Cut => true,
        Event::Key { key, pressed, .. } => *pressed && !matches!(key, Key::Tab | Key::Escape),
        Event::PointerButton { pressed, .. } => *pressed,
        _ => false,
    }
}

fn press(input: &mut InputState, shifts: &[Shift]) -> Option<Press> {
    let mut take = |modifiers, key| input.consume_key(modifiers, key);
    if take(Modifiers::CTRL | Modifiers::SHIFT, Key::Tab) {
        return Some(Press::Leave(FocusDirection::Previous));
    }
    if take(Modifiers::CTRL, Key::Tab) {
        return Some(Press::Leave(FocusDirection::Next));
    }
    for shift in shifts {
        let held = match shift {
            Shift::Out => Modifiers::SHIFT,
            Shift::In => Modifiers::NONE,
        };
        // Tab also matches Shift+Tab, so Shift+Tab comes first.
        if take(held, Key::Tab) {
            return Some(Press::Shift(*shift));
        }
    }
    for (key, step) in [(Key::PageDown, Step::Next), (Key::PageUp, Step::Previous)] {
        if take(Modifiers::SHIFT, key) {
            return Some(Press::Page(step, Extend::Yes));
        }
        if take(Modifiers::NONE, key) {
            return Some(Press::Page(step, Extend::No));
        }
    }
    take(Modifiers::NONE, Key::Escape).then_some(Press::Escape)
}

fn shift(ui: &Ui, state: &mut EditorState, step: &str, way: Shift) -> Vec<Splice> {
    let text = &state.buffer.text;
    let selected = state.selection(ui.ctx()).unwrap_or_default();
    let changes = indent::shift(text, selected.clone(), step, way);
    let end = moved(&changes, selected.end);
    let start = if selected.is_empty() {
        end
    } else {
        // The text that is inserted in the first line of a selection is also selected.
        moved(&changes, selected.start).min(selected.start)
    };
    if !changes.is_empty() {
        state.wanted = Some(start..end.max(start));
    }
    changes
}

/// Returns a position after these changes, which are in the order of the text.
fn moved(changes: &[Splice], at: usize) -> usize {
    let mut after = at;
    for (Range { start, end }, new) in changes {
        if *start > at {
            break;
        }
        after = after + new.len() - (at.min(*end) - start);
    }
    after
}

/// Moves the caret by one page.
fn page(ui: &Ui, state: &EditorState, galley: &Galley, step: Step, extend: Extend) {
    let loaded = egui::text_edit::TextEditState::load(ui.ctx(), state::field());
    let cursor = loaded.and_then(|state| state.cursor.char_range());
    let cursor = cursor.unwrap_or_default();
    let at = galley.pos_from_cursor(cursor.primary).left_center();
    let by = state.page.saturating_sub(1).max(1) as f32 * TEXT_LINE;
    let by = match step {
        Step::Next => by,
        Step::Previous => -by,
    };
    let caret: CCursor = galley.cursor_from_pos(at.to_vec2() + vec2(0.0, by));
    let cursor = match extend {
        Extend::No => CCursorRange::one(caret),
        Extend::Yes => CCursorRange::two(cursor.secondary, caret),
    };
    state::set_cursor(ui.ctx(), cursor);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_move_with_the_lines() {
        let changes = indent::shift("a\n  b\nc", 0..7, "  ", Shift::In);
        assert_eq!([0, 1, 4, 7].map(|at| moved(&changes, at)), [2, 3, 8, 13]);
        let changes = indent::shift("  a\n b", 0..6, "  ", Shift::Out);
        assert_eq!(
            [0, 1, 2, 3, 6].map(|at| moved(&changes, at)),
            [0, 0, 0, 1, 3]
        );
    }
}
