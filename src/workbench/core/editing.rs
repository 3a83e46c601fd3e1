//! Edits of documents: applied, undone, and parsed again.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{
    Core, DiskRead, EditError, Effect, JournalEntry, Library, Link, NoticeEnd, OnDisk, ValueDraft,
};
use calls::Item;
use check::change::Change;
use compare::review::PlannedWrite;
use document::text::{Source, TextEdit, counted};
use document::{Document, Severity};
use protocol::{DocId, ParseText, ParsedText, PlannedChange, ReadDocument, RemovedItem, Revision};

/// The beginnings of notices about undone and redone steps; a new one replaces the last.
const REPLAY_PREFIXES: [&str; 2] = ["Undid: ", "Redid: "];

/// Way in which an edit is added to the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HistoryMode {
    /// As a separate step.
    Step,
    /// As part of the text that was typed just before.
    Typed,
}

impl Core {
    /// Requests the bytes that a change of a value replaces. A draft that it was typed in is restored if it is refused.
    pub(crate) fn edit_value(
        &mut self,
        doc: DocId,
        base: Revision,
        change: Change,
        draft: Option<ValueDraft>,
    ) {
        self.value_drafts.expect((doc, base), &change, draft);
        match self.library.text(doc) {
            Some((_, now)) if now == base => {
                self.pending_changes.expect(doc, base);
                self.request(self.plan_change(doc, change));
            }
            _ => self.report_not_edited(doc, base, EditError::Stale),
        }
    }

    /// Marks an edit of this revision as pending. Returns false, with a notice, if the revision is out of date.
    pub(crate) fn begin_edit(&mut self, doc: DocId, base: Revision) -> bool {
        let is_there = self.library.text(doc).is_some_and(|(_, revision)| revision == base);
        if is_there {
            self.pending_changes.expect(doc, base);
        } else {
            self.report_not_edited(doc, base, EditError::Stale);
        }
        is_there
    }

    /// Applies a planned edit of the shown text, and runs the commands that waited for it.
    pub(crate) fn on_edit_planned(&mut self, plan: PlannedChange, mode: HistoryMode) {
        let (doc, base) = plan.first;
        let base = base.unwrap_or_default();
        if let Some((_, reason)) = plan.skipped.into_iter().next() {
            self.notify(Severity::Error, format!("{reason}."));
            self.value_drafts.on_refused(doc, base, reason);
        } else {
            if plan.edits.is_empty() {
                self.value_drafts.on_unchanged(doc, base);
                if matches!(plan.change, Change::Tape(_)) {
                    self.notify(Severity::Note, "The edit would change nothing.");
                }
            }
            if let Some(remark) = plan.remark {
                self.notify(Severity::Warning, format!("{remark}."));
            }
            let outcome = self.apply_edits(|_| plan.name.clone(), plan.edits, mode);
            if let Some((_, reason)) = outcome.refused.first() {
                self.report_not_edited(doc, base, *reason);
            }
        };
        for command in self.pending_changes.finish(doc, base) {
            self.link(Link::Run(command));
        }
    }

    /// Handles a changed text that is already parsed.
    pub(crate) fn on_parsed_edit(&mut self, doc: DocId, text: ParsedText) {
        let revision = self.library.begin_parsing(doc);
        self.keep_edited(doc);
        if let Some(revision) = revision {
            self.on_parsed(doc, revision, Ok(text));
        }
    }

    /// Replaces a part of a text: as a separate step, or without a name as a part of what is being typed.
    pub(crate) fn edit_text(
        &mut self,
        doc: DocId,
        base: Revision,
        edit: TextEdit,
        name: impl Into<Option<String>>,
    ) {
        let change = match self.library.edit(doc, base, edit) {
            Ok(change) => change,
            Err(reason) => return self.report_not_edited(doc, base, reason),
        };
        if let Some(name) = name.into() {
            self.journal.record(JournalEntry::from_edits(name, vec![(doc, change)]));
        } else {
            let name = || format!("Edit the text of {}", self.library.name_of(doc));
            self.journal.record_typing(doc, change, name);
        }
        self.on_text_changed(doc);
    }

    fn report_not_edited(&mut self, doc: DocId, base: Revision, reason: EditError) {
        let name = self.library.name_of(doc);
        let reason = format!("{name} was not edited: {}", reason.reason());
        self.notify(Severity::Error, format!("{reason}."));
        self.value_drafts.on_refused(doc, base, reason);
    }

    /// Undoes the last step and reports it. The view stays; `subject` is the document that it shows.
    pub(crate) fn undo(&mut self, subject: Option<DocId>) {
        if let Some(step) = self.undo_step() {
            self.report_replayed("Undid", &step, subject);
        }
    }

