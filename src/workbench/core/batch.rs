//! Edits of many documents as one step, which is shown before it is applied.

use super::listing;
use crate::format::{FileKind, Severity};
use crate::ops::Item;
use crate::ops::change::Change;
use crate::text::counted;
use crate::workbench::core::effect::Effect;
use crate::workbench::core::library::{DocId, Library};
use crate::workbench::core::planning::{PlanBatch, PlanChange, PlannedChange};
use crate::workbench::core::state::Core;

/// The past participle of a change for messages: `stamped`.
fn participle(change: &Change) -> &'static str {
    match change {
        Change::Stamp | Change::Restamp => "stamped",
        Change::RewritePath(_) => "rewritten",
        Change::Fix(_) | Change::FixRule(_) => "fixed",
        Change::Sign => "signed",
        _ => "edited",
    }
}

impl Core {
    /// All recordings that match the filter and the status, including those in folded groups; only those under a heading if
    /// there is one.
    pub(in crate::workbench) fn listed_recordings(&self, heading: Option<&str>) -> Vec<DocId> {
        let list = &self.list;
        let is_below = |item: &Item| {
            heading.is_none_or(|heading| listing::heading_of(item, list.grouping) == heading)
        };
        let order = list.listing.orders.by_path.iter();
        let items = order.filter_map(|id| Some((*id, self.library.get(*id)?)));
        let recordings = items.filter(|(_, item)| {
            item.kind == FileKind::Recording
                && list.query.matches(item)
                && list.status.is_none_or(|status| status == item.status())
                && is_below(item)
        });
        recordings.map(|(id, _)| id).collect()
    }

