//! Tests of the playback desk, without engine and window.

use std::sync::Arc;

use super::*;
use crate::{Action, Command, Effect, PlayheadAction, Workbench};
use calls::{Item, ItemFacts, Pool};
use document::FileKind;
use document::files::{FileStep, FilesChanged};
use document::text::{Source, TextEdit};
use play::playback::{PlaybackMode, RecordingSet, SetRecording, requests};
use protocol::{
    Desk, DiskChange, DocId, EngineEvent, FileChangeRequest, LoggedRun, PlayRequest, PlaybackEvent,
    PlaybackInput, PlaybackResult, ProjectInfo, ReadProgress, ReadRun, Remembered, RemovedItem,
    Request, RunSource, TriageEvent,
};

/// A recording that offers one tool and calls it.
fn recording(tool: &str) -> String {
    format!(
        r#"{{"request": {{"requestId": "req", "messages": [{{}}], "tools": [{{"name": "{tool}"}}]}},
"response": {{"response": {{"content": [{{"type": "tool_use", "name": "{tool}"}}]}}}}}}"#
    )
}

/// A workbench with one set, and its effects.
struct PlaybackBench {
    workbench: Workbench,
    texts: Vec<(Arc<str>, String)>,
    orders: Vec<PlayRequest>,
    files: Vec<FileChangeRequest>,
}

impl PlaybackBench {
    /// Opens a set whose recordings offer these tools, and selects its check; nothing is played yet.
    fn open(tools: &[&str]) -> Self {
        let paths = (0..tools.len()).map(|number| Arc::from(format!("set/{number:02}.json")));
        let texts = tools.iter().map(|tool| recording(tool));
        let mut table = Self {
            workbench: Workbench::new(Remembered::default()),
            texts: paths.zip(texts).collect(),
            orders: Vec::new(),
            files: Vec::new(),
        };
        let (generation, project) = (1, ProjectInfo::default());
        table.receive(EngineEvent::ScanStarted { generation, project });
        let item = |(path, _): &(Arc<str>, String)| {
            Arc::new(Item::from(ItemFacts { kind: FileKind::Recording, ..ItemFacts::new(path) }))
        };
        let items = table.texts.iter().map(item).collect();
        table.receive(EngineEvent::ItemsFound { generation, items });
        table.receive(EngineEvent::ScanEnded {
            generation,
            progress: ReadProgress::default(),
            cancelled: false,
        });
        table.act(PlaybackAction::CheckSet("set".into()));
        table
    }

    fn take(&mut self, mut effects: Vec<Effect>) {
        effects.extend(self.workbench.refresh());
        for effect in effects {
            match effect {
                Effect::Run(Request::ChangeFiles(request)) => self.files.push(request),
                Effect::Run(Request::ReadRun(request)) => self.answer_run(request),
                Effect::Run(Request::Play(request)) => self.orders.push(request),
                _ => {}
            }
        }
    }

    /// Reads a pasted log as the engine does.
    fn answer_run(&mut self, request: ReadRun) {
        let RunSource::Text { name, text } = request.source else {
            panic!("only texts are read here");
        };
        let run = LoggedRun::new(name.to_string(), vec![(name, text)], Vec::new());
        let event = TriageEvent::Read(request.number, Arc::new(run));
        self.receive(EngineEvent::Triage(event));
    }

    fn receive(&mut self, event: EngineEvent) {
        let effects = self.workbench.receive(event);
        self.take(effects);
    }

    fn act(&mut self, action: PlaybackAction) {
        self.run(Action::from(action));
    }

    fn run(&mut self, action: Action) {
        let effects = self.workbench.apply(action);
        self.take(effects);
    }

    /// The last play request.
    fn order(&self) -> &PlayRequest {
        self.orders.last().unwrap()
    }

    /// Reads the set as the engine does.
    fn input(&self) -> Arc<PlaybackInput> {
        let pool = Pool::default();
        let files = self.texts.iter().map(|(path, text)| {
            let document = document::read(Source::new(text.as_str()), "a.json");
            SetRecording::read(Arc::clone(path), &document, &pool)
        });
        let set = Arc::new(RecordingSet::new("set", files));
        Arc::new(PlaybackInput {
            requests: requests::from_set(&set),
            docs: (0..self.texts.len()).map(|index| Some(DocId::new(index))).collect(),
            set,
            ..PlaybackInput::default()
        })
    }

    /// Answers the request with this number.
    fn answer(&mut self, number: usize) {
        let request = &self.orders[number];
        let input = request.known.clone().unwrap_or_else(|| self.input());
        let result = PlaybackResult::new(input, request.key.rules);
        let event = PlaybackEvent::Played(request.key.clone(), Ok(Arc::new(result)));
        self.receive(EngineEvent::Playback(event));
    }

    /// Simulates that another program writes a file of the set.
    fn touch(&mut self) {
        let change = DiskChange::Rewritten(vec![DocId::new(0)]);
        self.receive(EngineEvent::DiskChanged(1, change));
    }

