//! State of the editor that is kept between frames.

use std::ops::Range;

use egui::text::CCursorRange;
use egui::text_edit::TextEditState;
use egui::util::undoer::{Settings, Undoer};
use egui::{Context, Id};

use super::buffer::{self, Buffer};
use super::editor_data::{EditorData, EditorText};
use super::find_ui::FindState;
use super::text_layout::TextLayout;
use crate::code::{CodeFocus, CodeState};
use document::Severity;
use document::text::{Span, TextEdit};
use protocol::DocId;

/// Returns the id of the text field.
pub(super) fn field_id() -> Id {
    crate::fields::text()
}

/// State of the editor that is kept between frames: the text being edited, the next selection, and the search.
#[derive(Default)]
pub struct EditorState {
    doc: Option<DocId>,
    pub(super) buffer: Buffer,
    pub(super) layout: Option<TextLayout>,
    pub(super) find: FindState,
    /// State of the code view that is shown in place of a read-only text.
    pub(super) code: CodeState,
    /// The selected bytes while egui's text field does not know them: it forgets them when it loses the focus.
    pub(super) selected: Option<Range<usize>>,
    /// The bytes to select and to scroll into view in the next frame.
    pub(super) next_selection: Option<Range<usize>>,
    /// The bytes to scroll into view in this frame.
    pub(super) reveal: Option<Range<usize>>,
    pub(super) highlighted_place: Option<HighlightedPlace>,
    pub(super) tab: TabKey,
    /// Something was typed, and the end of typing was not reported yet.
    pub(super) typing: bool,
    /// The selection at the end of the last frame.
    pub(super) caret: Option<CCursorRange>,
    /// Whether the caret moved since the last frame.
    pub(super) caret_moved: bool,
    /// Number of lines on screen.
    pub(super) page: usize,
}

/// Effect of the Tab key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TabKey {
    /// Indents lines.
    #[default]
    Indents,
    /// Moves the focus out of the text, after Esc.
    Leaves,
}

/// The place that was requested to be shown, with its message. It moves with the text.
#[derive(Clone, Debug)]
pub(super) struct HighlightedPlace {
    span: Span,
    /// Its bytes in the normalized text.
    pub(super) range: Range<usize>,
    pub(super) message: Option<String>,
    pub(super) severity: Option<Severity>,
    /// Whether the view was scrolled to it.
    pub(super) seen: bool,
    edited: bool,
}

impl EditorState {
    /// Returns a hint on how to leave the text with the keyboard, while the text has the focus.
    pub fn hint(&self, ctx: &Context) -> Option<&'static str> {
        ctx.memory(|memory| memory.has_focus(field_id())).then_some(match self.tab {
            TabKey::Indents => "Esc, then Tab to leave the text",
            TabKey::Leaves => "Tab to leave the text",
        })
    }

    /// Updates the text. The caret keeps its place in the text.
    pub(super) fn sync(&mut self, ctx: &Context, data: &EditorData, text: &EditorText) {
        let normalized_text = &text.normalized.text;
        if self.doc != Some(data.doc) {
            // The query stays for the next file, as do the open bar and the size of a page.
            *self = Self {
                doc: Some(data.doc),
                find: std::mem::take(&mut self.find),
                page: self.page,
                ..Self::default()
            };
            self.buffer.text = normalized_text.to_owned();
            self.find.clear_matches();
            // One id serves all files: without this, the caret of the previous file would appear in this one.
            TextEditState::default().store(ctx, field_id());
        }
        self.reveal = None;
        self.buffer.step.clone_from(&text.indent);
        let next_selection = self.next_selection.take();
        if let Some(edit) = TextEdit::between(&self.buffer.text, normalized_text) {
            let selection = self.selection(ctx);
            self.buffer.text = normalized_text.to_owned();
            self.find.clear_matches();
            self.move_highlighted_place(&edit);
            self.selected =
                selection.map(|range| edit.map_offset(range.start)..edit.map_offset(range.end));
            // Show the user what the undo changed.
            let end = edit.map_offset(edit.range.end);
            // Without the focus the change was made elsewhere, and the view must not move.
            self.reveal = ctx.memory(|memory| memory.has_focus(field_id())).then_some(end..end);
        }
        if next_selection.is_some() {
            self.selected = next_selection.clone();
            self.reveal = next_selection;
        }
    }

    /// Updates the place to show and moves the caret there. The same place again changes nothing.
    pub(super) fn highlight(&mut self, data: &EditorData, text: &EditorText, focus: CodeFocus<'_>) {
        if self.highlighted_place.as_ref().map(|place| place.span) != focus.span {
            let range = |span: Span| {
                text.normalized.text_offset(span.start as usize)
                    ..text.normalized.text_offset(span.end as usize)
            };
            if let Some(start) = focus.span.map(|target| range(target).start) {
                self.selected = Some(start..start);
            }
            self.highlighted_place = focus.span.map(|target| HighlightedPlace {
                span: target,
                range: range(target),
                message: focus.message.map(str::to_owned),
                severity: focus.severity,
                seen: false,
                edited: false,
            });
        }
        // The message of a problem is shown until the problem is fixed.
        if let Some(place) = self.highlighted_place.as_mut().filter(|place| place.edited)
            && let Some(message) = &place.message
        {
            let mut marks = data.code.marks.iter();
            // After a parse a problem is recognized by its message, since its place may have moved.
            if !marks.any(|mark| *mark.message == **message) {
                place.message = None;
            }
        }
    }

    pub(super) fn move_highlighted_place(&mut self, edit: &TextEdit) {
        if let Some(place) = &mut self.highlighted_place {
            let start = edit.map_start(place.range.start);
            place.range = start..edit.map_offset(place.range.end).max(start);
            place.edited = true;
        }
    }

    /// Returns the selected bytes of the normalized text; an empty range is the caret.
    pub(super) fn selection(&self, ctx: &Context) -> Option<Range<usize>> {
        let in_field = || {
            let cursor = TextEditState::load(ctx, field_id())?.cursor.char_range()?;
            Some(buffer::selected(&self.buffer.text, cursor))
        };
        // What waits for the field is newer than the selection in the field.
        self.selected.clone().or_else(in_field)
    }

    /// Passes the selection to egui's text field once it has the focus.
    pub(super) fn give_selection(&mut self, ctx: &Context) {
        if ctx.memory(|memory| memory.has_focus(field_id()))
            && let Some(range) = self.selected.take()
        {
            set_cursor(ctx, buffer::selection(&self.buffer.text, &range));
        }
    }
}

/// Sets the caret or selection.
pub(super) fn set_cursor(ctx: &Context, cursor: CCursorRange) {
    let mut state = TextEditState::load(ctx, field_id()).unwrap_or_default();
    state.cursor.set_char_range(Some(cursor));
    state.store(ctx, field_id());
}

/// Disables egui's undo: the owner of the text handles undo.
pub(super) fn forget_undo(ctx: &Context) {
    let mut state = TextEditState::load(ctx, field_id()).unwrap_or_default();
    state.set_undoer(Undoer::with_settings(Settings { max_undos: 0, ..Settings::default() }));
    state.store(ctx, field_id());
}
