//! Recovery of unsaved edits from an earlier run: each can be recovered or deleted.

use std::sync::Arc;

use crate::{Core, Effect, OnDisk, Overlay};
use author::recovered::{DraftFileState, RecoveredDraft, RecoveredDrafts};
use document::Severity;
use document::text::{Source, TextEdit, counted};
use protocol::{DiscardDraft, DocId, ForgetDraft, KeepDraft, LocateDraft};

impl Core {
    pub(crate) fn on_drafts_found(&mut self, recovered_drafts: RecoveredDrafts) {
        for remark in recovered_drafts.remarks {
            self.notify(Severity::Warning, format!("{remark}."));
        }
        self.drafts = recovered_drafts.drafts.into_iter().map(Arc::new).collect();
        self.offer_drafts();
    }

    /// Offers the recovered edits of the open project, and only reports those of another one.
    pub(super) fn offer_drafts(&mut self) {
        if self.drafts.iter().any(|draft| self.is_draft_here(draft)) {
            // An overlay that is open is not replaced.
            self.overlay = self.overlay.or(Some(Overlay::Recovered));
        } else if !self.drafts.is_empty() {
            // Edits of another project cannot be recovered here.
            self.overlay = self.overlay.filter(|open| *open != Overlay::Recovered);
            let files = counted(self.drafts.len(), "file", "files");
            let text = format!(
                "Unsaved edits of {files} in another project are kept. Show recovered edits lists them."
            );
            self.notify(Severity::Note, text);
        }
    }

    /// Whether recovered edits belong to the open project; to any one while none is open.
    fn is_draft_here(&self, draft: &RecoveredDraft) -> bool {
        self.project.as_ref().is_none_or(|project| {
            let mut paths = project.opened.iter();
            draft.path.starts_with(&project.root) || paths.any(|p| draft.path.starts_with(p))
        })
    }

    /// The recovered edits of the open project; if it has none, all.
    pub fn offered_drafts(&self) -> Vec<&RecoveredDraft> {
        let all_drafts = || self.drafts.iter().map(|draft| &**draft);
        let local_drafts: Vec<_> = all_drafts().filter(|draft| self.is_draft_here(draft)).collect();
        if local_drafts.is_empty() { all_drafts().collect() } else { local_drafts }
    }

    /// Requests the document that the edits belong to.
    pub(crate) fn recover(&mut self, id: u64) {
        let draft = self.drafts.iter().find(|draft| draft.id == id);
        let locate = draft.map(|draft| {
            Effect::run(LocateDraft { draft: Arc::clone(draft), items: self.library.items.clone() })
        });
        self.request(locate);
    }

    /// Stores the unsaved edits of a document for recovery; without any, deletes the stored ones.
    pub(crate) fn sync_draft(&self, doc: DocId) -> Option<Effect> {
        let copy = self.library.copy(doc)?;
        if !copy.is_unsaved() {
            return self.forget_draft(doc);
        }
        Some(Effect::run(KeepDraft {
            doc,
            item: self.library.share_edited(doc)?,
            base: copy.base.clone(),
            text: copy.text.clone(),
        }))
    }

    pub(crate) fn forget_draft(&self, doc: DocId) -> Option<Effect> {
        Some(Effect::run(ForgetDraft { doc, item: self.library.share_edited(doc)? }))
    }

    /// Applies recovered edits to their document, merged with the current file.
    pub(crate) fn on_draft_located(&mut self, id: u64, doc: Option<DocId>) {
        let Some(draft) = self.drafts.iter().find(|draft| draft.id == id).cloned() else { return };
        let path = draft.path.display();
        let Some(doc) = doc else {
            let text = format!("{path} is not open. Open it or its folder, then recover the edit.");
            self.notify(Severity::Note, text);
            return;
        };
        if self.library.copy(doc).is_some_and(|copy| copy.is_unsaved()) {
            let text = format!(
                "{path} has other unsaved edits. Save or revert them, then recover this one."
            );
            self.notify(Severity::Note, text);
            return;
        }
        let base = draft.base.clone().unwrap_or_else(|| Source::new(""));
        // In a document that was edited since, the recovery must be a step of the journal, or its older steps would no longer apply.
        let current_base = self.library.copy(doc).map(|copy| copy.base.clone());
        if current_base.is_none() {
            self.library.set_base(doc, base.clone());
        }
        self.show(doc);
        if let Some(copy) = self.library.copy_mut(doc) {
            let disk_state = match (&draft.file_state, current_base) {
                (_, Some(current_base)) if current_base == base => OnDisk::AsRead,
                (_, Some(current_base)) => OnDisk::Changed(current_base),
                (DraftFileState::Changed(theirs), None) => OnDisk::Changed(theirs.clone()),
                (DraftFileState::Gone, None) => OnDisk::Gone,
                // A save reports why the file cannot be read.
                (DraftFileState::Same | DraftFileState::Unreadable(_), None) => OnDisk::AsRead,
            };
            copy.set_base(base);
            copy.on_disk = disk_state;
        }
        if let Some((text, revision)) = self.library.text(doc)
            && let Some(edit) = TextEdit::between(text.text(), draft.text.text())
        {
            let name = format!("Recover unsaved edits of {}", self.library.name_of(doc));
            self.edit_text(doc, revision, edit, name);
        }
        self.drop_draft(id);
    }

