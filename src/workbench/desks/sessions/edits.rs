//! Edits of the selected session.

use super::{FormCursor, Panel, SessionView, SessionsDesk};
use crate::core::Core;
use crate::core::editing::HistoryMode;
use author::session::{InjectedFault, SessionEdit};
use check::change::Change;
use document::Severity;
use protocol::{DocId, PlannedChange, PlannedEdit, Revision, SessionId};

/// The edit in progress, and the original tool responses before faults were injected.
#[derive(Debug, Default)]
pub(super) struct Edits {
    pending: Option<PendingSessionEdit>,
    /// The original tool responses, found by the text with the fault, wherever it is now.
    originals: Vec<OriginalResponse>,
}

/// An edit in progress.
#[derive(Debug)]
struct PendingSessionEdit {
    doc: DocId,
    base: Revision,
    edit: SessionEdit,
    mode: HistoryMode,
}

/// A tool response before a fault was injected.
#[derive(Debug)]
struct OriginalResponse {
    doc: DocId,
    /// Its text with the fault.
    faulty: String,
    /// Its text before.
    text: String,
}

impl Edits {
    /// Whether a tool response is being added.
    pub(super) fn is_adding(&self) -> bool {
        let pending = self.pending.as_ref();
        pending.is_some_and(|pending| matches!(pending.edit, SessionEdit::Add(..)))
    }

    /// The latest original of this text.
    fn original(&self, doc: DocId, faulty: &str) -> Option<&str> {
        let found = self.originals.iter().rev().find(|it| it.doc == doc && it.faulty == faulty)?;
        Some(&found.text)
    }
}

impl SessionsDesk {
    /// Whether an edit is in progress.
    pub fn is_editing(&self) -> bool {
        self.edits.pending.is_some()
    }

    pub(super) fn edit(&mut self, core: &mut Core, base: Revision, edit: SessionEdit) {
        // The step must not become part of the text typed before.
        core.journal.end_typing();
        self.request_edit(core, base, edit, HistoryMode::Step);
    }

    pub(super) fn type_text(&mut self, core: &mut Core, base: Revision, edit: SessionEdit) {
        self.request_edit(core, base, edit, HistoryMode::Typed);
    }

    fn request_edit(
        &mut self,
        core: &mut Core,
        base: Revision,
        edit: SessionEdit,
        how: HistoryMode,
    ) {
        let Some(doc) = self.selected.as_ref().map(|id| id.doc) else { return };
        if self.is_editing() {
            // Typed text is sent again by the field.
            if how == HistoryMode::Step {
                core.refuse(Severity::Warning, "Another edit is in progress. Try again.");
            }
            return;
        }
        if !core.begin_edit(doc, base) {
            return;
        }
        self.edits.pending = Some(PendingSessionEdit { doc, base, edit: edit.clone(), mode: how });
        core.request(core.plan_change(doc, Change::Session(edit)));
    }

    pub(crate) fn on_planned(&mut self, core: &mut Core, planned: PlannedChange) {
        let (doc, base) = planned.first;
        let pending = self
            .edits
            .pending
            .take()
            .filter(|pending| (pending.doc, Some(pending.base)) == (doc, base));
        if let (Some(pending), [edit]) = (&pending, planned.edits.as_slice()) {
            self.remember_original(core, pending, edit);
            self.move_cursor_after(core, &pending.edit);
        }
        let mode = pending.map_or(HistoryMode::Step, |pending| pending.mode);
        core.on_edit_planned(planned, mode);
    }

    /// Remembers the original tool response, so that the fault can be removed.
    fn remember_original(
        &mut self,
        core: &mut Core,
        pending: &PendingSessionEdit,
        planned: &PlannedEdit,
    ) {
        let SessionEdit::Fault(pointer, _) = &pending.edit else { return };
        let now = core.library.document(pending.doc);
        let before = now.and_then(|document| document.tree.at_pointer(pointer));
        let after = planned.parsed.document.tree.at_pointer(pointer);
        let (Some(before), Some(after)) = (before, after) else { return };
        let edits = &self.edits;
        // A second fault must not replace the original, which is from before the first one.
        let first = edits.original(pending.doc, before.raw());
        let before = OriginalResponse {
            doc: pending.doc,
            faulty: after.raw().to_owned(),
            text: first.unwrap_or(before.raw()).to_owned(),
        };
        self.edits.originals.push(before);
    }

