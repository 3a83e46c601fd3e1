//! The values being edited in the inspector, and the edit that is being applied.

use super::content::BodyLayers;
use super::decoded::DecodedBody;
use super::edit::{DraftTarget, ValueDraft};
use super::inspector_data::{InspectorContent, InspectorData, Ready};
use super::value_action::{StartedAction, ValueAction, result_pointer};
use check::change::Change;
use document::text::visible;
use document::{Node, NodeId, Syntax};
use protocol::{DocId, Revision};
use workbench::{Action, Actions, RefusedEdit};

/// The drafts of all files. A draft stays until it is applied or cancelled, even if another item is shown.
#[derive(Default)]
pub(super) struct ValueDrafts {
    open: Vec<ValueDraft>,
    pending: Option<PendingEdit>,
    applied_pointer: Option<String>,
}

/// An edit that was requested and not yet applied.
struct PendingEdit {
    doc: DocId,
    base: Revision,
    change: Change,
    /// Restored if the edit is refused.
    draft: Option<ValueDraft>,
}

/// Actions of the user on a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DraftOutcome {
    /// Continues editing.
    Open,
    /// Applies it to the file.
    Apply,
    /// Moved the focus elsewhere: applies it to the file.
    LostFocus,
    /// Applies it and continues with the next value.
    Next,
    /// Applies it and continues with the previous value.
    Previous,
    /// Discards it.
    Cancel,
}

impl ValueDrafts {
    /// Returns whether values of this file can be edited. Text that is not UTF-8 is read-only.
    pub(super) fn can_edit(ready: &Ready) -> bool {
        let document = &ready.document;
        let syntax = document.syntax;
        let is_editable = syntax.has_editable_values() || syntax == Syntax::Toml;
        document.source().fault().is_none() && is_editable
    }

    /// Updates the drafts of a file to its current text.
    pub(super) fn sync(&mut self, data: &InspectorData, ready: &Ready) {
        // An applied edit changes the revision; a refused one does not.
        let is_applied =
            |pending: &mut PendingEdit| pending.doc == data.id && pending.base != data.revision;
        if let Some(pending) = self.pending.take_if(is_applied) {
            self.applied_pointer = match &pending.change {
                Change::Value(edit) => result_pointer(edit),
                _ => None,
            };
        }
        for draft in self.open.iter_mut().filter(|draft| draft.path == data.path) {
            draft.sync(&ready.document, data.revision);
        }
    }

    /// Handles a refused edit: restores the draft with the reason.
    pub(super) fn on_refused(&mut self, refusal: Option<&RefusedEdit>) {
        let Some(refusal) = refusal else { return };
        // A later edit of the same file is based on another revision.
        let is_refused =
            |pending: &mut PendingEdit| (pending.doc, pending.base) == (refusal.doc, refusal.base);
        if let Some(pending) = self.pending.take_if(is_refused)
            && let Some(mut draft) = pending.draft
        {
            draft.error = Some(refusal.reason.clone());
            draft.needs_focus = true;
            self.open.push(draft);
        }
    }

    /// Returns the pointer of the value that the latest edit created or moved, once.
    pub(super) fn take_applied_pointer(&mut self) -> Option<String> {
        self.applied_pointer.take()
    }

    /// Returns the draft of a value or of its key.
    pub(super) fn find_mut(&mut self, data: &InspectorData, id: NodeId) -> Option<&mut ValueDraft> {
        use DraftTarget::{Decoded, Key, Value};
        self.open.iter_mut().find(|draft| {
            let is_replacement = matches!(draft.target, Value | Decoded | Key);
            draft.node == Some(id) && is_replacement && draft.path == data.path
        })
    }

    /// Returns the latest draft of a file that satisfies a condition.
    pub(super) fn last_matching(
        &mut self,
        data: &InspectorData,
        holds: impl Fn(&ValueDraft) -> bool,
    ) -> Option<&mut ValueDraft> {
        let mut drafts = self.open.iter_mut().rev();
        drafts.find(|draft| draft.path == data.path && holds(draft))
    }

    /// Starts an action: opens a draft or sends the edit.
    pub(super) fn start_action(
        &mut self,
        action: ValueAction,
        node: Node<'_>,
        data: &InspectorData,
        ready: &Ready,
        actions: &mut Actions,
    ) {
        if !Self::can_edit(ready) {
            return;
        }
        match action.begin(&data.path, &ready.document, node, data.revision) {
            None => {}
            // Such a value is edited in the text of the file.
            Some(StartedAction::TooLong) => actions.push(Action::Reveal(data.id, node.span())),
            Some(StartedAction::Draft(draft)) => self.open(draft),
            // The pending edit may move the value, so a second edit could change another place.
            Some(StartedAction::Edit(_)) if self.is_waiting(data.id) => {}
            Some(StartedAction::Edit(edit)) => {
                self.send(data, Change::Value(edit), None, actions);
            }
        }
    }