    /// Applies the next undone step and reports it. The view stays; `subject` is the document that it shows.
    pub(crate) fn redo(&mut self, subject: Option<DocId>) {
        if let Some(step) = self.redo_step() {
            self.report_replayed("Redid", &step, subject);
        }
    }

    fn undo_step(&mut self) -> Option<JournalEntry> {
        let step = self.journal.undo()?;
        let edits: Vec<_> =
            // In reverse, because each change was made in the text that the changes before it had left.
            step.changes.iter().rev().map(|(doc, change)| (*doc, change.inverse.clone())).collect();
        self.replay(&edits);
        let inverses = step.writes.iter().rev().filter_map(PlannedWrite::inverse);
        self.link(Link::WriteFiles(inverses.collect()));
        Some(step)
    }

    fn redo_step(&mut self) -> Option<JournalEntry> {
        let step = self.journal.redo()?;
        let edits: Vec<_> =
            step.changes.iter().map(|(doc, change)| (*doc, change.edit.clone())).collect();
        self.replay(&edits);
        self.link(Link::WriteFiles(Arc::clone(&step.writes)));
        Some(step)
    }

    /// Reports an undone or redone step; names its file if another one is shown, and then says if it is unsaved.
    fn report_replayed(&mut self, verb: &str, step: &JournalEntry, subject: Option<DocId>) {
        let name = &step.name;
        let mut docs = step.docs();
        let file = match docs.as_slice() {
            [doc] if subject != Some(*doc) => self.library.name_of(*doc),
            _ => "",
        };
        // Also true without a file to name.
        let mut text = if name.contains(file) {
            format!("{verb}: {name}.")
        } else {
            format!("{verb}: {name} ({file}).")
        };
        docs.retain(|doc| self.library.copy(*doc).is_some_and(|copy| copy.is_unsaved()));
        if docs.iter().any(|doc| subject != Some(*doc)) {
            let unsaved_files = counted(docs.len(), "file is", "files are");
            text = format!("{text} {unsaved_files} unsaved.");
        }
        // A step that was undone is no longer reported as done.
        self.notices.retain(|notice| {
            let is_replayed = REPLAY_PREFIXES.iter().any(|verb| notice.text.starts_with(verb));
            !is_replayed && notice.undo.is_none()
        });
        self.notify(Severity::Note, text);
    }

    /// Undoes or redoes until this many steps are applied.
    pub(crate) fn jump_to(&mut self, steps: usize) {
        let steps = steps.min(self.journal.steps.len());
        while self.journal.done > steps {
            self.undo_step();
        }
        while self.journal.done < steps {
            self.redo_step();
        }
    }

    fn replay(&mut self, edits: &[(DocId, TextEdit)]) {
        let mut changed_docs = BTreeSet::new();
        for (doc, edit) in edits {
            let revision = self.library.text(*doc).map(|(_, revision)| revision);
            let result = self.library.edit(*doc, revision.unwrap_or_default(), edit.clone());
            debug_assert!(result.is_ok(), "texts change only through journal steps");
            changed_docs.insert(*doc);
        }
        // Once for each document, however many edits it has.
        for doc in &changed_docs {
            self.on_text_changed(*doc);
        }
    }

    /// Handles a changed text: it must be parsed, and stored for recovery.
    pub(crate) fn on_text_changed(&mut self, doc: DocId) {
        let parse = self.library.begin_parsing(doc).and_then(|_| self.library.parse(doc));
        self.request(parse);
        self.keep_edited(doc);
    }

    /// Handles a changed text: stores it for recovery, and lists its item while it has one.
    fn keep_edited(&mut self, doc: DocId) {
        self.news.rewritten.push(doc);
        self.request(self.sync_draft(doc));
        let Some(copy) = self.library.copy(doc) else { return };
        if !copy.is_unsaved() && copy.saving.is_none() && copy.on_disk == OnDisk::Gone {
            // Neither the file nor an edit of it remains.
            let renamed_to = None;
            self.on_items_removed(vec![RemovedItem { doc, renamed_to }]);
        } else {
            self.library.restore_item(doc);
        }
    }

    /// Handles a parsed text, and requests the next parse if the text has changed since.
    pub(crate) fn on_parsed(
        &mut self,
        doc: DocId,
        revision: Revision,
        result: Result<ParsedText, String>,
    ) {
        let Some(copy) = self.library.copy_mut(doc) else { return };
        let current_revision = copy.revision;
        // One parse at a time: what was typed during it is parsed together.
        copy.reading = (revision < current_revision).then_some(current_revision);
        match result {
            Ok(ParsedText { document, item }) => {
                self.library.set_document(doc, revision, document);
                // An item that was removed meanwhile is not listed again.
                if let Some(item) = item.filter(|_| self.library.get(doc).is_some()) {
                    self.replace_items(vec![(doc, item)]);
                }
            }
            Err(reason) => self.notify(Severity::Error, reason),
        }
        if revision < current_revision {
            self.request(self.library.parse(doc));
        }
    }

