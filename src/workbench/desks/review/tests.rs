//! Tests of the review desk, with recordings in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::{Action, Command, Effect, Overlay, Workbench};
use ::compare::review::{self, Decisions, PlannedWrite, Review, Take, compare, ledger, pair_up};
use document::diff::Side;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::files::FileStep;
use document::text::Source;
use protocol::{
    DiskChange, EngineEvent, PairDetails, PairRequest, PairText, ProjectInfo, Remembered, Request,
    ReviewEvent, ReviewRequest, ReviewSnapshot, ReviewStart, RuleDraft,
};

/// A workbench with recordings in memory.
struct ReviewBench {
    workbench: Workbench,
    old: BTreeMap<String, String>,
    /// The contents of the files.
    disk: BTreeMap<String, String>,
    ledger: Option<String>,
    rules: Vec<review::IgnoreRule>,
}

fn recording(time: &str, tool: &str, text: &str) -> String {
    format!(
        r#"{{"request": {{"type": "llm_invocation_request", "requestId": "req-{time}", "messages": [], "tools": [{{"name": "{tool}"}}], "systemPrompt": "{text}"}}, "response": {{"response": {{"content": [{{"type": "text", "text": "Done."}}]}}}}, "recordedAt": "2026-03-{time}T00:00:00Z"}}"#
    )
}

impl ReviewBench {
    /// Six pairs: three with a renamed tool, two with a changed text, one with only another time.
    fn with_groups() -> Self {
        let mut table = Self {
            workbench: Workbench::new(Remembered::default()),
            old: BTreeMap::new(),
            disk: BTreeMap::new(),
            ledger: None,
            rules: Vec::new(),
        };
        for name in ["a/1", "a/2", "b/1"] {
            table.add_pair(
                name,
                ("go_respond", "Well then, I am done."),
                ("go_reply", "Well then, I am done."),
            );
        }
        for name in ["c/1", "c/2"] {
            table.add_pair(name, ("go", "Here it is. Best regards"), ("go", "Here it is."));
        }
        table.add_pair("d/1", ("go", "Nothing new at all."), ("go", "Nothing new at all."));
        table.begin();
        table
    }

    fn add_pair(&mut self, name: &str, old: (&str, &str), new: (&str, &str)) {
        let path = format!("{name}.json");
        self.old.insert(path.clone(), recording("12", old.0, old.1));
        self.disk.insert(path, recording("29", new.0, new.1));
    }

    fn begin(&mut self) {
        self.receive(EngineEvent::ScanStarted { generation: 1, project: ProjectInfo::default() });
        self.receive(EngineEvent::ScanEnded {
            generation: 1,
            progress: Default::default(),
            cancelled: false,
        });
        self.press(Command::GoReview);
    }

    fn press(&mut self, command: Command) {
        self.act(Action::Run(command));
    }

    fn act(&mut self, action: Action) {
        let effects = self.workbench.apply(action);
        self.perform(effects);
        let effects = self.workbench.refresh();
        self.perform(effects);
    }

