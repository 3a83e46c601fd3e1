//! Edits of many documents as one step, which is shown before it is applied.

use crate::{Core, Effect, Library};
use calls::Item;
use check::change::Change;
use document::text::counted;
use document::{FileKind, Severity};
use protocol::{DocId, PlanBatch, PlanChange, PlannedChange, heading_of};

/// The past participle of a change for messages: `stamped`.
fn participle(change: &Change) -> &'static str {
    match change {
        Change::Stamp | Change::Restamp => "stamped",
        Change::RewritePath(_) => "rewritten",
        Change::Fix(_) | Change::Fixes(_) | Change::FixRule(_) | Change::Cassette(_) => "fixed",
        Change::Sign => "signed",
        Change::Replace(_) => "changed",
        _ => "edited",
    }
}

impl Core {
    /// All recordings that match the filter and the verdict, including those in folded groups; only those under a heading if
    /// there is one.
    pub(crate) fn listed_recordings(&self, heading: Option<&str>) -> Vec<DocId> {
        let list = &self.list;
        let is_below =
            |item: &Item| heading.is_none_or(|heading| heading_of(item, list.grouping) == heading);
        // The rows lack recordings of folded groups.
        let order = list.listing.orders.by_path.iter();
        let items = order.filter_map(|id| Some((*id, self.library.get(*id)?)));
        let recordings = items.filter(|(id, item)| {
            item.kind == FileKind::Recording
                && self.passes_filter(*id, item)
                && list.lists_verdict_of(item)
                && is_below(item)
        });
        recordings.map(|(id, _)| id).collect()
    }

    /// Requests the edits of these documents.
    pub(crate) fn plan_batch(&mut self, change: Change, docs: Vec<DocId>) {
        // Text that is typed while the edits are planned is a step of its own.
        self.journal.end_typing();
        if docs.is_empty() {
            let verb = participle(&change);
            self.notify(Severity::Note, format!("No recordings to be {verb}."));
            return;
        }
        let documents = docs.into_iter().filter_map(|doc| self.library.current(doc));
        self.request(Effect::run(PlanBatch(PlanChange {
            generation: self.generation,
            documents: documents.collect(),
            change,
        })));
    }

    /// Shows the edits of many documents as one step, or reports why there are none.
    pub(crate) fn on_batch_planned(&mut self, plan: PlannedChange) {
        let edit_count = plan.edits.len();
        let report = self.library.describe_skipped(&plan.change, edit_count, &plan.skipped);
        if edit_count == 0 {
            if let Some((severity, text)) = report {
                self.notify(severity, text);
            }
            return;
        }
        let remark = plan.remark.as_ref().map(|remark| format!("{remark}."));
        self.propose_step(plan, remark.into_iter().chain(report.map(|(_, text)| text)).collect());
    }
}

impl Library {
    /// Returns the notice about the documents that were skipped; names the first one, with the reason.
    pub(super) fn describe_skipped(
        &self,
        change: &Change,
        edit_count: usize,
        skipped_docs: &[(DocId, String)],
    ) -> Option<(Severity, String)> {
        let verb = participle(change);
        let (singular, plural) = match change {
            Change::Replace(_) => ("file", "files"),
            _ => ("recording", "recordings"),
        };
        let Some((first, reason)) = skipped_docs.first() else {
            let text = format!("All {plural} are already {verb}.");
            return (edit_count == 0).then_some((Severity::Note, text));
        };
        let first = self.name_of(*first);
        let text = match skipped_docs.len() {
            1 => format!("{first} was not {verb}: {reason}."),
            count => {
                format!(
                    "{} were not {verb}. First: {first}: {reason}.",
                    counted(count, singular, plural)
                )
            }
        };
        Some((Severity::Warning, text))
    }
}

#[cfg(test)]
mod tests {
    use crate::core::step::MAX_STEP_FILES;
    use crate::testing::{Bench, doc, parsed};
    use crate::{Action, Command, DeskView, Overlay, StepDecision};
    use check::change::Change;
    use document::text::Source;
    use machine::stamp::{Renewal, StampContextKeys, StampOptions, stamp};
    use protocol::EngineEvent;
    use protocol::{PlannedChange, PlannedEdit};

    const TEXT: &str =
        r#"{"request": {"messages": [], "tools": []}, "response": {"response": {"content": []}}}"#;

    fn stamped() -> String {
        let options = StampOptions {
            source: None,
            renewal: Renewal::Renew,
            context_keys: StampContextKeys::AsStored,
        };
        let document = document::read(Source::new(TEXT), "turn-1.json");
        let edit = stamp(&document, &options).unwrap().unwrap().edit;
        let mut text = TEXT.to_owned();
        edit.apply(&mut text).unwrap();
        text
    }

