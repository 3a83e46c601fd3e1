//! Save, save as, and revert.

use std::path::PathBuf;
use std::sync::Arc;

use crate::{Core, DeskView, DialogKind, DiskRead, Effect, Library, OnDisk, Overlay, WorkingCopy};
use author::saving::{ReadOnly, SaveFailure, SaveFault, Saved};
use document::Severity;
use document::text::{Source, TextEdit, counted, some_and_others, visible};
use protocol::{DocId, SaveDestination, SaveDocument, SaveDocumentAs};

/// Number of documents that a message names.
const MAX_NAMED_FILES: usize = 3;
/// The end of a message about documents that were not saved.
const UNCHANGED_REMARK: &str = "The file on disk is unchanged, and the edits are still here.";

/// Mode of a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaveMode {
    /// Over the original file, if it is unchanged and writable.
    Usual,
    /// Over the original file, even if it is read-only.
    ReplaceReadOnly,
    /// As a new file, because the original was deleted.
    Recreate,
}

/// Destination of a document; it follows from a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveTo {
    pub doc: DocId,
    pub path: PathBuf,
}

/// A save of several documents, some of which may fail.
#[derive(Clone, Debug, Default)]
pub(crate) struct SaveRound {
    /// Without a result yet.
    pending: Vec<DocId>,
    written: Vec<DocId>,
    /// Number of these that were made stable.
    stable: usize,
    /// Failed; each document has its reason.
    left: Vec<DocId>,
    /// The revision of the history in which undo reverts what is saved, if it is one step.
    undo: Option<u64>,
}

impl Core {
    /// Saves one document. If its file changed meanwhile, shows the versions instead.
    pub(crate) fn save(&mut self, doc: DocId, mode: SaveMode) {
        // Undo must be able to go back to the saved text, so typing goes on as another step.
        self.journal.end_typing();
        let item = self.library.share(doc);
        let (Some(item), Some(copy)) = (item, self.library.copy_mut(doc)) else { return };
        if copy.is_in_conflict() {
            return if self.here().view == DeskView::Conflict(doc) {
                self.resolve(doc);
            } else {
                self.show_conflict(doc);
            };
        }
        if !copy.is_unsaved() || copy.saving.is_some() {
            return;
        }
        let text = copy.text.clone();
        // Until the save is reported, the file is compared with this text as well.
        copy.saving = Some(text.clone());
        self.effects.push(Effect::run(SaveDocument {
            doc,
            item,
            text,
            base: match (mode, &copy.on_disk) {
                // The deletion of the file was already reported.
                (SaveMode::Recreate, _) | (SaveMode::Usual, OnDisk::Gone) => None,
                _ => Some(copy.base.clone()),
            },
            read_only: match mode {
                SaveMode::ReplaceReadOnly => ReadOnly::Replace,
                SaveMode::Usual | SaveMode::Recreate => ReadOnly::Refuse,
            },
        }));
    }

    /// Saves all unsaved documents. A document that cannot be saved stays open with the reason.
    pub(crate) fn save_all(&mut self) {
        self.save_files(self.library.unsaved().map(|(doc, _)| doc).collect(), None);
    }

    /// Saves those of these documents that are unsaved. `undo` is the revision of the history if they were edited in one step.
    pub(super) fn save_files(&mut self, docs: Vec<DocId>, undo: Option<u64>) {
        let copy_is =
            |doc: &DocId, has: fn(&WorkingCopy) -> bool| self.library.copy(*doc).is_some_and(has);
        let unsaved_docs = docs.into_iter().filter(|doc| copy_is(doc, WorkingCopy::is_unsaved));
        // A document in conflict is saved only after the user has chosen.
        let (rest, queue): (Vec<DocId>, Vec<DocId>) =
            unsaved_docs.partition(|doc| copy_is(doc, WorkingCopy::is_in_conflict));
        let round = SaveRound { pending: queue.clone(), left: rest, undo, ..SaveRound::default() };
        self.save_round = Some(round);
        for doc in queue {
            self.save(doc, SaveMode::Usual);
        }
        // With nothing to wait for, no result would end the round.
        self.end_round();
    }