    /// Handles a file that was read from disk. Unsaved edits of the document are kept.
    pub(crate) fn on_document_opened(&mut self, doc: DocId, result: Result<Arc<Document>, String>) {
        if self.library.copy(doc).is_none() {
            self.library.set_opened(doc, result);
            return;
        }
        let copy = self.library.copy_mut(doc);
        let disk_read = copy.map(|copy| std::mem::take(&mut copy.disk_read));
        match result {
            // The file may have been read before the last save.
            _ if disk_read == Some(DiskRead::Overtaken) => self.check_disk(doc),
            Ok(document) => self.on_disk_text(doc, document.source()),
            // A save will report the reason.
            Err(_) => {}
        }
    }

    /// Requests the current file content of an edited document.
    pub(crate) fn check_disk(&mut self, doc: DocId) {
        if let Some(copy) = self.library.copy_mut(doc) {
            copy.disk_read = DiskRead::Requested;
        }
        self.request(self.library.read_file(doc));
    }

    /// Handles the current content of a file, written by Retake or by another program.
    pub(crate) fn on_disk_text(&mut self, doc: DocId, disk_text: &Source) {
        let Some(copy) = self.library.copy_mut(doc) else { return };
        // A save is writing this text, and reports its end itself.
        if copy.saving.as_ref() == Some(disk_text) {
            return;
        }
        if disk_text == &copy.base {
            copy.on_disk = OnDisk::AsRead;
            self.forget_conflict(doc);
            return;
        }
        if disk_text == &copy.text {
            // The same change was made here and on disk.
            copy.set_base(disk_text.clone());
            self.forget_conflict(doc);
            self.request(self.sync_draft(doc));
            return;
        }
        if !copy.is_unsaved() && disk_text.fault().is_none() {
            return self.adopt_disk_text(doc, disk_text);
        }
        // This text was reported already.
        if matches!(&copy.on_disk, OnDisk::Changed(old_text) if old_text == disk_text) {
            return;
        }
        copy.on_disk = OnDisk::Changed(disk_text.clone());
        let text = self.library.changed_on_disk_message(doc);
        self.notify_until(NoticeEnd::NoConflict(doc), Severity::Warning, text);
        // The choices were made between other texts.
        self.forget_conflict(doc);
    }

    /// Adopts a changed file for a document without edits. The previous text can be restored by undo.
    fn adopt_disk_text(&mut self, doc: DocId, disk_text: &Source) {
        let Some((text, revision)) = self.library.text(doc) else { return };
        let Some(edit) = TextEdit::between(text.text(), disk_text.text()) else { return };
        let name = format!("Change of {} on disk", self.library.name_of(doc));
        if let Some(copy) = self.library.copy_mut(doc) {
            copy.set_base(disk_text.clone());
        }
        self.edit_text(doc, revision, edit, name);
    }
}

impl Library {
    /// Marks the current text as being parsed and returns its revision; `None` while an older one is being parsed.
    fn begin_parsing(&mut self, doc: DocId) -> Option<Revision> {
        let copy = self.copy_mut(doc)?;
        let is_first = copy.reading.is_none();
        is_first.then_some(*copy.reading.get_or_insert(copy.revision))
    }

    fn parse(&self, doc: DocId) -> Option<Effect> {
        self.parse_as(doc, self.share_edited(doc)?)
    }

    pub(crate) fn parse_as(&self, doc: DocId, item: Arc<Item>) -> Option<Effect> {
        let (text, revision) = self.text(doc)?;
        Some(Effect::run(ParseText { doc, item, revision, text: text.clone() }))
    }