    fn receive(&mut self, event: EngineEvent) {
        let effects = self.workbench.receive(event);
        self.perform(effects);
        let effects = self.workbench.refresh();
        self.perform(effects);
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            for event in self.answer(&effect) {
                self.receive(EngineEvent::Review(event));
            }
        }
    }

    fn answer(&mut self, effect: &Effect) -> Vec<ReviewEvent> {
        let Effect::Run(request) = effect else { return Vec::new() };
        match request {
            Request::Review(request) => return self.look(request),
            Request::ShowPair(request) => {
                return vec![ReviewEvent::Shown(request.number, Ok(shown(request)))];
            }
            Request::SaveDecisions(request) => {
                self.ledger = Some(ledger::write(&request.decisions));
            }
            Request::Compute(work) => {
                if let EngineEvent::Review(event) = (work.run)(None) {
                    return vec![event];
                }
            }
            Request::SaveIgnoreRule(request) => {
                self.rules.push(request.rule.clone());
                return vec![ReviewEvent::RuleSaved(Ok(()))];
            }
            Request::PlanReview(request) => {
                let plan = review::plan(&request.review, &request.decisions, request.origin);
                let counter = review::LineCounter::new(&request.review);
                let lines = counter.count_review(&request.review, &plan);
                return vec![ReviewEvent::Planned(Ok((Arc::new(plan), lines)))];
            }
            Request::WriteReview(request) => return vec![self.write(&request.writes)],
            _ => {}
        }
        Vec::new()
    }

    fn look(&self, request: &ReviewRequest) -> Vec<ReviewEvent> {
        let takes = |files: &BTreeMap<String, String>| {
            let take = |(path, text): (&String, &String)| {
                Arc::new(Take::new(path, text.as_bytes().to_vec()))
            };
            files.iter().map(take).collect()
        };
        let decisions = self.ledger.as_deref().map_or(Ok(Decisions::default()), ledger::read);
        let start = ReviewStart { decisions, unread: 0 };
        let pairs = pair_up(takes(&self.old), takes(&self.disk), &request.manual_pairs);
        let compared_pairs: Vec<_> = pairs
            .into_iter()
            .map(|pair| {
                let comparison = compare(&pair, &self.rules);
                (pair, comparison)
            })
            .collect();
        let total = compared_pairs.len();
        let snapshot = |done: usize| ReviewSnapshot {
            review: Arc::new(Review::new(compared_pairs[..done].to_vec())),
            rules: self.rules.clone().into(),
            done,
            total,
            is_complete: done == total,
        };
        vec![
            ReviewEvent::Started(request.number, Box::new(start)),
            ReviewEvent::Progressed(request.number, snapshot(total.min(2))),
            ReviewEvent::Progressed(request.number, snapshot(total)),
        ]
    }

    fn write(&mut self, writes: &[PlannedWrite]) -> ReviewEvent {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        for write in writes {
            let FileStep::Write { path, before: old_text, after } = &write.step else {
                panic!("{} is no write", write.step)
            };
            let old_text = old_text.as_deref().map(text);
            assert_eq!(self.disk.get(&**path).cloned(), old_text);
            match after.as_deref().map(text) {
                Some(new_text) => drop(self.disk.insert(path.to_string(), new_text)),
                None => drop(self.disk.remove(&**path)),
            }
        }
        ReviewEvent::Written { done: writes.to_vec(), left: Vec::new() }
    }

    fn desk(&self) -> &ReviewDesk {
        &self.workbench.review
    }

    /// The notices, one per line.
    fn notices(&self) -> String {
        let notices = self.workbench.core.notices.iter();
        let texts: Vec<&str> = notices.map(|n| n.text.as_str()).collect();
        texts.join("\n")
    }

    fn selected(&self) -> &str {
        self.desk().selected().map_or("", |p| p.pair.path())
    }

    /// The groups in order with their counts, the open one marked.
    fn groups(&self) -> String {
        let rows = (0..self.desk().review.groups.len()).filter_map(|row| {
            let (group, tally) = self.desk().group_at(row)?;
            let mark = if self.desk().group == Some(row) { ">" } else { "" };
            Some(format!("{mark}{}, {}: {}", group.name, tally.all(), tally.summary()))
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    /// The files with the old content.
    fn put_back(&self) -> Vec<&str> {
        let is_old = |(path, text): &(&String, &String)| self.old.get(*path) == Some(*text);
        self.disk.iter().filter(is_old).map(|(path, _)| path.as_str()).collect()
    }
}

fn shown(request: &PairRequest) -> Arc<PairDetails> {
    let pair = &request.review.pairs[request.at];
    let text = |take: &Option<Arc<Take>>| match take {
        Some(take) => Source::from_bytes(take.bytes.to_vec()),
        None => Source::new(""),
    };
    let diff = TextDiff::new(&text(&pair.pair.old), &text(&pair.pair.new), Outline::Json);
    Arc::new(PairDetails {
        calls: Vec::new(),
        json: None,
        text: PairText { diff: Arc::new(diff), places: Vec::new() },
        values: Vec::new(),
        chain: request.review.chain(request.at),
        partners: Vec::new(),
        source_change: None,
    })
}

#[test]
fn each_group_takes_one_key_and_nothing_is_written_before_apply() {
    let mut table = ReviewBench::with_groups();
    let regenerated_files = table.disk.clone();
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: ignored
    >Tool `go_reply` added, and tool `go_respond` removed, 3: undecided
    “Best regards” dropped, 2: undecided
    ");
    assert_eq!(table.selected(), "a/1.json");
    table.press(Command::AcceptGroup);
    assert_eq!(table.selected(), "c/1.json");
    table.press(Command::RejectGroup);
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: ignored
    Tool `go_reply` added, and tool `go_respond` removed, 3: accepted
    >“Best regards” dropped, 2: rejected
    ");
    assert_eq!(table.disk, regenerated_files);
    assert_eq!(table.desk().statuses.to_apply, 5);

    table.press(Command::ApplyDecisions);
    assert_eq!(table.workbench.core.overlay, Some(Overlay::ReviewApply));
    assert_eq!(table.desk().plan.as_ref().unwrap().writes.len(), 2);
    assert_eq!(table.disk, regenerated_files);
    table.act(Action::from(ReviewAction::Apply));
    assert_eq!(table.put_back(), ["c/1.json", "c/2.json"]);
    assert_eq!(table.desk().statuses.to_apply, 0);

    table.press(Command::Undo);
    assert_eq!(table.disk, regenerated_files);
    table.press(Command::Redo);
    assert_eq!(table.put_back(), ["c/1.json", "c/2.json"]);
    table.press(Command::Undo);
    assert_eq!(table.disk, regenerated_files);

    table.press(Command::ApplyDecisions);
    table.act(Action::from(ReviewAction::Apply));
    assert_eq!(table.put_back(), ["c/1.json", "c/2.json"]);
    table.press(Command::Undo);
    assert_eq!(table.disk, regenerated_files);
}

#[test]
fn applying_counts_every_decision_and_leaves_none_to_apply() {
    let mut table = ReviewBench::with_groups();
    table.disk.remove("a/1.json");
    table.disk.remove("a/2.json");
    let text =
        recording("30", "write_Other", "A question that came up for the first time in spring.");
    table.disk.insert("e/1.json".to_owned(), text);
    table.act(Action::from(ReviewAction::CompareAgain));
    let rerecorded_files = table.disk.clone();
    table.press(Command::AcceptRest);
    let pair = |table: &ReviewBench, path: &str| {
        table.desk().find_path(path).map(|index| table.desk().review.pairs[index].pair.key())
    };
    for path in ["c/1.json", "e/1.json"] {
        let pair = pair(&table, path).unwrap();
        table.act(Action::from(ReviewAction::Select(pair)));
        table.press(Command::RejectPair);
    }
    assert_eq!(table.desk().statuses.to_apply, 7);
    table.press(Command::ApplyDecisions);
    table.act(Action::from(ReviewAction::Apply));
    insta::assert_snapshot!(table.notices(), @"Applied 7 decisions: wrote 2 files.");
    assert_eq!(table.desk().statuses.to_apply, 0);
    // The same after a restart and another comparison.
    table.act(Action::from(ReviewAction::CompareAgain));
    assert_eq!(table.desk().statuses.to_apply, 0);
    table.press(Command::Undo);
    assert_eq!(table.disk, rerecorded_files);
    // All decisions of the step, not only those that wrote a file.
    assert_eq!(table.desk().statuses.to_apply, 7);
    table.press(Command::Redo);
    assert_eq!(table.desk().statuses.to_apply, 0);
}

#[test]
fn a_decision_leads_to_what_is_undecided_next_and_what_was_skipped_comes_last() {
    let mut table = ReviewBench::with_groups();
    table.press(Command::SkipPair);
    assert_eq!(table.selected(), "a/2.json");
    table.press(Command::AcceptPair);
    table.press(Command::RejectPair);
    assert_eq!(table.selected(), "c/1.json");
    table.press(Command::AcceptGroup);
    assert_eq!(table.selected(), "a/1.json");
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: ignored
    >Tool `go_reply` added, and tool `go_respond` removed, 3: 1 skipped, 1 accepted, 1 rejected
    “Best regards” dropped, 2: accepted
    ");
    table.press(Command::UndoDecision);
    assert_eq!(table.selected(), "c/1.json");
    table.press(Command::UndoDecision);
    assert_eq!(table.selected(), "b/1.json");
    assert_eq!(table.desk().statuses.to_apply, 1);
    table.press(Command::AcceptRest);
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: accepted
    >Tool `go_reply` added, and tool `go_respond` removed, 3: accepted
    “Best regards” dropped, 2: accepted
    ");
}

#[test]
fn a_pair_to_discuss_stays_undecided_and_is_not_decided_along_with_the_rest() {
    let mut table = ReviewBench::with_groups();
    table.press(Command::DiscussPair);
    assert_eq!(table.selected(), "a/2.json");
    table.press(Command::AcceptGroup);
    // Nothing but the pair to discuss is left in the group.
    assert_eq!(table.selected(), "c/1.json");
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: ignored
    Tool `go_reply` added, and tool `go_respond` removed, 3: 1 to discuss, 2 accepted
    >“Best regards” dropped, 2: undecided
    ");
    assert_eq!(table.desk().statuses.to_apply, 2);
    table.press(Command::AcceptRest);
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: accepted
    Tool `go_reply` added, and tool `go_respond` removed, 3: 1 to discuss, 2 accepted
    >“Best regards” dropped, 2: accepted
    ");
    // It is decided by itself, or as the last one of its group.
    let pair = table.desk().review.groups[1].pairs[0];
    let key = table.desk().review.pairs[pair].pair.key();
    table.act(Action::from(ReviewAction::Select(key)));
    table.press(Command::RejectGroup);
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: accepted
    >Tool `go_reply` added, and tool `go_respond` removed, 3: 2 accepted, 1 rejected
    “Best regards” dropped, 2: accepted
    ");
    table.press(Command::UndoDecision);
    table.press(Command::DiscussGroup);
    let ledger = table.ledger.unwrap();
    assert_eq!(ledger.matches("\"discuss\"").count(), 1, "{ledger}");
}

#[test]
fn keys_go_from_pair_to_pair_and_from_group_to_group() {
    let mut table = ReviewBench::with_groups();
    let mut paths = vec![table.selected().to_owned()];
    for command in [
        Command::NextRow,
        Command::NextRow,
        Command::NextRow,
        Command::PreviousRow,
        Command::LastRow,
        Command::FirstRow,
        Command::NextGroup,
        Command::NextGroup,
        Command::PreviousGroup,
        Command::PreviousGroup,
    ] {
        table.press(command);
        paths.push(table.selected().to_owned());
    }
    assert_eq!(
        paths,
        [
            "a/1.json", "a/2.json", "b/1.json", "c/1.json", "b/1.json", "b/1.json", "a/1.json",
            "c/1.json", "c/1.json", "a/1.json", "d/1.json"
        ]
    );
    table.press(Command::NextGroup);
    table.press(Command::Close);
    assert_eq!(table.selected(), "a/1.json");
    assert_eq!(table.desk().statuses.all.undecided(), 5);
}

#[test]
fn a_group_without_open_pairs_is_gone_through_as_listed() {
    let mut table = ReviewBench::with_groups();
    table.add_pair("d/2", ("go", "Nothing new at all."), ("go", "Nothing new at all."));
    table.begin();
    table.press(Command::PreviousGroup);
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(table.selected().to_owned());
        table.press(Command::AcceptPair);
    }
    assert_eq!(paths, ["d/1.json", "d/2.json", "a/1.json"]);
}

#[test]
fn a_lane_is_decided_as_far_as_it_is_compared() {
    let mut table = ReviewBench::with_groups();
    table.workbench.review.state = super::desk::ReviewState::Comparing(4, 6);
    table.press(Command::AcceptPair);
    assert_eq!(table.notices(), "");
    table.press(Command::AcceptLane);
    assert_eq!(table.notices(), "Decided what has been compared; 2 files remain.");
}

#[test]
fn a_change_taken_from_the_old_side_makes_a_take_of_both() {
    let mut table = ReviewBench::with_groups();
    table.press(Command::AcceptGroup);
    let path = table.selected().to_owned();
    let change = table.desk().change_in_focus().unwrap().key();
    let take = |side| Action::from(ReviewAction::ChooseSide(change.clone(), side));
    table.act(take(Side::Left));
    assert_eq!(table.desk().status(table.desk().pair.unwrap()), DecisionStatus::Partial);
    table.act(take(Side::Right));
    assert_eq!(table.desk().statuses.to_apply, 3);
    table.act(take(Side::Left));
    // Chosen sides are kept, whether the pair or its group is accepted.
    table.press(Command::AcceptPair);
    table.press(Command::AcceptGroup);
    let expected = table.disk[&path].replace("Here it is.", "Here it is. Best regards");
    table.press(Command::ApplyDecisions);
    table.act(Action::from(ReviewAction::Apply));
    assert_eq!(table.disk[&path], expected);
}

#[test]
fn a_review_is_resumed_and_a_file_that_changed_falls_back_into_the_queue() {
    let mut table = ReviewBench::with_groups();
    table.press(Command::AcceptGroup);
    let pair = table.desk().selected().unwrap().pair.key();
    table.act(Action::from(ReviewAction::Note(pair, "wording only".to_owned())));
    let group = table.desk().open_group().unwrap().0.id.clone();
    table.act(Action::from(ReviewAction::GroupNote(group.as_str().into(), "as agreed".to_owned())));
    table.workbench = Workbench::new(Remembered::default());
    table.begin();
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: ignored
    Tool `go_reply` added, and tool `go_respond` removed, 3: accepted
    >“Best regards” dropped, 2: undecided
    ");
    let note = table.desk().decision().map(|d| d.note.as_str());
    assert_eq!((table.selected(), note), ("c/1.json", Some("wording only")));
    let group = table.desk().open_group().unwrap().0;
    assert_eq!(table.desk().decisions.group_note(&group.id), "as agreed");

    table.add_pair(
        "a/2",
        ("go_respond", "Well then, I am done."),
        ("go_answer", "Well then, I am done."),
    );
    table.receive(EngineEvent::DiskChanged(1, DiskChange::Rewritten(Vec::new())));
    insta::assert_snapshot!(table.groups(), @"
    Only times and ids differ, 1: ignored
    Tool `go_reply` added, and tool `go_respond` removed, 2: accepted
    >“Best regards” dropped, 2: undecided
    Tool `go_answer` added, and tool `go_respond` removed, 1: undecided
    ");
    assert_eq!(table.selected(), "c/1.json");
}

#[test]
fn a_rule_is_drafted_from_a_change_tried_and_kept() {
    let mut table = ReviewBench::with_groups();
    let c = table.desk().review.groups[2].id.as_str().into();
    table.act(Action::from(ReviewAction::Open(c)));
    table.press(Command::IgnoreLikeThis);
    let (draft, silences) = table.desk().draft();
    insta::assert_snapshot!(format!("{} {:?}", draft.at, silences.map(|s| (s.changes, s.pairs, s.fully_ignored))), @"/request/systemPrompt Some((2, 2, 2))");
    let wrong_draft = RuleDraft { tolerance: "much".to_owned(), ..draft.clone() };
    insta::assert_snapshot!(wrong_draft.rule().unwrap_err(), @"The tolerance must be a number of at least 0");
    let draft = draft.clone();
    table.act(Action::from(ReviewAction::TypeRule(wrong_draft)));
    assert_eq!(table.desk().draft().1, None);
    table.act(Action::from(ReviewAction::TypeRule(draft)));
    table.act(Action::from(ReviewAction::SaveRule));
    insta::assert_snapshot!(table.groups(), @"
    >Only ignored differences, 2: ignored
    Only times and ids differ, 1: ignored
    Tool `go_reply` added, and tool `go_respond` removed, 3: undecided
    ");
}

#[test]
fn nothing_is_written_over_unsaved_edits_or_without_a_decision() {
    let mut table = ReviewBench::with_groups();
    table.press(Command::ApplyDecisions);
    assert_eq!(table.workbench.core.overlay, None);
    insta::assert_snapshot!(table.notices(), @"Apply decisions: no decisions to apply.");
    table.press(Command::AcceptPair);
    table.press(Command::ApplyDecisions);
    table.act(Action::from(ReviewAction::Apply));
    assert_eq!(table.put_back(), [""; 0]);
    insta::assert_snapshot!(table.notices(), @"Applied 1 decision: no file needed a change.");
}

#[test]
fn a_pair_whose_old_noise_cannot_be_kept_stays_undecided() {
    let mut table = ReviewBench::with_groups();
    let middle = table.disk["c/1.json"].len() / 2;
    let text = table.disk["c/1.json"][..middle].to_owned();
    table.disk.insert("c/1.json".to_owned(), text);
    table.act(Action::from(ReviewAction::CompareAgain));
    let old_text = table.disk["a/1.json"].clone();
    table.press(Command::KeepNoiseRest);
    assert_eq!(table.desk().statuses.all.undecided(), 0);
    // Whether it is possible is found when the files are planned.
    table.press(Command::ApplyDecisions);
    assert_eq!(table.desk().statuses.all.undecided(), 1);
    table.act(Action::from(ReviewAction::Apply));
    let old = &table.old["a/1.json"];
    assert_eq!(table.disk["a/1.json"], old.replace("go_respond", "go_reply"));
    assert_eq!(table.disk["d/1.json"], table.old["d/1.json"]);
    table.press(Command::Undo);
    assert_eq!(table.disk["a/1.json"], old_text);

    // What is known by then is refused at once.
    let index = table.desk().find_path("c/1.json").unwrap();
    let review = Arc::clone(&table.desk().review);
    let key = review.pairs[index].pair.key();
    let counts = review::LineCounter::new(&review).count_with_old_noise(&review.pairs[index]);
    let event = ReviewEvent::LinesCounted(review, vec![(index, counts)]);
    table.receive(EngineEvent::Review(event));
    table.act(Action::from(ReviewAction::Select(key)));
    let result = Command::KeepNoisePair.enabled(&table.workbench);
    assert_eq!(result, Err("the old noise cannot be kept"));
    table.press(Command::KeepNoiseRest);
    assert_eq!(table.desk().statuses.all.undecided(), 1);
    let notices = table.notices();
    assert!(
        notices
            .contains("The old noise of c/1.json cannot be kept: The new version cannot be read"),
        "{notices}"
    );
    table.press(Command::AcceptPair);
    assert_eq!(table.desk().statuses.all.undecided(), 0);
    let notices = table.notices();
    assert!(
        notices.contains("Accepted, but c/1.json cannot be read: line 1: The file ends inside"),
        "{notices}"
    );
}