    fn desk(&self) -> &PlaybackDesk {
        &self.workbench.playback
    }

    fn notice_texts(&self) -> Vec<&str> {
        let notices = self.workbench.core.notices.iter();
        notices.map(|notice| &*notice.text).collect()
    }
}

#[test]
fn another_mode_is_played_from_what_was_read_and_what_came_too_late_is_dropped() {
    let mut table = PlaybackBench::open(&["a", "b"]);
    assert!(table.order().known.is_none() && table.desk().is_playing());
    table.act(PlaybackAction::SetMode(PlaybackMode::Signature));
    assert_eq!(table.orders.len(), 2);
    table.answer(0);
    assert!(table.desk().played().is_none());
    table.answer(1);
    assert_eq!(table.desk().played().unwrap().run.rules.mode, PlaybackMode::Signature);

    table.act(PlaybackAction::SetMode(PlaybackMode::Hybrid));
    assert!(table.order().known.is_some());
    table.answer(2);
    assert!(!table.desk().is_playing());
}

#[test]
fn what_changes_on_disk_is_played_one_after_the_other() {
    let mut table = PlaybackBench::open(&["a", "b"]);
    table.answer(0);
    table.touch();
    table.touch();
    assert_eq!(table.orders.len(), 2);
    assert!(table.order().known.is_none());
    table.answer(1);
    assert_eq!(table.orders.len(), 3);
    table.answer(2);
    assert_eq!(table.orders.len(), 3);
    assert_eq!(table.workbench.refresh(), []);
}

#[test]
fn an_unsaved_text_is_played_before_that_on_disk() {
    let mut table = PlaybackBench::open(&["a", "b"]);
    table.answer(0);
    let doc = DocId::new(0);
    table.workbench.core.request_document(doc);
    let effects = std::mem::take(&mut table.workbench.core.effects);
    table.take(effects);
    let text = table.texts[0].1.clone();
    let document = Arc::new(document::read(Source::new(text), "00.json"));
    table.receive(EngineEvent::Opened(doc, Ok(document)));
    let (_, base) = table.workbench.core.library.text(doc).unwrap();
    let edit = TextEdit { range: 0..0, new: " ".to_owned() };
    table.run(Action::EditText { doc, base, edit, name: None });
    assert_eq!(table.order().edited.len(), 1);
    assert!(table.order().known.is_none());

    table.act(PlaybackAction::Fix(play::playback::fixes::Fix::Duplicate(0)));
    table.act(PlaybackAction::ChangeFiles);
    assert_eq!(
        table.notice_texts(),
        ["00.json has unsaved edits, so no file was changed. Save or revert it first."]
    );
    assert!(table.files.is_empty());
}

#[test]
fn calls_are_stepped_through_to_the_ends_and_wrong_ones_round() {
    // The second and the fourth differ only in their answers.
    let mut table = PlaybackBench::open(&["a", "b", "c", "b"]);
    table.texts[3].1 = table.texts[3].1.replace("\"tool_use\"", "\"text\"");
    table.answer(0);
    assert_eq!(table.desk().call, 1);
    table.run(Action::Run(Command::NextRow));
    assert_eq!(table.desk().call, 2);
    table.run(Action::Run(Command::NextChange));
    assert_eq!(table.desk().call, 1);
    table.run(Action::Run(Command::LastRow));
    assert_eq!(table.desk().call, 3);
    table.run(Action::Run(Command::NextRow));
    assert_eq!(table.desk().call, 3);
    table.run(Action::Run(Command::FirstRow));
    table.run(Action::Run(Command::PreviousRow));
    assert_eq!(table.desk().call, 0);
    table.run(Action::Run(Command::Close));
    assert_eq!(table.workbench.core.here().desk, Desk::Playback);
}

#[test]
fn changes_of_files_are_reported_and_undone_before_older_edits() {
    let mut table = PlaybackBench::open(&["a", "b"]);
    table.answer(0);
    table.act(PlaybackAction::Fix(play::playback::fixes::Fix::Duplicate(1)));
    let plan = table.desk().plan.as_ref().unwrap();
    assert_eq!(plan.request.steps[0].to_string(), "Copy 01.json to 01-copy.json");
    table.act(PlaybackAction::ChangeFiles);
    let request = table.files.pop().unwrap();
    let outcome = FilesChanged {
        done: vec![FileStep::Create { path: "01-copy.json".into(), bytes: b"1".as_slice().into() }],
        fault: None,
    };
    table.receive(EngineEvent::Playback(PlaybackEvent::FilesChanged(request, outcome)));
    assert_eq!(table.notice_texts(), ["Wrote 01-copy.json."]);

    table.run(Action::Run(Command::Undo));
    let inverse = table.files.pop().unwrap();
    let delete = FileStep::Write {
        path: "01-copy.json".into(),
        before: Some(b"1".as_slice().into()),
        after: None,
    };
    assert_eq!(inverse.steps, [delete]);
    let outcome = FilesChanged { done: inverse.steps.clone(), fault: None };
    table.receive(EngineEvent::Playback(PlaybackEvent::FilesChanged(inverse, outcome)));
    assert_eq!(table.notice_texts()[1], "Undid the file changes.");
    assert!(table.desk().undo.is_none());
}

