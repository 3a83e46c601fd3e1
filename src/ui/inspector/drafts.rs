//! The fields of one frame for the values being edited. The workbench has the drafts; a field changes a copy of its draft.

use super::content::BodyLayers;
use super::decoded::read_body;
use super::inspector_data::{InspectorData, Ready};
use super::value_action::{StartedAction, ValueAction};
use check::change::Change;
use document::{Node, NodeId, Syntax};
use protocol::DocId;
use workbench::{Action, Actions, DraftStep, DraftTarget, ValueDraft, ValueDrafts};

/// The drafts of all files, as the fields of the frame have changed them.
#[derive(Default)]
pub(super) struct DraftFields {
    open: Vec<ValueDraft>,
    waiting: Option<DocId>,
    /// Number of applied edits that were seen.
    landed: usize,
    applied_pointer: Option<String>,
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

impl DraftFields {
    /// Returns whether values of this file can be edited. Text that is not UTF-8 is read-only.
    pub(super) fn can_edit(ready: &Ready) -> bool {
        let document = &ready.document;
        let syntax = document.syntax;
        let is_editable = syntax.has_editable_values() || syntax == Syntax::Toml;
        document.source().fault().is_none() && is_editable
    }

    /// Copies the drafts at the beginning of a frame that paints an item.
    pub(super) fn load(&mut self, drafts: &ValueDrafts, doc: DocId) {
        self.open.clone_from(&drafts.open);
        self.waiting = Some(doc).filter(|doc| drafts.is_waiting(*doc));
        let (landed, place) = &drafts.landed;
        if self.landed != *landed {
            self.landed = *landed;
            let place = place.as_ref().filter(|(landed_doc, _)| *landed_doc == doc);
            self.applied_pointer = place.map(|(_, pointer)| pointer.clone());
        }
    }

    /// Reports what the fields have changed.
    pub(super) fn report(&mut self, drafts: &ValueDrafts, doc: DocId, actions: &mut Actions) {
        let drafts = self.open.drain(..).filter(|draft| !drafts.open.contains(draft));
        let keep = |draft| Action::Draft(doc, DraftStep::Keep, Box::new(draft));
        // Before the commands of the same frame, which must find the input.
        actions.splice(..0, drafts.map(keep));
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
            Some(StartedAction::Edit(_)) if self.waiting == Some(data.id) => {}
            Some(StartedAction::Edit(edit)) => {
                let (doc, base, change) = (data.id, data.revision, Change::Value(edit));
                self.waiting = Some(doc);
                actions.push(Action::EditValue { doc, base, change });
            }
        }
    }

    /// Opens a draft of the content of a body.
    pub(super) fn edit_body(&mut self, layers: &BodyLayers, data: &InspectorData, ready: &Ready) {
        let body = read_body(&ready.document, layers, data.call);
        let node = ready.document.node(layers.node);
        let draft = body
            .filter(|_| Self::can_edit(ready))
            .and_then(|body| ValueDraft::for_decoded(&data.path, node, body, data.revision));
        if let Some(draft) = draft {
            self.open(draft);
        }
    }

    /// Opens a draft, or keeps the one that is open for the same value.
    fn open(&mut self, draft: ValueDraft) {
        match self.open.iter_mut().find(|other| other.is_of_same(&draft)) {
            Some(old_draft) => old_draft.needs_focus = true,
            None => self.open.push(draft),
        }
    }

    /// Sends the outcome of a draft. Returns false if it stays open.
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
        let draft = self.open.remove(index);
        let (step, is_settled) = if outcome == DraftOutcome::Cancel {
            (DraftStep::Discard, true)
        } else {
            let is_free = self.waiting != Some(data.id);
            let edit = draft.edit();
            if let Ok(Some(_)) = edit {
                self.waiting = Some(data.id);
            }
            (DraftStep::Apply, edit.is_ok_and(|edit| edit.is_none() || is_free))
        };
        actions.push(Action::Draft(data.id, step, Box::new(draft)));
        is_settled
    }
}