    pub(crate) fn on_saved(&mut self, doc: DocId, result: Result<Saved, SaveFault>) {
        let Some(text) = self.library.copy_mut(doc).and_then(|copy| copy.saving.take()) else {
            return;
        };
        let succeeded = result.is_ok();
        match result {
            Ok(outcome) => self.finish_save(doc, text, &outcome),
            Err(fault) => self.report_save_failure(doc, fault),
        };
        if !self.save_round.as_ref().is_some_and(|round: &SaveRound| round.pending.contains(&doc)) {
            // Shows what the user can do about a failure.
            match self.library.copy(doc).filter(|_| !succeeded).map(WorkingCopy::is_in_conflict) {
                Some(true) => {
                    // Only the user cancels a step that is shown.
                    let step = self.overlay.filter(|open| *open == Overlay::Step);
                    self.show_conflict(doc);
                    self.overlay = step;
                }
                Some(false) => self.show_when_free(Overlay::Unsaved),
                None => {}
            }
            return;
        }
        // Text that was typed while an earlier text was being written is saved, too.
        if succeeded && self.library.copy(doc).is_some_and(|copy| copy.is_unsaved()) {
            self.save(doc, SaveMode::Usual);
            return;
        }
        if let Some(round) = &mut self.save_round {
            round.pending.retain(|other| *other != doc);
            let docs = if succeeded { &mut round.written } else { &mut round.left };
            docs.push(doc);
        }
        self.end_round();
    }

    fn finish_save(&mut self, doc: DocId, text: Source, outcome: &Saved) {
        let name = self.library.name_of(doc).to_owned();
        for remark in &outcome.remarks {
            self.notify(Severity::Warning, format!("{name}: {remark}."));
        }
        let text = match &outcome.stable {
            Some(stable_text) => {
                self.show_stable_text(doc, &text, stable_text);
                stable_text.clone()
            }
            None => text,
        };
        let Some(copy) = self.library.copy_mut(doc) else { return };
        copy.set_base(text);
        if copy.disk_read == DiskRead::Requested {
            // The read may have begun before the save.
            copy.disk_read = DiskRead::Overtaken;
        }
        // After the step above was added, because that step was saved, too.
        self.journal.on_saved(doc);
        self.forget_conflict(doc);
        // A round reports its files together.
        if self.save_round.is_none() && outcome.remarks.is_empty() {
            let suffix = if outcome.stable.is_some() { " and made it stable" } else { "" };
            self.notify(Severity::Note, format!("Saved {name}{suffix}."));
        }
        self.request(self.sync_draft(doc));
    }

    /// Puts the text that was written in place of the one that was sent, as a step that can be undone. What was typed meanwhile
    /// stays, and becomes stable with the next save.
    fn show_stable_text(&mut self, doc: DocId, saved_text: &Source, stable_text: &Source) {
        if let Some(round) = &mut self.save_round {
            round.stable += 1;
        }
        let name = format!("Make {} stable", self.library.name_of(doc));
        let copy = self.library.copy(doc).filter(|copy| copy.text == *saved_text);
        let revision = copy.map(|copy| copy.revision);
        let edit = TextEdit::between(saved_text.text(), stable_text.text());
        if let Some((revision, edit)) = revision.zip(edit) {
            self.edit_text(doc, revision, edit, name);
        }
    }

    fn report_save_failure(&mut self, doc: DocId, fault: SaveFault) {
        if self.save_round.is_none() {
            self.notify(Severity::Error, format!("{}.", fault.reason));
        }
        let Some(copy) = self.library.copy_mut(doc) else { return };
        match &fault.reason {
            // The save found the change before the watcher reported it.
            SaveFailure::Changed { theirs, .. } | SaveFailure::Exists { theirs, .. } => {
                copy.on_disk = OnDisk::Changed(Source::from_bytes(theirs.to_vec()));
            }
            SaveFailure::FileGone | SaveFailure::FolderGone => copy.on_disk = OnDisk::Gone,
            _ => {}
        }
        copy.fault = Some(Arc::new(fault));
    }