#[test]
fn what_is_pasted_is_taken_for_what_it_is() {
    let mut table = PlaybackBench::open(&["a"]);
    table.answer(0);
    table.act(PlaybackAction::Paste("hello".to_owned()));
    assert!(table.notice_texts()[0].starts_with("The pasted text is not used."));
    assert!(table.desk().played().is_some());
    table.act(PlaybackAction::Paste("{}".to_owned()));
    assert_eq!(table.desk().requests.as_ref(), Some(&RequestsSource::Typed("{}".into())));
    let log = "Error: LLM invoked but no recording available (index: 3, total: 3)";
    table.act(PlaybackAction::Paste(log.to_owned()));
    let request = table.order();
    assert_eq!((request.set.as_deref(), request.fallback.as_deref()), (None, Some("set")));
}

#[test]
fn a_play_that_failed_is_repeated_when_any_files_appear_or_change() {
    let mut table = PlaybackBench::open(&["a"]);
    table.answer(0);
    let log = "Error: Recordings directory not found: /ci/rec/x";
    table.act(PlaybackAction::Paste(log.to_owned()));
    let add_item = |table: &mut PlaybackBench, path: &str| {
        let item = ItemFacts { kind: FileKind::Recording, ..ItemFacts::new(path) };
        let items = vec![Arc::new(Item::from(item))];
        table.receive(EngineEvent::ItemsFound { generation: 1, items });
    };
    let changes: [&dyn Fn(&mut PlaybackBench); 3] =
        [&|table| add_item(table, "rec/x/1.json"), &|table| table.touch(), &|table| {
            let removed_item = RemovedItem { doc: DocId::new(1), renamed_to: None };
            table.receive(EngineEvent::DiskChanged(1, DiskChange::Removed(vec![removed_item])));
        }];
    for change in changes {
        let fault = PlaybackEvent::Played(table.order().key.clone(), Err("No folder.".to_owned()));
        table.receive(EngineEvent::Playback(fault));
        assert_eq!(table.desk().fault.as_deref(), Some("No folder."));
        let old_count = table.orders.len();
        change(&mut table);
        assert_eq!(table.orders.len(), old_count + 1);
    }
    table.answer(table.orders.len() - 1);
    assert_eq!(table.desk().fault, None);
    // Now only the files of the set matter.
    let old_count = table.orders.len();
    add_item(&mut table, "rec/y/1.json");
    assert_eq!(table.orders.len(), old_count);
}

#[test]
fn another_failure_of_a_log_is_chosen_where_the_log_is_a_file_as_well() {
    let mut table = PlaybackBench::open(&["a"]);
    table.answer(0);
    table.act(PlaybackAction::PlayPath("ci.log".into()));
    let source = |failure| RequestsSource::Path { path: "ci.log".into(), failure };
    assert_eq!(table.order().requests, source(0));
    table.act(PlaybackAction::ShowFailure(1));
    assert_eq!(table.order().requests, source(1));
}

#[test]
fn the_playhead_and_the_selected_call_follow_each_other() {
    let mut table = PlaybackBench::open(&["a", "b", "c"]);
    table.answer(0);
    // The calls have no recorded times, so each takes a second.
    let playhead = |table: &PlaybackBench| {
        let desk = table.desk();
        (desk.call, desk.strip.player.transport.nanos / 1e9)
    };
    assert!(table.desk().shown_strip().is_some());
    table.run(Action::Run(Command::NextColumn));
    assert_eq!(playhead(&table), (1, 1.0));
    table.act(PlaybackAction::Playhead(PlayheadAction::Seek(2.5e9)));
    assert_eq!(playhead(&table), (2, 2.5));
    table.run(Action::Run(Command::FirstRow));
    assert_eq!(playhead(&table), (0, 0.0));
    table.run(Action::Run(Command::PlayTape));
    table.workbench.set_time(1.25);
    assert_eq!(playhead(&table), (1, 1.25));
    table.act(PlaybackAction::ShowCall(2));
    assert_eq!(playhead(&table), (2, 2.0));
    assert!(!table.desk().strip.player.transport.is_playing());
    table.run(Action::Run(Command::PlayTape));
    table.workbench.set_time(9.0);
    assert_eq!(playhead(&table), (2, 3.0));
    table.run(Action::Run(Command::ZoomIn));
    let strip = &table.desk().played().unwrap().strip;
    assert_eq!(table.desk().strip.player.visible_time(strip).nanos(), 1.5e9);
    table.act(PlaybackAction::ShowCall(0));
    assert_eq!(playhead(&table), (0, 0.0));
}
