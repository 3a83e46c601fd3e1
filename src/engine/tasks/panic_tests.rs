//! Each request runs with an injected panic.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::Receiver;

use super::*;
use crate::engine::{Engine, EngineOptions};
use crate::format::Document;
use crate::ops::change::Change;
use crate::ops::command_step::{CommandStep, UndoMode};
use crate::ops::files::FileStep;
use crate::ops::import::{FetchForm, Incident, RunFilter};
use crate::ops::live::queue::{AnswerRule, RuleAnswer};
use crate::ops::picture::{Picture, PictureTheme};
use crate::ops::playback::{PlaybackRules, PlayedRequest, RecordingSet, requests};
use crate::ops::recovered::{DraftFileState, RecoveredDraft};
use crate::ops::replace::ReplaceForm;
use crate::ops::review::{
    Decisions, IgnoreRule, PairKey, PairedBy, PlannedWrite, PointerPattern, Review, Take,
    TakeOrigin, TakePair, compare,
};
use crate::ops::saving::ReadOnly;
use crate::ops::tape::edits::TapeEdit;
use crate::ops::tape::make::{PieceTiming, TextSplit};
use crate::ops::{Item, Pool};
use crate::text::{Place, Source};
use crate::workbench::*;

/// Longer than any machine needs.
const TIMEOUT: Duration = Duration::from_secs(30);

const RECORDING: &str =
    include_str!("../../../sample-recordings/recordings/close-ticket/req-1780281201443-1.json");

const TAPE: &str = include_str!("../../../sample-recordings/tapes/ticket-summary.json");

/// An engine with a project of one recording, and the workbench that it reports to.
struct PanicFixture {
    engine: Engine,
    events: Receiver<EngineEvent>,
    workbench: Workbench,
    folder: tempfile::TempDir,
    item: Arc<Item>,
    document: Arc<Document>,
}

impl PanicFixture {
    fn open(wake: impl Fn() + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("retake.toml"), "").unwrap();
        std::fs::create_dir(folder.path().join("set")).unwrap();
        std::fs::write(folder.path().join("set/hi.json"), RECORDING).unwrap();
        let (engine, events) = Engine::start(EngineOptions::default(), wake).unwrap();
        let document = crate::format::read(Source::new(RECORDING), "hi.json");
        let mut window = Self {
            engine,
            events,
            workbench: Workbench::new(Remembered::default()),
            folder,
            item: Arc::new(Item::new("set/hi.json")),
            document: Arc::new(document),
        };
        window.engine.scan(vec![window.folder.path().to_owned()]);
        window.wait(|event| matches!(event, EngineEvent::ScanEnded { .. }).then_some(()));
        let items = window.items();
        let (_, item) = items.iter().find(|(_, item)| item.path.ends_with("hi.json")).unwrap();
        window.item = Arc::clone(item);
        window
    }

    /// Passes events to the workbench up to one that fits.
    fn wait<T>(&mut self, fits: impl Fn(&EngineEvent) -> Option<T>) -> T {
        loop {
            let event = self.events.recv_timeout(TIMEOUT).unwrap();
            let found = fits(&event);
            let _ = self.workbench.receive(event);
            if let Some(found) = found {
                return found;
            }
        }
    }

    /// Drops what was sent before.
    fn drain(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            let _ = self.workbench.receive(event);
        }
    }

    fn items(&self) -> Items {
        self.workbench.core.library.items.clone()
    }

    fn current(&self) -> CurrentDocument {
        CurrentDocument {
            doc: self.doc(),
            item: Arc::clone(&self.item),
            text: Some((Revision::default(), self.document.source().clone())),
        }
    }

    /// The file, edited to a tape.
    fn tape(&self) -> CurrentDocument {
        let text = Some((Revision::default(), Source::new(TAPE)));
        let current = self.current();
        CurrentDocument { text, ..current }
    }

    fn request(&self) -> Arc<PlayedRequest> {
        let requests = requests::from_document(&"hi.json".into(), &self.document, &Pool::default());
        requests.unwrap().swap_remove(0)
    }

    fn doc(&self) -> DocId {
        let items = self.items();
        let found = items.iter().find(|(_, item)| Arc::ptr_eq(item, &self.item));
        found.unwrap().0
    }

    fn play(&self) -> PlayRequest {
        PlayRequest {
            number: 1,
            items: self.items(),
            edited: Vec::new(),
            requests: RequestsSource::SetItself,
            set: Some(self.item.folder().into()),
            fallback: None,
            typed: None,
            rules: PlaybackRules::default(),
            is_new: true,
            known: None,
            read: None,
        }
    }

    /// The set played against itself.
    fn played(&self) -> Arc<PlaybackResult> {
        let input = PlaybackInput {
            set: Arc::new(RecordingSet { folder: "set".into(), ..RecordingSet::default() }),
            requests: vec![self.request()],
            ..PlaybackInput::default()
        };
        Arc::new(PlaybackResult::new(1, Arc::new(input), PlaybackRules::default()))
    }

    fn serve(&self) -> ListenRequest {
        ListenRequest {
            kind: ListenerKind::Server,
            run: 1,
            job: ListenJob::Serve { port: 0, paths: vec![self.folder.path().join("set")] },
        }
    }

    fn queue(&self, command: QueueCommand) -> QueueRequest {
        QueueRequest { queue: self.folder.path().join("queue").into(), command }
    }
}

