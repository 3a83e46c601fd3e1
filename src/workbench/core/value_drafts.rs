//! The values being edited in the inspector, and the edit that is being applied.

use crate::core::value_draft::pointer_token;
use crate::{Command, Core, OpenDocument, ValueDraft};
use check::change::Change;
use document::edit::Edit;
use document::text::visible;
use document::{Document, Severity};
use protocol::{DocId, Revision};

/// Report that some input can be neither applied nor discarded by a command.
const UNAPPLIED_INPUT: &str =
    "A value being edited could not be applied to its file. Fix it, or discard it with Esc.";

/// The drafts of all files. A draft stays until it is applied or discarded, even if another item is shown.
#[derive(Debug, Default)]
pub struct ValueDrafts {
    pub open: Vec<ValueDraft>,
    pending: Option<PendingEdit>,
    /// Number of edits that were applied, and the file and the pointer of the value that the latest one created or moved.
    pub landed: (usize, Option<(DocId, String)>),
}

/// An edit that was requested and not yet applied.
#[derive(Debug)]
struct PendingEdit {
    doc: DocId,
    base: Revision,
    /// The value that it creates or moves.
    pointer: Option<String>,
    /// Restored if the edit is refused.
    draft: Option<ValueDraft>,
}

/// Step of a draft on its way to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftStep {
    /// Keeps what its field contains now.
    Keep,
    /// Applies it to the file. It stays open, with the reason, if that is not possible.
    Apply,
    Discard,
}

impl ValueDrafts {
    /// Whether an edit of this file is not in its parsed text yet.
    pub fn is_waiting(&self, doc: DocId) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.doc == doc)
    }

    /// Notes an edit that was requested. Only the latest one is restored if it is refused.
    pub(crate) fn expect(
        &mut self,
        (doc, base): (DocId, Revision),
        change: &Change,
        draft: Option<ValueDraft>,
    ) {
        let pointer = match change {
            Change::Value(edit) => result_pointer(edit),
            _ => None,
        };
        self.pending = Some(PendingEdit { doc, base, pointer, draft });
    }

    /// Handles a refused edit: restores its draft with the reason.
    pub(crate) fn on_refused(&mut self, doc: DocId, base: Revision, reason: String) {
        if let Some(mut draft) = self.take_pending(doc, base).and_then(|pending| pending.draft) {
            draft.error = Some(reason);
            draft.needs_focus = true;
            self.open.push(draft);
        }
    }

    /// Handles an edit that changes nothing, so that no new text of its file follows.
    pub(crate) fn on_unchanged(&mut self, doc: DocId, base: Revision) {
        self.take_pending(doc, base);
    }

    fn take_pending(&mut self, doc: DocId, base: Revision) -> Option<PendingEdit> {
        // A later edit of the same file is based on another revision.
        self.pending.take_if(|pending| (pending.doc, pending.base) == (doc, base))
    }

    /// Drops the edit that was requested, since its file was closed.
    pub(crate) fn forget_pending(&mut self) {
        self.pending = None;
    }
}

impl Core {
    /// Handles what the user did with a draft of a file.
    pub(crate) fn on_draft(&mut self, doc: DocId, step: DraftStep, mut draft: ValueDraft) {
        let is_waiting = self.value_drafts.is_waiting(doc);
        let drafts = &mut self.value_drafts.open;
        let Some(index) = drafts.iter().position(|other| other.is_of_same(&draft)) else {
            // One that is not open was applied by an earlier action of the same frame.
            drafts.extend((step == DraftStep::Keep).then_some(draft));
            return;
        };
        match (step, draft.edit()) {
            (DraftStep::Keep, _) => {}
            (DraftStep::Apply, Ok(Some(_))) if is_waiting => {
                let reason = "The previous edit is not applied yet; apply this one again";
                draft.error = Some(reason.to_owned());
            }
            (DraftStep::Apply, Err(fault)) => draft.error = Some(fault),
            (_, edit) => {
                drafts.remove(index);
                if let (DraftStep::Apply, Ok(Some(change))) = (step, edit) {
                    self.edit_value(doc, draft.revision, change, Some(draft));
                }
                return;
            }
        }
        drafts[index] = draft;
    }

    /// Updates the drafts of the selected file to its current text.
    pub(crate) fn sync_value_drafts(&mut self) {
        let drafts = &mut self.value_drafts;
        // An applied edit changes the revision; a refused one does not.
        let is_applied = |pending: &mut PendingEdit| {
            parsed(self.library.opened(pending.doc))
                .is_some_and(|(_, revision)| revision != pending.base)
        };
        if let Some(pending) = drafts.pending.take_if(is_applied) {
            let place = pending.pointer.map(|pointer| (pending.doc, pointer));
            drafts.landed = (drafts.landed.0 + 1, place);
        }
        let Some(item) = self.list.selected.and_then(|doc| self.library.get(doc)) else { return };
        let opened = self.list.selected.and_then(|doc| self.library.opened(doc));
        let Some((document, revision)) = parsed(opened) else { return };
        for draft in drafts.open.iter_mut().filter(|draft| draft.path == item.path) {
            draft.sync(document, revision);
        }
    }