    /// Requests the content of a file.
    pub(crate) fn read_file(&self, doc: DocId) -> Option<Effect> {
        Some(Effect::run(ReadDocument { doc, item: self.share(doc)? }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Bench, doc};
    use crate::{Action, Command};
    use check::change::Change;
    use document::edit::{Edit, JsonValue};
    use document::text::TextEdit;
    use protocol::Revision;

    const SESSION: &str =
        "id: a\ninput: b\ntool_responses:\n  - tool: x\n    status: 200 # as it was\n";
    const JSON: &str = "{\r\n  \"a\": 1.50\r\n}";

    #[test]
    fn edits_are_undone_in_order_across_documents_until_every_byte_is_back() {
        let mut bench = Bench::open(&[("s.yaml", SESSION), ("j.json", JSON)]);
        bench.set(doc(0), "/tool_responses/0/status", "504");
        bench.set(doc(1), "/a", "2");
        bench.set(doc(0), "/input", "\"no\"");
        assert_eq!(
            bench.steps(),
            ["Set status of tool response 1 to 504", "Set a to 2", "Set input to \"no\""]
        );
        assert_eq!(bench.unsaved(), [0, 1]);
        assert_eq!(bench.text(doc(0)), SESSION.replace("200", "504").replace(": b", ": \"no\""));

        for count in [2, 1, 0] {
            bench.press(Command::Undo);
            assert_eq!(bench.steps().len(), count);
        }
        assert_eq!((bench.text(doc(0)), bench.text(doc(1))), (SESSION, JSON));
        assert_eq!(bench.unsaved(), [0; 0]);
        assert_eq!(bench.requested.last().map(String::as_str), Some("forget 0"));

        bench.act(Action::JumpTo(2));
        assert_eq!(bench.text(doc(1)), JSON.replace("1.50", "2"));
        bench.set(doc(1), "/a", "3");
        bench.press(Command::Redo);
        assert_eq!(bench.notice_texts().last(), Some(&"Redo: nothing to redo."));
        assert_eq!(bench.steps().last(), Some(&"Set a to 3"));
    }

    #[test]
    fn an_undo_stays_where_it_was_pressed_and_names_the_file() {
        let mut bench = Bench::open(&[("s.yaml", SESSION), ("j.json", JSON)]);
        bench.set(doc(0), "/input", "\"c\"");
        bench.act(Action::Select(doc(1)));
        let location = bench.workbench.core.here();
        bench.press(Command::Undo);
        assert_eq!(bench.workbench.core.list.selected, Some(doc(1)));
        bench.press(Command::Redo);
        assert_eq!(bench.workbench.core.here(), location);
        assert_eq!(
            bench.notice_texts(),
            ["Redid: Set input to \"c\" (s.yaml). 1 file is unsaved."]
        );
    }

    #[test]
    fn an_edit_for_an_older_text_is_refused_aloud() {
        let mut bench = Bench::open(&[("j.json", JSON)]);
        let (_, base) = bench.workbench.core.library.text(doc(0)).unwrap();
        bench.set(doc(0), "/a", "2");
        let edit = Edit::Set { pointer: "/a".to_owned(), value: JsonValue::parse("3").unwrap() };
        bench.act(Action::EditValue { doc: doc(0), base, change: Change::Value(edit) });
        let edit = TextEdit { range: 0..1, new: String::new() };
        bench.act(Action::EditText { doc: doc(0), base, edit, name: None });
        let refusal = "j.json was not edited: its text has changed since; check it and edit again.";
        assert_eq!(bench.notice_texts(), [refusal]);
        assert_eq!(bench.text(doc(0)), JSON.replace("1.50", "2"));
    }

    #[test]
    fn an_edit_that_cannot_be_made_gives_its_reason() {
        let mut bench = Bench::open(&[("s.yaml", "a: &x {k: 1}\nb: *x\n")]);
        bench.set(doc(0), "/b/k", "2");
        assert_eq!(bench.steps(), [""; 0]);
        insta::assert_snapshot!(bench.notice_texts()[0], @"The alias `*x` refers to a value at line 1; edit it there, or set the alias itself (line 2, column 4).");
    }

    #[test]
    fn what_is_typed_in_one_go_is_one_step() {
        let mut bench = Bench::open(&[("j.json", JSON)]);
        bench.type_over(doc(0), "1.50", "");
        bench.type_over(doc(0), ": ", ": 7");
        bench.type_over(doc(0), "7", "78");
        bench.act(Action::EndTyping);
        bench.type_over(doc(0), "78", "789");
        assert_eq!(bench.steps(), ["Edit the text of j.json", "Edit the text of j.json"]);
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), JSON.replace("1.50", "78"));
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), JSON);
    }

    #[test]
    fn a_reading_follows_every_text() {
        let mut bench = Bench::open(&[("j.json", JSON)]);
        bench.type_over(doc(0), "1.50", "true");
        let document_text = |bench: &Bench| {
            let document = bench.workbench.core.library.document(doc(0)).unwrap();
            document.source().text().to_owned()
        };
        assert_eq!(document_text(&bench), JSON.replace("1.50", "true"));
        bench.press(Command::Undo);
        assert_eq!(document_text(&bench), JSON);
        assert!(bench.workbench.core.library.text(doc(0)).unwrap().1 > Revision::default());
    }

    #[test]
    fn a_change_on_disk_is_adopted_and_can_be_undone() {
        let mut bench = Bench::open(&[("j.json", JSON)]);
        bench.set(doc(0), "/a", "2");
        bench.press(Command::Save);
        bench.write_outside(doc(0), "{}");
        assert_eq!(bench.text(doc(0)), "{}");
        assert_eq!(bench.unsaved(), [0; 0]);
        bench.act(Action::JumpTo(0));
        assert_eq!(bench.text(doc(0)), JSON);
        assert_eq!(bench.unsaved(), [0]);
    }
}
