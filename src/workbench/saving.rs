//! Saving, saving elsewhere, going back to what is on disk, and what comes of it.

use std::path::PathBuf;
use std::sync::Arc;

use super::action::{Overlay, SaveWay};
use super::event::{Effect, SaveOrder};
use super::library::DocId;
use super::navigation::View;
use super::state::Workbench;
use super::working_copy::OnDisk;
use crate::format::Severity;
use crate::ops::diff::counted;
use crate::ops::saving::{Fault, ReadOnly, SaveFault, Saved};
use crate::text::{Source, TextEdit};

/// A save of several documents, of which some may fail.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    /// Not answered yet.
    pending: Vec<DocId>,
    written: usize,
    /// Not written; each document holds the reason.
    left: usize,
}

impl Workbench {
    /// Saves one document; one that others changed meanwhile is shown in all its versions instead.
    pub(super) fn save(&mut self, doc: DocId, way: SaveWay) -> Vec<Effect> {
        self.journal.end_typing();
        let Some(copy) = self.library.copy_mut(doc) else {
            return Vec::new();
        };
        if copy.is_in_conflict() {
            return match self.here().view == View::Conflict(doc) {
                true => self.resolve(doc),
                false => self.show_conflict(doc),
            };
        }
        if !copy.is_unsaved() || copy.is_being_saved() {
            return Vec::new();
        }
        let text = copy.text().clone();
        copy.saving = Some(text.clone());
        vec![Effect::Save(SaveOrder {
            doc,
            text,
            base: match way {
                SaveWay::Anew => None,
                SaveWay::Usual | SaveWay::ReplaceReadOnly => Some(copy.base().clone()),
            },
            read_only: match way {
                SaveWay::ReplaceReadOnly => ReadOnly::Replace,
                SaveWay::Usual | SaveWay::Anew => ReadOnly::Refuse,
            },
        })]
    }

    /// Saves everything that is unsaved. What cannot be saved stays open, with the reason.
    pub(super) fn save_all(&mut self) -> Vec<Effect> {
        let unsaved: Vec<_> = self.library.unsaved().collect();
        let in_conflict = unsaved
            .iter()
            .filter(|(_, copy)| copy.is_in_conflict())
            .count();
        let free = unsaved.iter().filter(|(_, copy)| !copy.is_in_conflict());
        let pending: Vec<DocId> = free.map(|(doc, _)| *doc).collect();
        self.round = Some(Round {
            pending: pending.clone(),
            written: 0,
            left: in_conflict,
        });
        let mut effects = Vec::new();
        for doc in pending {
            effects.extend(self.save(doc, SaveWay::Usual));
        }
        effects.extend(self.end_round());
        effects
    }

    pub(super) fn saved(&mut self, doc: DocId, result: Result<Saved, SaveFault>) -> Vec<Effect> {
        let Some(text) = self
            .library
            .copy_mut(doc)
            .and_then(|copy| copy.saving.take())
        else {
            return Vec::new();
        };
        let succeeded = result.is_ok();
        let mut effects = match result {
            Ok(saved) => self.was_saved(doc, text, &saved),
            Err(fault) => {
                self.was_not_saved(doc, fault);
                Vec::new()
            }
        };
        if let Some(round) = &mut self.round {
            round.pending.retain(|other| *other != doc);
            match succeeded {
                true => round.written += 1,
                false => round.left += 1,
            }
            effects.extend(self.end_round());
        } else if !succeeded {
            effects.extend(self.show_fault(doc));
        }
        effects
    }

    fn was_saved(&mut self, doc: DocId, text: Source, saved: &Saved) -> Vec<Effect> {
        let name = self.library.name_of(doc).to_owned();
        for remark in &saved.remarks {
            self.notify(Severity::Warning, format!("{name}: {remark}."));
        }
        let Some(copy) = self.library.copy_mut(doc) else {
            return Vec::new();
        };
        copy.set_base(text);
        copy.overtake_read();
        let is_unsaved = copy.is_unsaved();
        self.forget_conflict(doc);
        if self.round.is_none() && saved.remarks.is_empty() {
            self.notify(Severity::Note, format!("Saved {name}."));
        }
        match is_unsaved {
            true => vec![Effect::Keep(doc)],
            false => vec![Effect::Forget(doc)],
        }
    }