    /// Applies the valid drafts of the selected file before a command that saves or leaves it, except those whose value changed in
    /// the file meanwhile: they may not be shown, and would replace the change unseen. Returns false, and reports why, if the command
    /// cannot run now.
    pub(crate) fn apply_value_drafts(&mut self, command: Command) -> bool {
        let leaves = matches!(command, Command::Quit | Command::CloseProject);
        let saves = matches!(command, Command::Save | Command::SaveAll | Command::SaveAs);
        if let Some((doc, call)) = self.list.target().filter(|_| leaves || saves)
            && let Some(item) = self.library.share(doc)
        {
            // The file may have changed since the last frame.
            self.sync_value_drafts();
            let drafts = self.value_drafts.open.iter().filter(|draft| draft.path == item.path);
            let (changed_drafts, other_drafts): (Vec<ValueDraft>, Vec<_>) =
                drafts.cloned().partition(ValueDraft::replaces_changed);
            for draft in other_drafts {
                self.on_draft(doc, DraftStep::Apply, draft);
            }
            if let Some(draft) = changed_drafts.last() {
                let call = call.map_or(String::new(), |call| format!(", call {}", call + 1));
                let text = format!(
                    "Cannot save {}{call}: the value at {} changed since you began to edit it. Copy your text, then discard it with \
                     Esc to see the new value.",
                    visible(item.label()),
                    visible(&draft.pointer)
                );
                self.notify(Severity::Error, text);
                return false;
            }
        }
        // A draft without a change is no loss.
        let is_unapplied = |draft: &ValueDraft| !matches!(draft.edit(), Ok(None));
        let is_refused = leaves && self.value_drafts.open.iter().any(is_unapplied);
        if is_refused {
            self.notify(Severity::Error, UNAPPLIED_INPUT);
        }
        !is_refused
    }
}

/// Returns a document that is read, and the revision of its text.
fn parsed(opened: Option<&OpenDocument>) -> Option<(&Document, Revision)> {
    match opened? {
        OpenDocument::Ready(document, revision) => Some((document, *revision)),
        _ => None,
    }
}

/// Returns the pointer of the value that an edit creates or moves, after the edit; `None` if the edit removes a value.
pub fn result_pointer(edit: &Edit) -> Option<String> {
    let outer = |pointer: &str| pointer.rsplit_once('/').map_or("", |(outer, _)| outer).to_owned();
    match edit {
        Edit::Set { pointer, .. }
        | Edit::Insert { pointer, .. }
        | Edit::InsertBefore { pointer, .. } => Some(pointer.clone()),
        Edit::Rename { pointer, key } => Some(format!("{}/{}", outer(pointer), pointer_token(key))),
        Edit::Move { pointer, to } => Some(format!("{}/{to}", outer(pointer))),
        Edit::Remove { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;
    use crate::testing::{Bench, doc};
    use document::edit::JsonValue;

    /// A workbench with one file, and this input for its value.
    fn typed(text: &str) -> Bench {
        let mut bench = Bench::open(&[("j.json", "{\"a\": 1}")]);
        bench.act(Action::Select(doc(0)));
        let library = &bench.workbench.core.library;
        let (item, document) = (library.get(doc(0)).unwrap(), library.document(doc(0)).unwrap());
        let node = document.tree.at_pointer("/a").unwrap();
        let revision = library.text(doc(0)).unwrap().1;
        let mut draft = ValueDraft::for_value(&item.path, document, node, revision).unwrap();
        draft.text = text.to_owned();
        bench.act(Action::Draft(doc(0), DraftStep::Keep, Box::new(draft)));
        bench
    }

    #[test]
    fn a_save_writes_what_is_typed() {
        let mut bench = typed("2");
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
        assert!(bench.workbench.core.value_drafts.open.is_empty());
    }

    #[test]
    fn an_edit_without_a_change_blocks_no_later_one() {
        let mut bench = typed("2");
        let (_, base) = bench.workbench.core.library.text(doc(0)).unwrap();
        let value = JsonValue::parse("1").unwrap();
        let change = Change::Value(Edit::Set { pointer: "/a".to_owned(), value });
        bench.act(Action::EditValue { doc: doc(0), base, change });
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
    }

    #[test]
    fn the_window_stays_open_while_some_input_is_invalid() {
        let mut bench = typed("soon");
        bench.press(Command::Quit);
        assert_eq!(bench.notice_texts(), [UNAPPLIED_INPUT]);
        let draft = bench.workbench.core.value_drafts.open[0].clone();
        assert_eq!(draft.error.as_deref(), Some("This is not a number"));
        bench.act(Action::Draft(doc(0), DraftStep::Discard, Box::new(draft)));
        assert!(bench.workbench.core.apply_value_drafts(Command::Quit));
    }
}