    /// Moves the cursor to the edited tool response.
    fn move_cursor_after(&mut self, core: &mut Core, edit: &SessionEdit) {
        let at = match edit {
            SessionEdit::Move(_, to) => Some(*to),
            // The user edits the tool name of the new response next.
            SessionEdit::Add(_, at) => return self.edit_tool(*at),
            SessionEdit::Duplicate(pointer) => index_of(pointer).map(|at| at + 1),
            SessionEdit::Delete(pointer) => {
                self.panel = None;
                // One response is gone, and rows are counted from 0, so the last row is the old count less two.
                let last = self.responses(core).saturating_sub(2);
                index_of(pointer).map(|at| at.min(last))
            }
            _ => return,
        };
        self.cursor = at.map(FormCursor::Response);
    }

    /// Injects a fault into the tool response under the cursor, or removes it.
    pub(super) fn put_fault(&mut self, core: &mut Core, fault: Option<InjectedFault>) {
        let Some((pointer, base)) = self.response_under_cursor(core) else { return };
        let edit = match fault {
            Some(fault) => SessionEdit::Fault(pointer, fault),
            None => match self.original_response(core) {
                Some(text) => SessionEdit::Restore(pointer, text),
                None => {
                    core.notify(Severity::Note, NO_ORIGINAL);
                    return;
                }
            },
        };
        self.edit(core, base, edit);
    }

    /// The original of the tool response under the cursor; `None` if it is unknown or unchanged.
    pub fn original_response(&self, core: &Core) -> Option<String> {
        let (id, at) = self.cursor()?;
        let pointer = response_pointer(id, at);
        let now = core.library.document(id.doc)?.tree.at_pointer(&pointer)?;
        self.edits.original(id.doc, now.raw()).map(str::to_owned)
    }

    fn cursor(&self) -> Option<(&SessionId, usize)> {
        let id = self.selected.as_ref()?;
        Some((id, self.response()?))
    }

    fn response_under_cursor(&self, core: &Core) -> Option<(String, Revision)> {
        let (id, at) = self.cursor()?;
        let (_, base) = core.library.text(id.doc)?;
        Some((response_pointer(id, at), base))
    }

    /// Edits the tool response under the cursor.
    pub(crate) fn edit_response(
        &mut self,
        core: &mut Core,
        edit: impl FnOnce(String, usize) -> Option<SessionEdit>,
    ) {
        let at = self.response();
        if let (Some((pointer, base)), Some(at)) = (self.response_under_cursor(core), at)
            && let Some(edit) = edit(pointer, at)
        {
            self.edit(core, base, edit);
        }
    }

    /// Adds a tool response after the one under the cursor, else at the end.
    pub(crate) fn add_response(&mut self, core: &mut Core) {
        let Some(id) = self.selected.clone() else { return };
        let Some((_, base)) = core.library.text(id.doc) else { return };
        let at = self.response().map_or(self.responses(core), |at| at + 1);
        self.edit(core, base, SessionEdit::Add(id.pointer.to_string(), at));
    }

    /// Returns whether the tool response under the cursor has another one above (-1) or below it (1).
    pub(crate) fn can_move_response(&self, core: &Core, by: isize) -> bool {
        let to = self.response().and_then(|at| at.checked_add_signed(by));
        to.is_some_and(|to| to < self.responses(core))
    }

    pub(crate) fn move_response(&mut self, core: &mut Core, by: isize) {
        let last = self.responses(core).saturating_sub(1);
        self.edit_response(core, |pointer, at| {
            let to = at.saturating_add_signed(by).min(last);
            (to != at).then_some(SessionEdit::Move(pointer, to))
        });
    }

    /// Opens a panel below the tool response under the cursor, or closes it.
    pub(crate) fn toggle_panel(&mut self, panel: Panel) {
        // The strip has no room for panels.
        self.strip.view = SessionView::Form;
        self.panel = (self.panel() != Some(panel)).then_some(panel);
    }
}

const NO_ORIGINAL: &str = "The original response is unknown.";

/// The JSON Pointer of a tool response.
fn response_pointer(id: &SessionId, at: usize) -> String {
    format!("{}/tool_responses/{at}", id.pointer)
}

/// The index at the end of a pointer.
fn index_of(pointer: &str) -> Option<usize> {
    pointer.rsplit('/').next()?.parse().ok()
}