    fn was_not_saved(&mut self, doc: DocId, fault: SaveFault) {
        if self.round.is_none() {
            self.notify(Severity::Error, format!("{}.", fault.reason));
        }
        let Some(copy) = self.library.copy_mut(doc) else {
            return;
        };
        match &fault.reason {
            Fault::Changed { theirs, .. } | Fault::Exists { theirs, .. } => {
                copy.on_disk = OnDisk::Changed(Source::from_bytes(theirs.to_vec()));
            }
            Fault::FileGone | Fault::FolderGone => copy.on_disk = OnDisk::Gone,
            _ => {}
        }
        copy.fault = Some(Arc::new(fault));
    }

    /// Shows what can be done about a save that failed.
    fn show_fault(&mut self, doc: DocId) -> Vec<Effect> {
        match self
            .library
            .copy(doc)
            .is_some_and(|copy| copy.is_in_conflict())
        {
            true => self.show_conflict(doc),
            false => {
                self.overlay = Some(Overlay::Unsaved);
                Vec::new()
            }
        }
    }

    /// When each save of a round is answered: says what was written and what was not, and leaves if that was the plan.
    fn end_round(&mut self) -> Vec<Effect> {
        let Some(Round {
            pending,
            written,
            left,
        }) = &self.round
        else {
            return Vec::new();
        };
        if !pending.is_empty() {
            return Vec::new();
        }
        let (written, left) = (*written, *left);
        self.round = None;
        if left == 0 {
            self.notify(
                Severity::Note,
                format!("Saved {}.", counted(written, "file", "files")),
            );
            if self.overlay == Some(Overlay::Unsaved) {
                self.overlay = None;
            }
            return self.leave_for_good();
        }
        self.notify(
            Severity::Error,
            format!(
                "Saved {written} of {}; the rest is unchanged on disk, and its edits are still here.",
                counted(written + left, "file", "files")
            ),
        );
        self.overlay = Some(Overlay::Unsaved);
        Vec::new()
    }

    /// Lets the user choose where to save a document's text.
    pub(super) fn ask_where(&mut self, doc: DocId) -> Vec<Effect> {
        match self.library.text(doc) {
            Some(_) => vec![Effect::PickSave(doc)],
            None => Vec::new(),
        }
    }

    pub(super) fn save_as(&mut self, doc: DocId, path: PathBuf) -> Vec<Effect> {
        match self.library.text(doc) {
            Some((text, _)) if text.fault().is_none() => {
                let text = text.clone();
                vec![Effect::SaveAs { doc, path, text }]
            }
            _ => Vec::new(),
        }
    }

    /// The text is safe in another file, so the edits are taken back here. Undo brings them again.
    pub(super) fn saved_as(
        &mut self,
        doc: DocId,
        path: &str,
        text: &Source,
        result: Result<Saved, SaveFault>,
    ) -> Vec<Effect> {
        match result {
            Err(fault) => {
                self.notify(Severity::Error, format!("{fault}."));
                return Vec::new();
            }
            Ok(saved) => {
                self.notify(Severity::Note, format!("Saved as {path}."));
                for remark in &saved.remarks {
                    self.notify(Severity::Warning, format!("{path}: {remark}."));
                }
            }
        }
        match self.library.copy(doc) {
            Some(copy) if copy.is_unsaved() && copy.text() == text => {
                self.back_to_base(doc, format!("Save {} as {path}", self.library.name_of(doc)))
            }
            _ => Vec::new(),
        }
    }

    /// Takes all unsaved edits of a document back, as a step that can be undone.
    pub(super) fn revert(&mut self, doc: DocId) -> Vec<Effect> {
        self.back_to_base(doc, format!("Revert {}", self.library.name_of(doc)))
    }

