//! What the editor remembers between frames.

use std::ops::Range;

use egui::text::CCursorRange;
use egui::text_edit::TextEditState;
use egui::util::undoer::{Settings, Undoer};
use egui::{Context, Id};

use super::buffer::{self, Buffer};
use super::data::{EditorData, EditorText};
use super::find_ui::Find;
use super::laid::Laid;
use crate::format::Severity;
use crate::text::{Span, TextEdit};
use crate::ui::code::{CodeState, Focus};
use crate::workbench::DocId;

/// The text's field, for the focus.
pub(super) fn field() -> Id {
    crate::ui::fields::text()
}

/// What the editor remembers between frames: the text as it is being edited, where the caret goes next, what is looked for.
#[derive(Default)]
pub struct EditorState {
    doc: Option<DocId>,
    pub(super) buffer: Buffer,
    pub(super) laid: Option<Laid>,
    pub(super) find: Find,
    /// The state of what is shown in place of a text that is not edited.
    pub(super) code: CodeState,
    /// The bytes that are selected, where egui's field does not know it: it forgets them while the keyboard is elsewhere.
    pub(super) selected: Option<Range<usize>>,
    /// The bytes to select and to bring into view in the next frame.
    pub(super) wanted: Option<Range<usize>>,
    /// The bytes to bring into view in this frame.
    pub(super) reveal: Option<Range<usize>>,
    pub(super) told: Option<Told>,
    pub(super) tab: Tab,
    /// Something was typed, and nobody was told yet that it ended.
    pub(super) typing: bool,
    /// What was selected at the end of the frame before.
    pub(super) caret: Option<CCursorRange>,
    /// The caret is not where it was in the frame before.
    pub(super) caret_moved: bool,
    /// How many lines were on screen.
    pub(super) page: usize,
}

/// What the Tab key does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tab {
    /// Moves lines.
    #[default]
    Indents,
    /// Leads out of the text, after Esc.
    Leaves,
}

/// The place somebody asked to see, and what is said of it. It moves with the text.
#[derive(Clone, Debug)]
pub(super) struct Told {
    asked: Span,
    /// Its bytes in the shown text.
    pub(super) range: Range<usize>,
    pub(super) message: Option<String>,
    pub(super) severity: Option<Severity>,
    /// The view was moved to it.
    pub(super) seen: bool,
    edited: bool,
}

impl EditorState {
    /// A word on how the keyboard leaves the text, while it is in it.
    pub fn hint(&self, ctx: &Context) -> Option<&'static str> {
        let inside = ctx.memory(|memory| memory.has_focus(field()));
        inside.then_some(match self.tab {
            Tab::Indents => "Esc, then Tab to leave the text",
            Tab::Leaves => "Tab to leave the text",
        })
    }

    /// Takes over what the text is now. The caret stays where it was in it.
    pub(super) fn follow(&mut self, ctx: &Context, data: &EditorData, text: &EditorText) {
        let shown = text.shown.text();
        if self.doc != Some(data.doc) {
            *self = Self {
                doc: Some(data.doc),
                find: std::mem::take(&mut self.find),
                page: self.page,
                ..Self::default()
            };
            self.buffer.text = shown.to_owned();
            self.find.outdated();
            TextEditState::default().store(ctx, field());
        }
        self.reveal = None;
        self.buffer.step.clone_from(&text.indent);
        let wanted = self.wanted.take();
        if let Some(edit) = TextEdit::between(&self.buffer.text, shown) {
            let selected = self.selection(ctx);
            self.buffer.text = shown.to_owned();
            self.find.outdated();
            self.move_told(&edit);
            self.selected = selected.map(|range| edit.follow(range.start)..edit.follow(range.end));
            // Whoever undoes sees what it was.
            let end = edit.follow(edit.range.end);
            let inside = ctx.memory(|memory| memory.has_focus(field()));
            self.reveal = inside.then_some(end..end);
        }
        if wanted.is_some() {
            self.selected = wanted.clone();
            self.reveal = wanted;
        }
    }

    /// Takes over the place to show, and puts the caret there. The same place again changes nothing.
    pub(super) fn tell(&mut self, data: &EditorData, text: &EditorText, focus: Focus<'_>) {
        if self.told.as_ref().map(|told| told.asked) != focus.span {
            let range =
                |span: Span| text.shown.at(span.start as usize)..text.shown.at(span.end as usize);
            if let Some(start) = focus.span.map(|asked| range(asked).start) {
                self.selected = Some(start..start);
            }
            self.told = focus.span.map(|asked| Told {
                asked,
                range: range(asked),
                message: focus.message.map(str::to_owned),
                severity: focus.severity,
                seen: false,
                edited: false,
            });
        }
        // What was wrong is said until it is not wrong any more.
        if let Some(told) = self.told.as_mut().filter(|told| told.edited)
            && let Some(message) = &told.message
        {
            let mut marks = data.code.marks.iter();
            if !marks.any(|mark| *mark.message == **message) {
                told.message = None;
            }
        }
    }

    pub(super) fn move_told(&mut self, edit: &TextEdit) {
        if let Some(told) = &mut self.told {
            let start = edit.follow_start(told.range.start);
            told.range = start..edit.follow(told.range.end).max(start);
            told.edited = true;
        }
    }

    /// What is selected, in bytes of the shown text; the caret, where it holds none.
    pub(super) fn selection(&self, ctx: &Context) -> Option<Range<usize>> {
        let in_field = || {
            let cursor = TextEditState::load(ctx, field())?.cursor.char_range()?;
            Some(buffer::selected(&self.buffer.text, cursor))
        };
        self.selected.clone().or_else(in_field)
    }

    /// Gives egui's field the selection, once the keyboard is in it.
    pub(super) fn give_selection(&mut self, ctx: &Context) {
        if ctx.memory(|memory| memory.has_focus(field()))
            && let Some(range) = self.selected.take()
        {
            set_cursor(ctx, buffer::selection(&self.buffer.text, &range));
        }
    }
}

/// Puts the caret somewhere.
pub(super) fn set_cursor(ctx: &Context, cursor: CCursorRange) {
    let mut state = TextEditState::load(ctx, field()).unwrap_or_default();
    state.cursor.set_char_range(Some(cursor));
    state.store(ctx, field());
}

/// Keeps egui from taking edits back: that is for whoever owns the text.
pub(super) fn forget_undo(ctx: &Context) {
    let mut state = TextEditState::load(ctx, field()).unwrap_or_default();
    state.set_undoer(Undoer::with_settings(Settings {
        max_undos: 0,
        ..Settings::default()
    }));
    state.store(ctx, field());
}