    /// Opens a draft of the content of a body.
    pub(super) fn edit_body(&mut self, layers: &BodyLayers, data: &InspectorData, ready: &Ready) {
        let body =
            DecodedBody::read(&ready.document, layers, data.call).filter(|_| Self::can_edit(ready));
        let node = ready.document.node(layers.node);
        let draft =
            body.and_then(|body| ValueDraft::for_decoded(&data.path, node, body, data.revision));
        if let Some(draft) = draft {
            self.open(draft);
        }
    }

    /// Opens a draft, or keeps the one that is open for the same value.
    fn open(&mut self, draft: ValueDraft) {
        let old_draft = self.open.iter_mut().find(|other| {
            let is_same = other.path == draft.path && other.pointer == draft.pointer;
            // A value and its key may be edited at the same time.
            is_same
                && std::mem::discriminant(&other.target) == std::mem::discriminant(&draft.target)
        });
        match old_draft {
            Some(old_draft) => old_draft.needs_focus = true,
            None => self.open.push(draft),
        }
    }

    /// Applies an outcome to a draft. Returns false while it stays open.
    pub(super) fn handle_outcome(
        &mut self,
        node: Option<NodeId>,
        goal: &DraftTarget,
        outcome: DraftOutcome,
        data: &InspectorData,
        actions: &mut Actions,
    ) -> bool {
        let position = self.open.iter().position(|draft| {
            draft.path == data.path && draft.node == node && draft.target == *goal
        });
        let Some(index) = position.filter(|_| outcome != DraftOutcome::Open) else { return false };
        let is_waiting = self.is_waiting(data.id);
        let Some(draft) = self.open.get_mut(index) else { return false };
        let change = if outcome == DraftOutcome::Cancel { Ok(None) } else { draft.edit() };
        match change {
            Ok(None) => {
                self.open.remove(index);
                true
            }
            Ok(Some(_)) if is_waiting => {
                let reason = "The previous edit is not applied yet; apply this one again";
                draft.error = Some(reason.to_owned());
                false
            }
            Ok(Some(change)) => {
                let draft = self.open.remove(index);
                self.send(data, change, Some(draft), actions);
                true
            }
            Err(fault) => {
                draft.error = Some(fault);
                false
            }
        }
    }

    /// Applies every valid draft of a file, except those whose value changed in the file meanwhile: they may not be
    /// shown, and would replace the change unseen.
    ///
    /// # Errors
    ///
    /// The value that changed and what to do, as a sentence.
    pub(super) fn apply_all(
        &mut self,
        data: &InspectorData,
        actions: &mut Actions,
    ) -> Result<(), String> {
        if let InspectorContent::Ready(ready) = &data.content {
            // The file may have changed while no draft of it was painted.
            self.sync(data, ready);
        }
        let file_drafts = self.open.iter().filter(|draft| draft.path == data.path);
        let (changed_drafts, other_drafts): (Vec<_>, Vec<_>) =
            file_drafts.partition(|draft| draft.replaces_changed());
        let pointer = changed_drafts.last().map(|draft| draft.pointer.clone());
        let drafts: Vec<_> =
            other_drafts.into_iter().map(|draft| (draft.node, draft.target.clone())).collect();
        for (node, goal) in drafts {
            self.handle_outcome(node, &goal, DraftOutcome::LostFocus, data, actions);
        }
        let Some(pointer) = pointer else { return Ok(()) };
        Err(format!(
            "Cannot save {}: the value at {} changed since you began to edit it. Copy your text, then discard it with Esc to see \
             the new value.",
            data.label,
            visible(&pointer)
        ))
    }

    /// Returns whether some input is not applied because it is invalid or its file changed.
    pub(super) fn has_unapplied(&self) -> bool {
        let mut drafts = self.open.iter();
        // A draft without a change is no loss.
        drafts.any(|draft| !matches!(draft.edit(), Ok(None)))
    }

    fn is_waiting(&self, doc: DocId) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.doc == doc)
    }

    fn send(
        &mut self,
        data: &InspectorData,
        change: Change,
        draft: Option<ValueDraft>,
        actions: &mut Actions,
    ) {
        let (doc, base) = (data.id, data.revision);
        self.pending = Some(PendingEdit { doc, base, change: change.clone(), draft });
        actions.push(Action::EditValue { doc, base, change });
    }
}