type RequestExample = (&'static str, fn(&PanicFixture) -> Box<dyn TaskRequest>);

/// An example of each request, with a part of the name of the file or folder that it is about; empty for work on all files.
const EXAMPLES: &[RequestExample] = &[
    ("", |window| Box::new(FindSets { revision: 1, items: window.items() })),
    ("", |window| {
        Box::new(JudgeSets {
            number: 1,
            items: window.items(),
            edited: Vec::new(),
            judged: Arc::default(),
        })
    }),
    ("set", |window| Box::new(window.play())),
    ("set", |window| Box::new(ExplainCall { played: window.played(), call: 0 })),
    ("set", |window| {
        Box::new(FileChangeRequest {
            folders: vec![(window.doc(), Arc::clone(&window.item))],
            steps: Vec::new(),
            message: String::new(),
        })
    }),
    ("hi.json", |window| {
        Box::new(ContractRequest {
            key: ContractKey {
                id: SessionId::file(window.doc()),
                revision: Revision::default(),
                items: 0,
                config: None,
                answer: AnswerSource::default(),
            },
            document: Arc::clone(&window.document),
            items: window.items(),
            texts: Vec::new(),
        })
    }),
    ("", |window| {
        Box::new(FindAnswers {
            query: String::new(),
            question: String::new(),
            items: window.items(),
        })
    }),
    ("hi.json", |window| {
        Box::new(PlanBatch(PlanChange {
            generation: 1,
            documents: vec![window.current()],
            change: Change::Stamp,
        }))
    }),
    ("", |_| Box::new(FetchRequest { number: 1, form: FetchForm::default() })),
    ("hi.json", |window| {
        Box::new(ReadIncident {
            number: 1,
            source: IncidentSource::Files(vec![window.folder.path().join("set/hi.json")]),
            filter: RunFilter::default(),
            items: window.items(),
            texts: Vec::new(),
        })
    }),
    ("ci.log", |_| {
        Box::new(ReadRun {
            number: 1,
            source: RunSource::Text { name: "ci.log".into(), text: "".into() },
        })
    }),
    ("ci.log", |window| {
        Box::new(PlayRun {
            number: 1,
            run: Arc::new(LoggedRun::new("ci.log".to_owned(), Vec::new(), Vec::new())),
            triage: None,
            items: window.items(),
            edited: Vec::new(),
        })
    }),
    ("run.html", |window| {
        Box::new(WriteRunPage {
            path: window.folder.path().join("run.html"),
            run: SharedRun::Log(RunSource::Text { name: "ci.log".into(), text: "".into() }),
            items: window.items(),
            edited: Vec::new(),
        })
    }),
    ("hi.json", |_| {
        Box::new(PreviewDraft {
            key: (1, 0),
            incident: incident(),
            secrets: Vec::new(),
            pattern: String::new(),
        })
    }),
    ("hi.json", |window| {
        Box::new(PlanSessions {
            number: 1,
            incident: incident(),
            secrets: Vec::new(),
            drafts: Vec::new(),
            to: SessionsTarget::default(),
            config: None,
            items: window.items(),
        })
    }),
    ("a.yaml", |_| {
        Box::new(SessionSteps {
            steps: vec![FileStep::Create { path: "a.yaml".into(), bytes: Arc::default() }],
            is_undo: false,
            message: String::new(),
        })
    }),
    ("", |window| {
        let mut workbench = Workbench::new(Remembered::default());
        let generation = 1;
        let _ = workbench
            .receive(EngineEvent::ScanStarted { generation, project: ProjectInfo::default() });
        // A short list is not requested.
        let items = vec![Arc::clone(&window.item); 10_000];
        let _ = workbench.receive(EngineEvent::ItemsFound { generation, items });
        let effects = workbench.refresh().into_iter();
        let mut lists = effects.filter_map(Effect::into_request::<ListRequest>);
        Box::new(lists.next().unwrap())
    }),
    ("", |window| {
        let mut workbench = Workbench::new(Remembered::default());
        let (generation, project) = (1, ProjectInfo::default());
        let _ = workbench.receive(EngineEvent::ScanStarted { generation, project });
        let items = vec![Arc::clone(&window.item)];
        let _ = workbench.receive(EngineEvent::ItemsFound { generation, items });
        let _ = workbench.apply(Action::SetFilter("body:x".to_owned()));
        let effects = workbench.refresh().into_iter();
        let mut searches = effects.filter_map(Effect::into_request::<SearchBodies>);
        Box::new(searches.next().unwrap())
    }),
    ("", |window| Box::new(ListSessions { key: 1, items: window.items(), texts: Vec::new() })),
    ("", |window| Box::new(LoadSeeds { key: (1, 1), items: window.items(), texts: Vec::new() })),
    ("hi.json", |window| {
        Box::new(PlanChange {
            generation: 1,
            documents: vec![window.current()],
            change: Change::RewritePath("a.dy".into()),
        })
    }),
    ("old", |_| {
        Box::new(ReviewRequest {
            number: 1,
            base: ReviewBase::Folder("old".into()),
            manual_pairs: Vec::new(),
            rules: Arc::default(),
            known: Arc::default(),
        })
    }),
    ("hi.json", |_| {
        let pair = TakePair {
            old: None,
            new: Some(Arc::new(Take::new("hi.json", RECORDING.into()))),
            by: PairedBy::Path,
        };
        let compared = compare(&pair, &[]);
        Box::new(PairRequest {
            number: 1,
            review: Arc::new(Review::new(vec![(pair, compared)])),
            at: 0,
            rules: Arc::default(),
        })
    }),
    ("", |_| {
        Box::new(PreviewRule {
            review: Arc::default(),
            draft: RuleDraft { at: "runId".to_owned(), ..RuleDraft::default() },
        })
    }),
    ("", |_| Box::new(CountLines { review: Arc::default(), pairs: vec![0] })),
    ("", |_| {
        Box::new(PlanReview {
            review: Arc::default(),
            decisions: Decisions::default(),
            origin: TakeOrigin::Sidecars,
        })
    }),
    ("a.json", |_| {
        Box::new(WriteReview {
            writes: [PlannedWrite {
                step: FileStep::Write {
                    path: "a.json".into(),
                    before: None,
                    after: Some(Arc::default()),
                },
                pair: PairKey { path: "a.json".into(), old: None, new: None },
            }]
            .into(),
        })
    }),
    ("", |_| Box::new(SaveDecisions { decisions: Decisions::default() })),
    ("retake.toml", |_| {
        Box::new(SaveIgnoreRule {
            rule: IgnoreRule {
                at: PointerPattern::parse("runId").unwrap(),
                text: None,
                tolerance: None,
            },
        })
    }),
    ("hi", |window| {
        Box::new(RankRequest {
            id: RequestId { queue: window.folder.path().into(), name: "hi".into() },
            request: window.request(),
            revision: 1,
            items: window.items(),
        })
    }),
    ("retake.toml", |_| {
        Box::new(SaveAnswerRule(AnswerRule {
            name: "greet".to_owned(),
            node: Some("n".to_owned()),
            offers: Vec::new(),
            says: None,
            answer: RuleAnswer::Text("Hello".to_owned()),
            reasoning: None,
        }))
    }),
    ("hi.json", |window| {
        Box::new(ReadDocument { doc: window.doc(), item: Arc::clone(&window.item) })
    }),
    ("hi.json", |window| {
        Box::new(ParseText {
            doc: window.doc(),
            item: Arc::clone(&window.item),
            revision: Revision::default(),
            text: Source::new(RECORDING),
        })
    }),
    ("hi.json", |window| {
        Box::new(FindChanges {
            doc: window.doc(),
            item: Arc::clone(&window.item),
            revision: Revision::default(),
            before: Source::new(RECORDING),
            after: Source::new("{}"),
        })
    }),
    ("hi.json", |window| {
        Box::new(MergeVersions {
            doc: window.doc(),
            path: Arc::clone(&window.item.root_path),
            revision: Revision::default(),
            ours: Source::new("1"),
            others: Some((Source::new("2"), Source::new("3"))),
        })
    }),
    ("hi.json", |window| {
        Box::new(SaveDocument {
            doc: window.doc(),
            item: Arc::clone(&window.item),
            text: Source::new("{}"),
            base: Some(Source::new(RECORDING)),
            read_only: ReadOnly::Refuse,
        })
    }),
    ("copy.json", |window| {
        Box::new(SaveDocumentAs {
            doc: window.doc(),
            item: Arc::clone(&window.item),
            path: window.folder.path().join("copy.json"),
            text: Source::new("{}"),
        })
    }),
    ("", |window| Box::new(OpenDrafts(window.folder.path().join("state")))),
    ("hi.json", |window| {
        Box::new(KeepDraft {
            doc: window.doc(),
            item: Arc::clone(&window.item),
            copy: WorkingCopy::edited(Source::new(RECORDING), Source::new("{}")),
        })
    }),
    ("hi.json", |window| {
        Box::new(ForgetDraft { doc: window.doc(), item: Arc::clone(&window.item) })
    }),
    ("hi.json", |window| {
        Box::new(LocateDraft {
            draft: Arc::new(RecoveredDraft {
                id: 1,
                path: window.folder.path().join("set/hi.json"),
                seconds: 0,
                base: None,
                text: Source::new("{}"),
                file_state: DraftFileState::Gone,
            }),
            items: window.items(),
        })
    }),
    ("", |_| Box::new(DiscardDraft(1))),
    ("", |window| {
        let form = ReplaceForm { old: "a".to_owned(), ..ReplaceForm::default() };
        let key =
            ReplaceKey { form: form.clone(), scope: ReplaceScope::All, filter: 0, revision: 0 };
        Box::new(PlanReplace {
            key,
            replacement: form.replacement().unwrap().unwrap(),
            documents: vec![window.current()],
        })
    }),
    ("the log", |_| Box::new(ReadLog)),
    ("command line", |_| Box::new(ListCommandSteps)),
    ("settings.toml", |window| {
        let path = window.folder.path().join("settings.toml");
        Box::new(ReadUserSettings(path))
    }),
    ("settings.toml", |window| {
        Box::new(WriteUserSettings {
            path: window.folder.path().join("settings.toml"),
            before: None,
            after: (*b"theme = 'dark'").into(),
        })
    }),
    ("editor", |window| {
        Box::new(OpenEditor {
            editor: EditorCommand::parse("no-such-editor {file}").unwrap(),
            file: window.folder.path().join("set/hi.json"),
            place: Place::START,
        })
    }),
    ("command line", |_| {
        Box::new(UndoCommandStep {
            step: CommandStep {
                id: "1".into(),
                command: "retake edit".to_owned(),
                seconds: 0,
                files: Vec::new(),
            },
            mode: UndoMode::All,
        })
    }),
    ("set/hi", |_| Box::new(LookUpPath { text: "set/hi".to_owned(), base: None })),
    ("tapes", |_| {
        Box::new(ListenRequest {
            kind: ListenerKind::Recorder,
            run: 1,
            job: ListenJob::Record {
                port: 0,
                upstream: "http://127.0.0.1:9".to_owned(),
                folder: "tapes".to_owned(),
            },
        })
    }),
    ("hi.json", |window| {
        let file = || (window.doc(), Arc::clone(&window.item));
        Box::new(CompareItems { left: file(), right: file() })
    }),
    ("hi.json", |window| {
        let (doc, item) = (window.doc(), Arc::clone(&window.item));
        Box::new(CompareSourceVersions { doc, item })
    }),
    ("hi.json", |window| {
        let key = CommitsKey {
            generation: 1,
            doc: window.doc(),
            revision: Revision::default(),
            history: 0,
        };
        let item = Arc::clone(&window.item);
        Box::new(FindCommits { key, item })
    }),
    ("machine.dygram", |window| {
        Box::new(ReadMap { key: MapKey::new(1, "machine.dygram".into(), 1), items: window.items() })
    }),
    ("hi.json", |window| {
        Box::new(PrepareTape {
            doc: window.doc(),
            path: "hi.json".into(),
            revision: Revision::default(),
            document: tape(),
        })
    }),
    ("hi.json", |_| {
        Box::new(PreviewTapeEdit {
            path: "hi.json".into(),
            document: tape(),
            edit: TapeEdit::Delete { chunks: 0..1 },
        })
    }),
    ("hi.json", |window| {
        let tapes = vec![window.tape()];
        Box::new(MakeThumbnails { tapes })
    }),
    ("hi.json", |window| {
        Box::new(MakeTape {
            recipe: Recipe {
                origin: NewTapeSource::Answer(window.doc()),
                pieces: TextSplit::Tokens,
                timing: PieceTiming::default(),
                label: None,
                model: None,
                folder: String::new(),
            },
            answer: Some(window.current()),
        })
    }),
    ("a.json", |_| Box::new(SaveTape { path: "a.json".to_owned(), text: Source::new(TAPE) })),
    ("a.svg", |window| {
        Box::new(DrawPicture {
            path: window.folder.path().join("a.svg"),
            picture: Arc::new(Picture {
                title: String::new(),
                description: String::new(),
                size: [10.0; 2],
                theme: PictureTheme::Light,
                shapes: Vec::new(),
            }),
        })
    }),
    ("set", |window| Box::new(window.serve())),
    ("queue", |window| Box::new(window.queue(QueueCommand::Watch(RuleMode::Automatic)))),
    ("`exit 3`", |_| Box::new(RunCommand { run: RunId::default(), command: "exit 3".to_owned() })),
    ("samples", |_| Box::new(UnpackSamples(SampleStop::Library))),
    ("set", |window| Box::new(ScanRequest(vec![window.folder.path().join("set")]))),
];

fn tape() -> Arc<Document> {
    Arc::new(crate::format::read(Source::new(TAPE), "hi.json"))
}

fn incident() -> Arc<Incident> {
    let mut incident = Incident::default();
    incident.name.push_str("hi.json");
    Arc::new(incident)
}

/// Whether an event carries an internal error.
fn is_internal(event: &EngineEvent) -> bool {
    format!("{event:?}").contains("Internal error")
}

#[test]
fn an_example_of_each_request_is_tried() {
    let window = PanicFixture::open(|| {});
    let mut all: HashSet<TypeId> = all_tasks().into_iter().chain(all_controls()).collect();
    // The engine itself opens projects.
    all.insert(TypeId::of::<ScanRequest>());
    let tried = EXAMPLES.iter().map(|(_, request)| {
        let request: Box<dyn Any> = request(&window);
        (*request).type_id()
    });
    assert_eq!(tried.collect::<HashSet<_>>(), all);
}

#[test]
fn a_panic_in_a_request_is_reported_and_the_next_one_runs() {
    for (about, example) in EXAMPLES {
        let mut window = PanicFixture::open(|| {});
        let request = example(&window);
        let lane = lane_of((&*request as &dyn Any).type_id());
        let work = request.describe();
        assert!(work.contains(about), "{work}");
        window.drain();
        window.engine.injected_panic = true;
        window.engine.run(request);
        let reason = format!("Internal error while {work}; please report it");
        let (shown, is_notice) = window.wait(|event| {
            let is_notice = matches!(event, EngineEvent::Failed(_));
            is_internal(event).then(|| (format!("{event:?}"), is_notice))
        });
        assert!(shown.contains(&reason), "{shown}");
        let mut notices = window.workbench.core.notices.iter();
        assert!(!is_notice || notices.any(|notice| notice.text.contains(&reason)));
        window.engine.injected_panic = false;
        let request = example(&window);
        window.engine.run(request);
        if lane == Some(Lane::Writes) {
            // Some have no answer, so that the next one has to show that they ran.
            window.engine.run(Box::new(SessionSteps {
                steps: Vec::new(),
                message: String::new(),
                is_undo: false,
            }));
        }
        let event = loop {
            match window.events.recv_timeout(TIMEOUT) {
                Ok(EngineEvent::DiskChanged(..)) => {}
                Ok(event) => break event,
                Err(_) => panic!("no answer after {work}"),
            }
        };
        assert!(!is_internal(&event), "{event:?}");
    }
}

/// Opens a window in which a thread panics when it next sends an event.
fn with_panic_in(name: &'static str) -> (PanicFixture, Arc<AtomicBool>) {
    let armed = Arc::new(AtomicBool::new(false));
    let fires = Arc::clone(&armed);
    let window = PanicFixture::open(move || {
        if thread::current().name() == Some(name) && fires.swap(false, Ordering::Relaxed) {
            panic!("a panic that a test injected");
        }
    });
    (window, armed)
}

#[test]
fn a_panic_in_a_thread_that_goes_on_is_reported_and_it_can_be_started_again() {
    type Start = fn(&PanicFixture) -> Box<dyn TaskRequest>;
    let cases: [(&str, &str, Start); 4] = [
        ("retake scan", "set", |window| {
            Box::new(ScanRequest(vec![window.folder.path().join("set")]))
        }),
        (
            "retake watch",
            // The watcher of what was open before may be the one that still sends.
            "watching",
            |window| Box::new(ScanRequest(vec![window.folder.path().join("set")])),
        ),
        ("retake queue", "queue", |window| {
            Box::new(window.queue(QueueCommand::Watch(RuleMode::Automatic)))
        }),
        ("retake command", "exit 3", |_| {
            Box::new(RunCommand { run: RunId::default(), command: "exit 3".to_owned() })
        }),
    ];
    for (thread, about, start) in cases {
        let (mut window, armed) = with_panic_in(thread);
        let request = start(&window);
        armed.store(true, Ordering::Relaxed);
        window.engine.run(request);
        let shown = window.wait(|event| is_internal(event).then(|| format!("{event:?}")));
        assert!(shown.contains(about), "{shown}");
        let request = start(&window);
        window.drain();
        window.engine.run(request);
        let event = window.events.recv_timeout(TIMEOUT).unwrap();
        assert!(!is_internal(&event), "{event:?}");
    }
}