    /// Requests the edits of these documents.
    pub(in crate::workbench) fn plan_batch(&mut self, change: Change, docs: Vec<DocId>) {
        self.journal.end_typing();
        if docs.is_empty() {
            let done = participle(&change);
            let text = format!("No recordings to be {done}.");
            self.notify(Severity::Note, text);
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
    pub(in crate::workbench) fn on_batch_planned(&mut self, planned: PlannedChange) {
        let edited = planned.edits.len();
        let skipped = self
            .library
            .describe_skipped(&planned.change, edited, &planned.skipped);
        if edited == 0 {
            if let Some((severity, text)) = skipped {
                self.notify(severity, text);
            }
            return;
        }
        let remark = planned.remark.as_ref().map(|remark| format!("{remark}."));
        let skipped = skipped.map(|(_, text)| text);
        let remarks = remark.into_iter().chain(skipped).collect();
        self.propose_step(planned, remarks);
    }

    /// Reports documents that were not edited.
    pub(super) fn report_skipped(
        &mut self,
        change: &Change,
        edited: usize,
        skipped: &[(DocId, String)],
    ) {
        if let Some((severity, text)) = self.library.describe_skipped(change, edited, skipped) {
            self.notify(severity, text);
        }
    }
}

impl Library {
    /// Returns the notice about the documents that were skipped; names the first one, with the reason.
    fn describe_skipped(
        &self,
        change: &Change,
        edited: usize,
        skipped: &[(DocId, String)],
    ) -> Option<(Severity, String)> {
        let done = participle(change);
        let Some((first, reason)) = skipped.first() else {
            let text = format!("All recordings are already {done}.");
            return (edited == 0).then_some((Severity::Note, text));
        };
        let first = self.name_of(*first);
        let text = match skipped.len() {
            1 => format!("{first} was not {done}: {reason}."),
            many => format!(
                "{} were not {done}. First: {first}: {reason}.",
                counted(many, "recording", "recordings")
            ),
        };
        Some((Severity::Warning, text))
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::change::Change;
    use crate::ops::stamp::{Renewal, StampContextKeys, StampOptions, stamp};
    use crate::text::Source;
    use crate::workbench::core::planning::{PlannedChange, PlannedEdit};
    use crate::workbench::testing::{Bench, doc, parsed};
    use crate::workbench::{Action, Command, EngineEvent, Overlay, StepDecision};

    const TEXT: &str =
        r#"{"request": {"messages": [], "tools": []}, "response": {"response": {"content": []}}}"#;

    fn stamped() -> String {
        let options = StampOptions {
            source: None,
            renewal: Renewal::Renew,
            context_keys: StampContextKeys::AsStored,
        };
        let document = crate::format::read(Source::new(TEXT), "turn-1.json");
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
        let requested = bench.requested.clone();
        bench.act(Action::Batch(Change::Stamp, (0..18).map(doc).collect()));
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::Step));
        let step = bench.workbench.core.step.as_ref().unwrap();
        assert_eq!(step.name, "Stamp 17 recordings");
        assert_eq!(
            step.remarks,
            ["a.json was not stamped: The file is not a recording."]
        );
        let diffs = &bench.workbench.core.unsaved_diffs;
        assert!(diffs.unsaved_changes(doc(0)).is_some());
        assert!(diffs.unsaved_changes(doc(17)).is_none());

        // An earlier edit cannot be undone below the dialog.
        bench.press(Command::Undo);
        bench.press(Command::Close);
        assert_eq!(bench.workbench.core.overlay, None);
        assert!(bench.workbench.core.step.is_none());
        assert_eq!(bench.workbench.core.journal.revision, history);
        assert_eq!((bench.unsaved(), &bench.requested), (vec![17], &requested));
        assert!(bench.workbench.core.library.copy(doc(0)).is_none());
        assert_eq!(bench.notice_texts(), [""; 0]);

        bench.act(Action::Batch(Change::Stamp, (0..18).map(doc).collect()));
        bench.act(Action::DecideStep(StepDecision::Save));
        assert_eq!(bench.workbench.core.overlay, None);
        assert_eq!(
            bench.steps(),
            ["Edit the text of a.json", "Stamp 17 recordings"]
        );
        let files = (0..17).map(|at| &bench.disk[&doc(at)]);
        assert!(files.clone().all(|text| *text == stamped()));
        assert_eq!((bench.unsaved(), &*bench.disk[&doc(17)]), (vec![17], "{}"));
        let undo = |bench: &Bench| bench.workbench.core.notices.last().unwrap().undo;
        assert_eq!(undo(&bench), Some(bench.workbench.core.journal.revision));

        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(0)), TEXT);
        assert_eq!(bench.notice_texts(), ["Undid: Stamp 17 recordings."]);
        assert_eq!(undo(&bench), None);
        bench.press(Command::SaveAll);
        bench.press(Command::Redo);
        let redone = "Redid: Stamp 17 recordings.";
        assert_eq!(bench.notice_texts().last(), Some(&redone));
        bench.act(Action::Batch(Change::Stamp, vec![doc(0), doc(16)]));
        assert_eq!(bench.workbench.core.overlay, None);
        assert_eq!(
            bench.notice_texts().last(),
            Some(&"All recordings are already stamped.")
        );
    }

    #[test]
    fn what_was_edited_before_a_cancelled_step_stays_as_it_was_and_a_kept_one_saves_nothing() {
        let mut bench = bench();
        bench.set(doc(16), "/request/messages", "[{}]");
        let edited = bench.text(doc(16)).to_owned();
        let revision = bench.workbench.core.library.text(doc(16)).unwrap().1;
        bench.act(Action::Batch(Change::Stamp, vec![doc(16)]));
        bench.act(Action::SetOverlay(None));
        assert_eq!(bench.text(doc(16)), edited);
        let now = bench.workbench.core.library.text(doc(16)).unwrap().1;
        assert_eq!(now, revision);
        assert_eq!(bench.steps().len(), 1);

        bench.act(Action::Batch(Change::Stamp, vec![doc(16)]));
        bench.act(Action::DecideStep(StepDecision::KeepUnsaved));
        assert!(bench.text(doc(16)).contains("\"messageCount\": 1"));
        assert_eq!(bench.disk[&doc(16)], TEXT);
        assert_eq!(
            bench.notice_texts(),
            ["Stamp 1 recording: 1 file kept unsaved."]
        );
        bench.press(Command::Undo);
        assert_eq!(bench.text(doc(16)), edited);
        assert_eq!(
            bench.notice_texts().last(),
            Some(&"Undid: Stamp 1 recording (turn-17.json).")
        );
    }

    #[test]
    fn a_text_that_changed_meanwhile_is_left_alone() {
        let mut bench = bench();
        let plan = |at: usize, text: &str| PlannedEdit {
            doc: doc(at),
            base: None,
            text: Source::new(text),
            edit: crate::text::TextEdit {
                range: 0..0,
                new: " ".to_owned(),
            },
            parsed: parsed(Source::new(text), "a.json"),
        };
        let planned = PlannedChange {
            change: Change::Stamp,
            first: (doc(16), None),
            name: "Stamp".to_owned(),
            edits: vec![plan(16, "older"), plan(15, TEXT)],
            skipped: Vec::new(),
            remark: Some("Look twice".to_owned()),
            diff: None,
        };
        bench.receive(EngineEvent::ChangePlanned(0, planned.clone()));
        assert_eq!(bench.workbench.core.overlay, None);
        bench.receive(EngineEvent::ChangePlanned(1, planned));
        let step = bench.workbench.core.step.as_ref().unwrap();
        assert_eq!(step.remarks, ["Look twice."]);
        bench.act(Action::DecideStep(StepDecision::KeepUnsaved));
        assert_eq!(bench.unsaved(), [15]);
        insta::assert_snapshot!(bench.notice_texts().join("\n"), @"
        turn-17.json was not stamped: its text has changed since; check it and edit again.
        Stamp: 1 file kept unsaved.
        ");
    }
}
