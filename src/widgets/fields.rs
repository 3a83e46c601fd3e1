//! The egui ids of fields that commands can focus, and the caret in a field.

use egui::text::CCursor;
use egui::text_selection::CCursorRange;
use egui::{Id, Response, TextEdit, Ui};

/// The filter of the library.
pub fn filter() -> Id {
    Id::unique("library filter")
}

/// The filter of the seeds.
pub fn seeds() -> Id {
    Id::unique("seeds filter")
}

/// A field whose input is written to the document immediately, by its place in the document.
pub fn live(pointer: &str, name: &str) -> Id {
    Id::unique(("live field", pointer, name))
}

/// Gives the focus to a control if no control has it.
pub fn focus_first(ui: &Ui, response: &Response) {
    if ui.memory(|memory| memory.focused().is_none()) {
        response.request_focus();
    }
}

/// Marks a control that passes typed text to a field or belongs to one, so that letters and Esc are no commands while it has the
/// focus.
pub fn mark_typed(ctx: &egui::Context, id: Id) {
    ctx.data_mut(|data| data.insert_temp(id.with("is typed"), true));
}

/// Returns whether the focused control passes typed text to a field.
pub fn is_in_typed(ctx: &egui::Context) -> bool {
    let focus = ctx.memory(|memory| memory.focused());
    focus.is_some_and(|id| ctx.data(|data| data.get_temp(id.with("is typed")) == Some(true)))
}

/// Marks a field as live: undo acts on the document, not on the field.
pub fn mark_live(ctx: &egui::Context, id: Id) {
    ctx.data_mut(|data| data.insert_temp(id.with("is live"), true));
}

/// Returns whether the focused field is live.
pub fn is_in_live(ctx: &egui::Context) -> bool {
    let focus = ctx.memory(|memory| memory.focused());
    focus.is_some_and(|id| ctx.data(|data| data.get_temp(id.with("is live")) == Some(true)))
}

/// The text of a file.
pub fn text() -> Id {
    Id::unique("text of a file")
}

/// Moves the caret after a text that was not typed, so that typing continues there.
pub fn caret_to_end(ui: &Ui, id: Id, text: &str) {
    // A field that was not painted yet has no state; the caret must be right in its first frame.
    let mut state = TextEdit::load_state(ui.ctx(), id).unwrap_or_default();
    // egui counts carets in characters, not in bytes.
    state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(text.chars().count()))));
    TextEdit::store_state(ui.ctx(), id, state);
}
