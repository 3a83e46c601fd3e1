//! Edits of the selected session.

use super::{FormCursor, Panel, SessionsDesk};
use crate::{Core, HistoryMode};
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
        let pending_edit = self.pending.as_ref();
        pending_edit.is_some_and(|pending_edit| matches!(pending_edit.edit, SessionEdit::Add(..)))
    }

    /// The latest original of this text.
    fn original(&self, doc: DocId, faulty: &str) -> Option<&str> {
        Some(&self.originals.iter().rev().find(|o| o.doc == doc && o.faulty == faulty)?.text)
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
        self.send_edit(core, base, edit, HistoryMode::Step);
    }

    pub(super) fn type_text(&mut self, core: &mut Core, base: Revision, edit: SessionEdit) {
        self.send_edit(core, base, edit, HistoryMode::Typed);
    }

    fn send_edit(&mut self, core: &mut Core, base: Revision, edit: SessionEdit, mode: HistoryMode) {
        let Some(doc) = self.selected.as_ref().map(|id| id.doc) else { return };
        if self.is_editing() {
            // Typed text is sent again by the field.
            if mode == HistoryMode::Step {
                core.refuse(Severity::Warning, "Another edit is in progress. Try again.");
            }
            return;
        }
        if !core.begin_edit(doc, base) {
            return;
        }
        self.edits.pending = Some(PendingSessionEdit { doc, base, edit: edit.clone(), mode });
        core.request(core.plan_change(doc, Change::Session(edit)));
    }

    pub(crate) fn on_planned(&mut self, core: &mut Core, plan: PlannedChange) {
        let (doc, base) = plan.first;
        let job = self.edits.pending.take().filter(|job| (job.doc, Some(job.base)) == (doc, base));
        if let (Some(job), [edit]) = (&job, plan.edits.as_slice()) {
            self.remember_original(core, job, edit);
            self.move_cursor_after(core, &job.edit);
        }
        core.on_edit_planned(plan, job.map_or(HistoryMode::Step, |job| job.mode));
    }

    /// Remembers the original tool response, so that the fault can be removed.
    fn remember_original(&mut self, core: &mut Core, job: &PendingSessionEdit, plan: &PlannedEdit) {
        let SessionEdit::Fault(pointer, _) = &job.edit else { return };
        let old_document = core.library.document(job.doc);
        let old_node = old_document.and_then(|document| document.tree.at_pointer(pointer));
        let new_node = plan.parsed.document.tree.at_pointer(pointer);
        let (Some(old_node), Some(new_node)) = (old_node, new_node) else { return };
        let edits = &self.edits;
        // A second fault must not replace the original, which is from before the first one.
        let first = edits.original(job.doc, old_node.raw());
        let original = OriginalResponse {
            doc: job.doc,
            faulty: new_node.raw().to_owned(),
            text: first.unwrap_or(old_node.raw()).to_owned(),
        };
        self.edits.originals.push(original);
    }

    /// Moves the cursor to the edited tool response.
    fn move_cursor_after(&mut self, core: &mut Core, edit: &SessionEdit) {
        let index = match edit {
            SessionEdit::Move(_, position) => Some(*position),
            // The user edits the tool name of the new response next.
            SessionEdit::Add(_, index) => return self.edit_tool(*index),
            SessionEdit::Duplicate(pointer) => index_of(pointer).map(|index| index + 1),
            SessionEdit::Delete(pointer) => {
                self.panel = None;
                // One response is gone, and rows are counted from 0, so the last row is the old count less two.
                let last = self.responses(core).saturating_sub(2);
                index_of(pointer).map(|index| index.min(last))
            }
            _ => return,
        };
        self.cursor = index.map(FormCursor::Response);
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
        let (id, index) = self.cursor()?;
        let node = core.library.document(id.doc)?.tree.at_pointer(&response_pointer(id, index))?;
        self.edits.original(id.doc, node.raw()).map(str::to_owned)
    }

    fn cursor(&self) -> Option<(&SessionId, usize)> {
        Some((self.selected.as_ref()?, self.response()?))
    }

    fn response_under_cursor(&self, core: &Core) -> Option<(String, Revision)> {
        let (id, index) = self.cursor()?;
        let (_, base) = core.library.text(id.doc)?;
        Some((response_pointer(id, index), base))
    }

    /// Edits the tool response under the cursor.
    pub(crate) fn edit_response(
        &mut self,
        core: &mut Core,
        edit: impl FnOnce(String, usize) -> Option<SessionEdit>,
    ) {
        let index = self.response();
        if let (Some((pointer, base)), Some(index)) = (self.response_under_cursor(core), index)
            && let Some(edit) = edit(pointer, index)
        {
            self.edit(core, base, edit);
        }
    }

    /// Adds a tool response after the one under the cursor, else at the end.
    pub(crate) fn add_response(&mut self, core: &mut Core) {
        let Some(id) = self.selected.clone() else { return };
        let Some((_, base)) = core.library.text(id.doc) else { return };
        let index = self.response().map_or(self.responses(core), |index| index + 1);
        self.edit(core, base, SessionEdit::Add(id.pointer.to_string(), index));
    }

    /// Returns whether the tool response under the cursor has another one above (-1) or below it (1).
    pub(crate) fn can_move_response(&self, core: &Core, offset: isize) -> bool {
        let position = self.response().and_then(|index| index.checked_add_signed(offset));
        position.is_some_and(|position| position < self.responses(core))
    }

    pub(crate) fn move_response(&mut self, core: &mut Core, offset: isize) {
        let last = self.responses(core).saturating_sub(1);
        self.edit_response(core, |pointer, index| {
            let position = index.saturating_add_signed(offset).min(last);
            (position != index).then_some(SessionEdit::Move(pointer, position))
        });
    }

    /// Opens a panel below the tool response under the cursor, or closes it.
    pub(crate) fn toggle_panel(&mut self, panel: Panel) {
        self.panel = (self.panel() != Some(panel)).then_some(panel);
    }
}

const NO_ORIGINAL: &str = "The original response is unknown.";

/// The JSON Pointer of a tool response.
fn response_pointer(id: &SessionId, index: usize) -> String {
    format!("{}/tool_responses/{index}", id.pointer)
}

/// The index at the end of a pointer.
fn index_of(pointer: &str) -> Option<usize> {
    pointer.rsplit('/').next()?.parse().ok()
}