    /// When all saves of a round have finished: reports the results, and continues the delayed action.
    fn end_round(&mut self) {
        let is_over = |round: &mut SaveRound| round.pending.is_empty();
        let Some(round) = self.save_round.take_if(is_over) else { return };
        if round.left.is_empty() {
            let files = counted(round.written.len(), "file", "files");
            let suffix = match round.stable {
                0 => String::new(),
                count => format!(", {count} of them made stable"),
            };
            self.push_notice(Severity::Note, format!("Saved {files}{suffix}."), round.undo);
            if self.overlay == Some(Overlay::Unsaved) {
                self.overlay = None;
            }
            return self.finish_leaving();
        }
        let (saved_names, unsaved_names) =
            (self.library.names(&round.written), self.library.names(&round.left));
        let text = if round.written.is_empty() {
            format!("Not saved: {unsaved_names}. {UNCHANGED_REMARK}")
        } else {
            format!("Saved {saved_names}. Not saved: {unsaved_names}. {UNCHANGED_REMARK}")
        };
        self.notify(Severity::Error, text);
        let is_in_conflict =
            |doc: &&DocId| self.library.copy(**doc).is_some_and(WorkingCopy::is_in_conflict);
        match round.left.iter().find(is_in_conflict).copied() {
            // The dialog promises that both versions are shown first.
            Some(doc) if self.overlay.is_none_or(|open| open == Overlay::Unsaved) => {
                self.overlay = None;
                self.show_conflict(doc);
            }
            _ => self.show_when_free(Overlay::Unsaved),
        }
    }

    /// Opens a dialog to choose where to save the text of a document.
    pub(crate) fn pick_save_path(&mut self, doc: DocId) {
        let (Some(item), Some(_)) = (self.library.get(doc), self.library.text(doc)) else { return };
        let proposal = DialogKind::Save(PathBuf::from(&*item.path));
        self.request(Effect::pick("Save as", proposal, move |path| SaveTo { doc, path }));
    }

    pub(crate) fn save_as(&mut self, doc: DocId, path: PathBuf) {
        if let (Some(item), Some((text, _))) = (self.library.share(doc), self.library.text(doc))
            && text.fault().is_none()
        {
            let text = text.clone();
            self.request(Effect::run(SaveDocumentAs { doc, item, path, text }));
        }
    }

    /// The text is saved to another file, so the edits are reverted here. Undo restores them.
    pub(crate) fn on_saved_as(
        &mut self,
        doc: DocId,
        path: &str,
        text: Source,
        destination: SaveDestination,
        result: Result<Saved, SaveFault>,
    ) {
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(fault) => {
                self.notify(Severity::Error, format!("{fault}."));
                return;
            }
        };
        if destination == SaveDestination::SameFile {
            return self.finish_save(doc, text, &outcome);
        }
        self.notify(Severity::Note, format!("Saved as {path}."));
        for remark in &outcome.remarks {
            self.notify(Severity::Warning, format!("{path}: {remark}."));
        }
        match self.library.copy(doc) {
            // Text that was typed since is in no file yet.
            Some(copy) if copy.is_unsaved() && copy.text == text => {
                self.back_to_base(doc, format!("Save {} as {path}", self.library.name_of(doc)));
            }
            _ => {}
        }
    }

    /// Reverts all unsaved edits of a document, as a step that can be undone.
    pub(crate) fn revert(&mut self, doc: DocId) {
        self.back_to_base(doc, format!("Revert {}", self.library.name_of(doc)));
    }

    fn back_to_base(&mut self, doc: DocId, name: String) {
        let Some(copy) = self.library.copy_mut(doc) else { return };
        copy.fault = None;
        let revision = copy.revision;
        let theirs = match std::mem::take(&mut copy.on_disk) {
            // A lossy text must never become the text of a document.
            OnDisk::Changed(theirs) if theirs.fault().is_none() => Some(theirs),
            other => {
                copy.on_disk = other;
                None
            }
        };
        let base_text = theirs.as_ref().unwrap_or(&copy.base);
        let edit = TextEdit::between(copy.text.text(), base_text.text());
        if let Some(theirs) = theirs {
            copy.set_base(theirs);
        }
        if let Some(edit) = edit {
            self.edit_text(doc, revision, edit, name);
        }
    }
}