    /// More recordings than can be open at once, and one other file.
    fn bench() -> Bench {
        let names: Vec<String> = (1..=17).map(|n| format!("turn-{n}.json")).collect();
        let mut files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, TEXT)).collect();
        files.push(("a.json", "{}"));
        let bench = Bench::open(&files);
        assert!(bench.workbench.core.library.text(doc(0)).is_none());
        bench
    }

    #[test]
    fn a_step_changes_nothing_until_it_is_decided_and_then_saves_only_its_files() {
        let mut bench = bench();
        bench.act(Action::Select(doc(17)));
        bench.type_over(doc(17), "{}", "[]");
        let history = bench.workbench.core.journal.revision;
        let requests = bench.requested.clone();
        bench.act(Action::Batch(Change::Stamp, (0..18).map(doc).collect()));
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Step));
        let step = bench.workbench.core.step.as_ref().unwrap();
        assert_eq!(step.name, "Stamp 17 recordings");
        assert_eq!(step.remarks, ["a.json was not stamped: The file is not a recording."]);
        let diffs = &bench.workbench.core.unsaved_diffs;
        assert!(diffs.unsaved_changes(doc(0)).is_some());
        assert!(diffs.unsaved_changes(doc(17)).is_none());

        // An earlier edit cannot be undone below the dialog.
        bench.press(Command::Undo);
        bench.press(Command::Close);
        assert_eq!(bench.workbench.core.overlay, None);
        assert!(bench.workbench.core.step.is_none());
        assert_eq!(bench.workbench.core.journal.revision, history);
        assert_eq!((bench.unsaved(), &bench.requested), (vec![17], &requests));
        assert!(bench.workbench.core.library.copy(doc(0)).is_none());
        assert_eq!(bench.notice_texts(), [""; 0]);

        bench.act(Action::Batch(Change::Stamp, (0..18).map(doc).collect()));
        bench.act(Action::DecideStep(StepDecision::Save));
        assert_eq!(bench.workbench.core.overlay, None);
        assert_eq!(bench.steps(), ["Edit the text of a.json", "Stamp 17 recordings"]);
        let files = (0..17).map(|i| &bench.disk[&doc(i)]);
        assert!(files.clone().all(|text| *text == stamped()));
        assert_eq!((bench.unsaved(), &*bench.disk[&doc(17)]), (vec![17], "{}"));
        let undo = |bench: &Bench| bench.workbench.core.notices.last().unwrap().undo;
        assert_eq!(undo(&bench), Some(bench.workbench.core.journal.revision));

        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), TEXT);
        assert_eq!(bench.notice_texts(), ["Undid: Stamp 17 recordings. 17 files are unsaved."]);
        assert_eq!(undo(&bench), None);
        bench.press(Command::SaveAll);
        bench.press(Command::Redo);
        let notice = "Redid: Stamp 17 recordings. 17 files are unsaved.";
        assert_eq!(bench.notice_texts().last(), Some(&notice));
        bench.act(Action::Batch(Change::Stamp, vec![doc(0), doc(16)]));
        assert_eq!(bench.workbench.core.overlay, None);
        assert_eq!(bench.notice_texts().last(), Some(&"All recordings are already stamped."));
    }

    #[test]
    fn what_was_edited_before_a_cancelled_step_stays_as_it_was_and_a_kept_one_saves_nothing() {
        let mut bench = bench();
        bench.set(doc(16), "/request/messages", "[{}]");
        let edited_text = bench.text(doc(16)).to_owned();
        let revision = bench.workbench.core.library.text(doc(16)).unwrap().1;
        bench.act(Action::Batch(Change::Stamp, vec![doc(16)]));
        bench.act(Action::SetOverlay(None));
        assert_eq!(bench.text(doc(16)), edited_text);
        let new_revision = bench.workbench.core.library.text(doc(16)).unwrap().1;
        assert_eq!(new_revision, revision);
        assert_eq!(bench.steps().len(), 1);

        bench.act(Action::Batch(Change::Stamp, vec![doc(16)]));
        bench.act(Action::DecideStep(StepDecision::KeepUnsaved));
        assert!(bench.text(doc(16)).contains("\"messageCount\": 1"));
        assert_eq!(bench.disk[&doc(16)], TEXT);
        assert_eq!(bench.notice_texts(), ["Stamp 1 recording: 1 file kept unsaved."]);
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(16)), edited_text);
        assert_eq!(
            bench.notice_texts().last(),
            Some(&"Undid: Stamp 1 recording (turn-17.json). 1 file is unsaved.")
        );
    }

    #[test]
    fn a_planned_step_waits_until_the_open_overlay_is_closed() {
        let mut bench = bench();
        let stamp = || Action::Batch(Change::Stamp, vec![doc(0), doc(16)]);
        let overlay = |bench: &Bench| bench.workbench.core.overlay;
        bench.press(Command::ShowPalette);
        bench.act(stamp());
        assert_eq!(overlay(&bench), Some(Overlay::Palette));
        bench.press(Command::Close);
        assert_eq!(overlay(&bench), Some(Overlay::Step));
        let diffs = &bench.workbench.core.unsaved_diffs;
        assert!(diffs.unsaved_changes(doc(0)).is_some());
        bench.press(Command::Close);
        assert!(bench.workbench.core.step.is_none());

        // The window is being closed: that is not cancelled, and the step is not decided by accident.
        bench.set(doc(16), "/request/messages", "[{}]");
        bench.press(Command::Quit);
        bench.act(stamp());
        assert_eq!(overlay(&bench), Some(Overlay::Unsaved));
        assert!(bench.workbench.core.leaving.is_some());
        bench.press(Command::Close);
        assert_eq!(overlay(&bench), Some(Overlay::Step));
        bench.press(Command::Close);

        bench.press(Command::Quit);
        bench.act(stamp());
        bench.press(Command::SaveAll);
        assert_eq!(bench.requested.last().map(String::as_str), Some("quit"));
        assert_eq!((overlay(&bench), bench.steps().len()), (None, 1));
    }

    #[test]
    fn a_step_is_shown_again_after_the_palette_and_the_sheet_of_keys() {
        let mut bench = bench();
        bench.act(Action::Batch(Change::Stamp, vec![doc(0), doc(16)]));
        for (command, overlay) in [
            (Command::ShowPalette, Overlay::Palette),
            (Command::ShowKeys, Overlay::Keys),
            (Command::GoPath, Overlay::Path),
        ] {
            bench.press(command);
            assert_eq!(bench.workbench.core.overlay, Some(overlay));
            bench.press(Command::Close);
            assert_eq!(bench.workbench.core.overlay, Some(Overlay::Step));
            assert!(bench.workbench.core.step.is_some());
        }
        bench.press(Command::Close);
        assert_eq!(bench.workbench.core.overlay, None);
        assert!(bench.workbench.core.step.is_none());
    }

    #[test]
    fn only_files_that_are_shown_are_compared() {
        let names: Vec<String> = (0..=MAX_STEP_FILES).map(|n| format!("turn-{n}.json")).collect();
        let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, TEXT)).collect();
        let mut bench = Bench::open(&files);
        let docs = (0..files.len()).map(doc).collect();
        bench.act(Action::Batch(Change::Stamp, docs));
        let core = &bench.workbench.core;
        assert_eq!(core.step.as_ref().unwrap().files.len(), MAX_STEP_FILES + 1);
        assert_eq!(core.unsaved_diffs.count(), MAX_STEP_FILES);
    }

    #[test]
    fn a_save_that_fails_late_does_not_replace_a_step() {
        let mut bench = bench();
        bench.act(Action::Select(doc(16)));
        bench.set(doc(16), "/request/messages", "[{}]");
        bench.read_only.insert(doc(16));
        for request in [Command::Save, Command::SaveAll] {
            // The disk is slow.
            let effects = bench.workbench.apply(Action::Run(request));
            bench.act(Action::Batch(Change::Stamp, vec![doc(0)]));
            bench.perform(effects);
            assert_eq!(bench.workbench.core.overlay, Some(Overlay::Step));
            assert!(bench.workbench.core.step.is_some());
            bench.press(Command::Close);
            assert_eq!(bench.workbench.core.overlay, Some(Overlay::Unsaved));
            bench.press(Command::Close);
            assert_eq!(bench.workbench.core.overlay, None);
        }

        // Another program wrote the file.
        bench.disk.insert(doc(16), "{}".to_owned());
        let effects = bench.workbench.apply(Action::Run(Command::Save));
        bench.act(Action::Batch(Change::Stamp, vec![doc(0)]));
        bench.perform(effects);
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Step));
        let view = bench.workbench.core.here().view;
        assert_eq!(view, DeskView::Conflict(doc(16)));
    }

    #[test]
    fn a_text_that_changed_meanwhile_is_left_alone() {
        let mut bench = bench();
        let plan = |index: usize, text: &str| PlannedEdit {
            doc: doc(index),
            base: None,
            text: Source::new(text),
            edit: document::text::TextEdit { range: 0..0, new: " ".to_owned() },
            parsed: parsed(Source::new(text), "a.json"),
        };
        let change = PlannedChange {
            change: Change::Stamp,
            first: (doc(16), None),
            name: "Stamp 2 recordings".to_owned(),
            edits: vec![plan(16, "older"), plan(15, TEXT)],
            skipped: Vec::new(),
            remark: Some("Look twice".to_owned()),
            diff: None,
        };
        bench.receive(EngineEvent::ChangePlanned(0, change.clone()));
        assert_eq!(bench.workbench.core.overlay, None);
        bench.receive(EngineEvent::ChangePlanned(1, change));
        let step = bench.workbench.core.step.as_ref().unwrap();
        assert_eq!(step.remarks, ["Look twice."]);
        bench.act(Action::DecideStep(StepDecision::KeepUnsaved));
        assert_eq!(bench.unsaved(), [15]);
        assert_eq!(bench.steps(), ["Stamp 1 recording"]);
        insta::assert_snapshot!(bench.notice_texts().join("\n"), @"
        turn-17.json was not stamped: its text has changed since; check it and edit again.
        Stamp 1 recording: 1 file kept unsaved.
        ");
    }
}