    /// Removes recovered edits from the list, because they are stored again or not wanted.
    pub(crate) fn drop_draft(&mut self, id: u64) {
        // The dialog stays open for other edits that are still to be decided.
        let is_shown = self.offered_drafts().iter().any(|draft| draft.id != id);
        self.drafts.retain(|draft| draft.id != id);
        if !is_shown && self.overlay == Some(Overlay::Recovered) {
            self.overlay = None;
        }
        self.request(Effect::run(DiscardDraft(id)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, doc};
    use crate::{Action, Command};
    use calls::Item;
    use protocol::{DiskChange, EngineEvent, ProjectInfo, RemovedItem};

    fn draft(id: u64, path: &str, state: DraftFileState) -> RecoveredDraft {
        RecoveredDraft {
            id,
            path: path.into(),
            seconds: 0,
            base: Some(Source::new("a: 1\nb: 1\nc: 1\n")),
            text: Source::new("a: 2\nb: 1\nc: 1\n"),
            file_state: state,
        }
    }

    #[test]
    fn edits_of_an_earlier_run_are_taken_over_against_the_file_as_it_is_now() {
        let theirs = "a: 1\nb: 1\nc: 3\n";
        let mut bench = Bench::open(&[("x.yaml", theirs)]);
        let drafts = vec![
            draft(0, "x.yaml", DraftFileState::Changed(Source::new(theirs))),
            draft(1, "elsewhere.yaml", DraftFileState::Same),
        ];
        let remarks = Vec::new();
        bench.receive(EngineEvent::DraftsFound(RecoveredDrafts { drafts, remarks }));
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Recovered));

        bench.workbench.core.recover(0);
        bench.perform_requested();
        assert_eq!(bench.text(doc(0)), "a: 2\nb: 1\nc: 1\n");
        assert!(bench.workbench.core.library.copy(doc(0)).unwrap().is_in_conflict());
        // It is stored again before the old one is deleted.
        assert_eq!(bench.requested, ["keep 0", "discard draft 0"]);
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), "a: 1\nb: 1\nc: 1\n");

        bench.workbench.core.recover(1);
        bench.perform_requested();
        insta::assert_snapshot!(bench.notice_texts().last().unwrap(), @"elsewhere.yaml is not open. Open it or its folder, then recover the edit.");
        bench.workbench.core.drop_draft(1);
        bench.perform_requested();
        assert_eq!(bench.workbench.core.overlay, None);
    }

    #[test]
    fn edits_of_another_project_are_reported_and_only_offered_where_they_belong() {
        let mut bench = Bench::open(&[("x.yaml", "a: 1\n")]);
        let drafts = vec![
            draft(0, "/one/x.yaml", DraftFileState::Same),
            draft(1, "/two/y.yaml", DraftFileState::Same),
        ];
        let open = |bench: &mut Bench, root: &str| {
            let project = ProjectInfo {
                root: root.to_owned(),
                opened: vec![root.into()],
                ..ProjectInfo::default()
            };
            bench.workbench.core.overlay = None;
            bench.receive(EngineEvent::ScanStarted { generation: 2, project });
        };
        open(&mut bench, "/three");
        let remarks = Vec::new();
        bench.receive(EngineEvent::DraftsFound(RecoveredDrafts { drafts, remarks }));
        assert_eq!(bench.workbench.core.overlay, None);
        insta::assert_snapshot!(bench.notice_texts().join("\n"), @"Unsaved edits of 2 files in another project are kept. Show recovered edits lists them.");

        open(&mut bench, "/two");
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Recovered));
        let ids: Vec<u64> =
            bench.workbench.core.offered_drafts().iter().map(|draft| draft.id).collect();
        assert_eq!(ids, [1]);
        bench.workbench.core.drop_draft(1);
        assert_eq!(bench.workbench.core.overlay, None);
        assert_eq!(bench.workbench.core.drafts.len(), 1);
    }

    /// A workbench with one file, that recovers an edit of another one, which was deleted.
    fn recovered_without_its_file() -> Bench {
        let mut bench = Bench::open(&[("y.yaml", "y: 1\n")]);
        let drafts = vec![draft(0, "x.yaml", DraftFileState::Gone)];
        let remarks = Vec::new();
        bench.receive(EngineEvent::DraftsFound(RecoveredDrafts { drafts, remarks }));
        // What the engine answers: it lists the file and reports that it was deleted.
        let (generation, items) = (1, vec![Arc::new(Item::new("x.yaml"))]);
        bench.receive(EngineEvent::ItemsFound { generation, items });
        bench.receive(EngineEvent::Located(0, Some(doc(1))));
        let (doc, renamed_to) = (doc(1), None);
        let change = DiskChange::Removed(vec![RemovedItem { doc, renamed_to }]);
        bench.receive(EngineEvent::DiskChanged(generation, change));
        bench
    }

    fn is_listed(bench: &Bench) -> bool {
        bench.workbench.core.library.get(doc(1)).is_some()
    }

    #[test]
    fn an_edit_of_a_deleted_file_is_recovered_edited_and_saved_at_its_old_path() {
        let mut bench = recovered_without_its_file();
        assert_eq!(bench.text(doc(1)), "a: 2\nb: 1\nc: 1\n");
        assert_eq!(bench.unsaved(), [1]);
        assert_eq!(bench.requested, ["keep 1", "discard draft 0"]);
        insta::assert_snapshot!(bench.notice_texts().join("\n"), @"x.yaml was deleted on disk. Its edits are still here; save to create it again.");

        bench.type_over(doc(1), "b: 1", "b: 3");
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(1)], "a: 2\nb: 3\nc: 1\n");
        assert_eq!(bench.unsaved(), [0; 0]);
    }

    #[test]
    fn a_file_that_came_back_is_not_overwritten_by_a_recovered_edit() {
        let mut bench = recovered_without_its_file();
        // Before the change is reported.
        bench.disk.insert(doc(1), "theirs\n".to_owned());
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(1)], "theirs\n");
        let copy = bench.workbench.core.library.copy(doc(1));
        assert!(copy.unwrap().is_in_conflict());
    }

    #[test]
    fn a_recovered_edit_of_a_deleted_file_is_unlisted_with_its_undo_and_listed_with_its_redo() {
        let mut bench = recovered_without_its_file();
        bench.press(Command::Undo);
        assert_eq!((is_listed(&bench), bench.unsaved()), (false, vec![]));
        assert_eq!(bench.requested.last().map(String::as_str), Some("forget 1"));
        assert_eq!(bench.workbench.core.list.selected, Some(doc(0)));

        bench.press(Command::Redo);
        assert_eq!((is_listed(&bench), bench.unsaved()), (true, vec![1]));
        assert_eq!(bench.workbench.core.list.selected, Some(doc(0)));

        bench.act(Action::Select(doc(1)));
        bench.press(Command::Revert);
        assert!(!is_listed(&bench));
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(1)), "a: 2\nb: 1\nc: 1\n");
        bench.act(Action::Select(doc(1)));
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(1)], "a: 2\nb: 1\nc: 1\n");
    }

    #[test]
    fn edits_made_before_an_older_one_is_recovered_are_still_undone_byte_for_byte() {
        let text = "a: 1\nb: 1\nc: 1\n";
        let mut bench = Bench::open(&[("x.yaml", text)]);
        bench.type_over(doc(0), "b: 1", "b: 22");
        bench.press(Command::Save);
        let drafts = vec![draft(0, "x.yaml", DraftFileState::Same)];
        let remarks = Vec::new();
        bench.receive(EngineEvent::DraftsFound(RecoveredDrafts { drafts, remarks }));
        bench.workbench.core.recover(0);
        bench.perform_requested();
        assert_eq!(bench.text(doc(0)), "a: 2\nb: 1\nc: 1\n");
        // What was saved since is not overwritten without confirmation.
        assert!(bench.workbench.core.library.copy(doc(0)).unwrap().is_in_conflict());
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), text.replace("b: 1", "b: 22"));
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), text);
    }
}