impl Library {
    /// The names of documents for a sentence; only the first few.
    fn names(&self, docs: &[DocId]) -> String {
        some_and_others(docs.iter().map(|doc| visible(self.name_of(*doc))), MAX_NAMED_FILES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, doc};
    use crate::{Action, Command, Overlay, SaveMode};
    use author::saving::Fingerprint;
    use protocol::EngineEvent;

    const A: &str = "{\"a\": 1}";
    const B: &str = "{\"b\": 1}";

    #[test]
    fn a_save_writes_the_text_and_an_undo_after_it_is_unsaved_again() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
        assert_eq!(bench.unsaved(), [0; 0]);
        let edits = |bench: &Bench| bench.workbench.core.journal.edits_of(doc(0));
        assert_eq!(edits(&bench), 0);
        bench.press(Command::Undo);
        assert_eq!(bench.unsaved(), [0]);
        assert_eq!(edits(&bench), 1);
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(0)], A);
        bench.press(Command::Save);
        assert_eq!(
            bench.notice_texts(),
            ["Undid: Set a to 2.", "Saved a.json.", "Save: it has no unsaved edits."]
        );
    }

    #[test]
    fn what_cannot_be_saved_stays_open_with_the_reason_and_the_round_can_be_resumed() {
        let mut bench = Bench::open(&[("a.json", A), ("b.json", B)]);
        bench.set(doc(0), "/a", "2");
        bench.set(doc(1), "/b", "2");
        bench.read_only.insert(doc(0));
        bench.press(Command::SaveAll);
        assert_eq!((&*bench.disk[&doc(0)], &*bench.disk[&doc(1)]), (A, "{\"b\": 2}"));
        assert_eq!(bench.unsaved(), [0]);
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Unsaved));
        insta::assert_snapshot!(bench.notice_texts().join("\n"), @"Saved b.json. Not saved: a.json. The file on disk is unchanged, and the edits are still here.");
        let fault = bench.workbench.core.library.copy(doc(0)).unwrap().fault.as_deref();
        insta::assert_snapshot!(fault.unwrap().reason, @"The file is read-only and was not changed. Save under another name, or replace the file anyway");

        bench.act(Action::Save(doc(0), SaveMode::ReplaceReadOnly));
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
        assert_eq!(bench.unsaved(), [0; 0]);
    }

    #[test]
    fn saving_all_shows_both_versions_of_a_file_that_changed_on_disk() {
        let mut bench = Bench::open(&[("a.json", A), ("b.json", B)]);
        bench.set(doc(0), "/a", "2");
        bench.set(doc(1), "/b", "2");
        bench.disk.insert(doc(0), "{\"a\": 3}".to_owned());
        bench.press(Command::ShowUnsaved);
        bench.press(Command::SaveAll);
        assert_eq!(bench.disk[&doc(1)], "{\"b\": 2}");
        assert_eq!(bench.workbench.core.overlay, None);
        let view = bench.workbench.core.here().view;
        assert_eq!(view, DeskView::Conflict(doc(0)));
    }

    #[test]
    fn what_is_typed_while_a_text_is_on_its_way_is_saved_before_leaving() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        // The disk is slow: the result arrives after more was typed and the window is being closed.
        bench.workbench.core.save(doc(0), SaveMode::Usual);
        let effects = std::mem::take(&mut bench.workbench.core.effects);
        bench.set(doc(0), "/a", "3");
        bench.press(Command::Quit);
        bench.press(Command::SaveAll);
        assert!(!bench.requested.contains(&"quit".to_owned()));
        bench.perform(effects);
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 3}");
        assert_eq!(bench.requested.last().map(String::as_str), Some("quit"));
    }

    #[test]
    fn a_deleted_file_is_created_again_only_on_purpose() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        bench.disk.clear();
        bench.press(Command::Save);
        assert!(bench.disk.is_empty());
        bench.act(Action::Save(doc(0), SaveMode::Recreate));
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
    }

    #[test]
    fn what_is_saved_as_the_file_it_was_read_from_is_saved() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        let text = bench.workbench.core.library.text(doc(0)).unwrap().0.clone();
        let fingerprint = Fingerprint::from_bytes(text.text().as_bytes());
        let remarks = Vec::new();
        bench.receive(EngineEvent::SavedAs {
            doc: doc(0),
            path: "a.json".to_owned(),
            text,
            to: SaveDestination::SameFile,
            result: Ok(Saved { now: fingerprint, remarks, stable: None }),
        });
        assert_eq!(bench.unsaved(), [0; 0]);
        assert_eq!(bench.text(doc(0)), "{\"a\": 2}");
    }

    #[test]
    fn a_text_that_was_made_stable_is_shown_as_a_step() {
        let mut bench = Bench::open(&[("a.json", A), ("b.json", B)]);
        bench.set(doc(0), "/a", "2");
        bench.stable.insert(doc(0), "{\"a\": 0}\n".to_owned());
        bench.act(Action::Save(doc(0), SaveMode::Usual));
        assert_eq!(bench.text(doc(0)), "{\"a\": 0}\n");
        assert_eq!(bench.unsaved(), [0; 0]);
        assert_eq!(bench.steps(), ["Set a to 2", "Make a.json stable"]);
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), "{\"a\": 2}");
        assert_eq!(bench.unsaved(), [0]);
        bench.set(doc(1), "/b", "2");
        bench.press(Command::SaveAll);
        insta::assert_snapshot!(bench.notice_texts().join("\n"), @"
        Saved a.json and made it stable.
        Undid: Make a.json stable. 1 file is unsaved.
        Saved 2 files, 1 of them made stable.
        ");
    }

    #[test]
    fn what_is_typed_while_a_text_is_made_stable_stays() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.stable.insert(doc(0), "{\"a\": 0}".to_owned());
        bench.set(doc(0), "/a", "2");
        bench.workbench.core.save(doc(0), SaveMode::Usual);
        let effects = std::mem::take(&mut bench.workbench.core.effects);
        bench.set(doc(0), "/a", "3");
        bench.perform(effects);
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 0}");
        assert_eq!(bench.text(doc(0)), "{\"a\": 3}");
        assert_eq!(bench.unsaved(), [0]);
    }

    #[test]
    fn a_revert_is_a_step_that_can_be_undone() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        bench.press(Command::Revert);
        assert_eq!(bench.text(doc(0)), A);
        assert_eq!(bench.steps(), ["Set a to 2", "Revert a.json"]);
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), "{\"a\": 2}");
    }

    #[test]
    fn leaving_needs_one_confirmation_and_saves_or_discards() {
        let mut bench = Bench::open(&[("a.json", A), ("b.json", B)]);
        bench.set(doc(0), "/a", "2");
        bench.press(Command::Quit);
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Unsaved));
        bench.press(Command::Close);
        assert_eq!(bench.workbench.core.leaving.as_ref(), None);
        assert!(!bench.requested.contains(&"quit".to_owned()));

        bench.press(Command::Quit);
        bench.press(Command::SaveAll);
        assert_eq!(bench.requested.last().map(String::as_str), Some("quit"));
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");

        bench.set(doc(1), "/b", "2");
        bench.press(Command::Quit);
        bench.act(Action::Discard);
        assert_eq!(bench.requested[bench.requested.len() - 2..], ["forget 1", "quit"]);
        assert_eq!(bench.disk[&doc(1)], B);
    }

    #[test]
    fn lines_that_would_change_are_found_while_they_are_looked_at() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        assert!(bench.workbench.core.unsaved_diffs.unsaved_changes(doc(0)).is_none());
        bench.press(Command::ShowUnsaved);
        let changes = bench.workbench.core.unsaved_diffs.unsaved_changes(doc(0)).unwrap();
        assert_eq!(changes.changes.len(), 1);
        bench.press(Command::Close);
        assert!(bench.workbench.core.unsaved_diffs.unsaved_changes(doc(0)).is_none());
    }
}