    fn back_to_base(&mut self, doc: DocId, name: String) -> Vec<Effect> {
        let Some(copy) = self.library.copy_mut(doc) else {
            return Vec::new();
        };
        copy.fault = None;
        let revision = copy.revision();
        let theirs = match std::mem::take(&mut copy.on_disk) {
            OnDisk::Changed(theirs) if theirs.fault().is_none() => Some(theirs),
            other => {
                copy.on_disk = other;
                None
            }
        };
        let back = theirs.as_ref().unwrap_or(copy.base());
        let edit = TextEdit::between(copy.text().text(), back.text());
        if let Some(theirs) = theirs {
            copy.set_base(theirs);
        }
        match edit {
            Some(edit) => self.edit(doc, revision, edit, name),
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::workbench::testing::{Bench, doc};
    use crate::workbench::{Action, Command, Overlay, SaveWay};

    const A: &str = "{\"a\": 1}";
    const B: &str = "{\"b\": 1}";

    #[test]
    fn a_save_writes_the_text_and_an_undo_after_it_is_unsaved_again() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
        assert_eq!(bench.unsaved(), [0; 0]);
        bench.press(Command::Undo);
        assert_eq!(bench.unsaved(), [0]);
        bench.press(Command::Save);
        assert_eq!(bench.disk[&doc(0)], A);
        bench.press(Command::Save);
        assert_eq!(
            bench.said(),
            ["Saved a.json.", "Save: everything in it is saved."]
        );
    }

    #[test]
    fn what_cannot_be_saved_stays_open_with_the_reason_and_the_round_can_be_resumed() {
        let mut bench = Bench::open(&[("a.json", A), ("b.json", B)]);
        bench.set(doc(0), "/a", "2");
        bench.set(doc(1), "/b", "2");
        bench.read_only.insert(doc(0));
        bench.press(Command::SaveAll);
        assert_eq!(
            (&*bench.disk[&doc(0)], &*bench.disk[&doc(1)]),
            (A, "{\"b\": 2}")
        );
        assert_eq!(bench.unsaved(), [0]);
        assert_eq!(bench.workbench.overlay(), Some(Overlay::Unsaved));
        insta::assert_snapshot!(bench.said().join("\n"), @"Saved 1 of 2 files; the rest is unchanged on disk, and its edits are still here.");
        let fault = bench.workbench.library().copy(doc(0)).unwrap().fault();
        insta::assert_snapshot!(fault.unwrap().reason, @"The file is read-only and stays as it was. Save under another name, or replace it on purpose");

        bench.act(Action::Save(doc(0), SaveWay::ReplaceReadOnly));
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
        assert_eq!(bench.unsaved(), [0; 0]);
    }

    #[test]
    fn a_file_that_is_gone_is_made_anew_only_on_purpose() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        bench.disk.clear();
        bench.press(Command::Save);
        assert!(bench.disk.is_empty());
        bench.act(Action::Save(doc(0), SaveWay::Anew));
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
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
    fn leaving_asks_once_and_saves_or_discards() {
        let mut bench = Bench::open(&[("a.json", A), ("b.json", B)]);
        bench.set(doc(0), "/a", "2");
        bench.press(Command::Quit);
        assert_eq!(bench.workbench.overlay(), Some(Overlay::Unsaved));
        bench.press(Command::Close);
        assert_eq!(bench.workbench.leaving(), None);
        assert!(!bench.asked.contains(&"quit".to_owned()));

        bench.press(Command::Quit);
        bench.press(Command::SaveAll);
        assert_eq!(bench.asked.last().map(String::as_str), Some("quit"));
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");

        bench.set(doc(1), "/b", "2");
        bench.press(Command::Quit);
        bench.act(Action::Discard);
        assert_eq!(bench.asked[bench.asked.len() - 2..], ["forget 1", "quit"]);
        assert_eq!(bench.disk[&doc(1)], B);
    }

    #[test]
    fn lines_that_would_change_are_found_while_they_are_looked_at() {
        let mut bench = Bench::open(&[("a.json", A)]);
        bench.set(doc(0), "/a", "2");
        assert!(bench.workbench.unsaved_changes(doc(0)).is_none());
        bench.press(Command::ShowUnsaved);
        let changes = bench.workbench.unsaved_changes(doc(0)).unwrap();
        assert_eq!(changes.changes.len(), 1);
        bench.press(Command::Close);
        assert!(bench.workbench.unsaved_changes(doc(0)).is_none());
    }
}
