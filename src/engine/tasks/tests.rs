//! Documents that are edited, saved and recovered, by requests to an engine.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, bounded};

use crate::{Engine, EngineOptions};
use author::saving::ReadOnly;
use calls::Item;
use check::change::Change;
use document::edit::{Edit, JsonValue};
use document::text::Source;
use protocol::{
    Compute, CurrentDocument, DocId, EngineEvent, Items, KeepDraft, Lane, LocateDraft, PlanChange,
    QueueCommand, QueueRequest, ReadDocument, Request, ReviewBase, ReviewEvent, ReviewRequest,
    Revision, RuleMode, RunCommand, RunId, SampleStop, SaveDestination, SaveDocument,
    SaveDocumentAs, ScanRequest, SessionSteps, UnpackSamples,
};

const TEXT: &str = "{ \"a\": 1.50 }";

/// An engine on a folder with one file, the file's row, and the events.
fn opened(files: &Path, state: &Path) -> (Engine, Receiver<EngineEvent>, Arc<Item>) {
    let setup = EngineOptions { state: Some(state.to_owned()), ..EngineOptions::default() };
    let (mut engine, events) = Engine::start(setup, || {}).unwrap();
    engine.scan(vec![files.to_owned()]);
    let item = next(&events, |event| match event {
        EngineEvent::ItemsFound { items, .. } => items.into_iter().next(),
        _ => None,
    });
    (engine, events, item)
}

/// Waits for an event.
fn next<T>(events: &Receiver<EngineEvent>, pick: impl Fn(EngineEvent) -> Option<T>) -> T {
    loop {
        let event = events.recv_timeout(Duration::from_secs(30)).unwrap();
        if let Some(found) = pick(event) {
            return found;
        }
    }
}

/// Stores an unsaved edit of the first document.
fn keep(engine: &mut Engine, item: &Arc<Item>, base: &str, text: &str) {
    engine.run(Request::from(KeepDraft {
        doc: DocId::new(0),
        item: Arc::clone(item),
        base: Source::new(base),
        text: Source::new(text),
    }));
}

#[test]
fn the_samples_are_refused_at_once_where_a_root_excludes_them() {
    let root = tempfile::tempdir().unwrap();
    let setup = EngineOptions { root: Some(root.path().to_owned()), ..EngineOptions::default() };
    let (mut engine, events) = Engine::start(setup, || {}).unwrap();
    engine.run(UnpackSamples(SampleStop::Library).into());
    let answer = next(&events, |event| match event {
        EngineEvent::Failed(reason) => Some(reason),
        EngineEvent::SamplesUnpacked(samples) => Some(format!("{samples:?}")),
        _ => None,
    });
    let expected = "The samples cannot be opened with --root. Start Retake without it.";
    assert_eq!(answer, expected);
}

#[test]
fn an_edit_is_planned_with_its_reading_and_its_row_and_saved() {
    let (files, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = files.path().join("a.tape.json");
    std::fs::write(&file, TEXT).unwrap();
    let (mut engine, events, item) = opened(&file, state.path());
    let (doc, source) = (DocId::new(0), Source::new(TEXT));
    let edit = Edit::Set { pointer: "/a".to_owned(), value: JsonValue::parse("[]").unwrap() };
    engine.run(Request::from(PlanChange {
        generation: 1,
        documents: vec![CurrentDocument {
            doc,
            item: Arc::clone(&item),
            text: Some((Revision::default(), source.clone())),
        }],
        change: Change::Value(edit),
    }));
    let mut plan = next(&events, |event| match event {
        EngineEvent::ChangePlanned(_, plan) => Some(plan),
        _ => None,
    });
    assert_eq!(plan.name, "Set a to []");
    let parsed_text = plan.edits.remove(0).parsed;
    assert_eq!(parsed_text.document.source().text(), "{ \"a\": [] }");
    assert_eq!(parsed_text.item.unwrap().bytes, 11);

    engine.run(Request::from(SaveDocument {
        doc,
        item: Arc::clone(&item),
        text: parsed_text.document.source().clone(),
        base: Some(source),
        read_only: ReadOnly::Refuse,
    }));
    let save_result = next(&events, |event| match event {
        EngineEvent::Saved(_, result) => Some(result),
        _ => None,
    });
    assert_eq!(save_result.unwrap().now.bytes, 11);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{ \"a\": [] }");

    let mut save_as = |name: &str| {
        engine.run(Request::from(SaveDocumentAs {
            doc,
            item: Arc::clone(&item),
            path: files.path().join(name),
            text: Source::new(TEXT),
        }));
        next(&events, |event| match event {
            EngineEvent::SavedAs { to, .. } => Some(to),
            _ => None,
        })
    };
    assert_eq!(save_as("b.json"), SaveDestination::OtherFile);
    assert_eq!(save_as("./a.tape.json"), SaveDestination::SameFile);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), TEXT);
}

#[test]
fn edits_of_a_file_that_was_deleted_find_a_document_at_its_old_path() {
    let (files, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let session = |id: &str| format!(r#"{{"id":"{id}","input":"x","tool_responses":[]}}"#);
    let file = files.path().join("a.json");
    std::fs::write(&file, session("a")).unwrap();
    std::fs::write(files.path().join("b.json"), session("b")).unwrap();
    let (mut engine, _events, item) = opened(&file, state.path());
    keep(&mut engine, &item, &session("a"), &session("c"));
    drop(engine);
    std::fs::remove_file(file).unwrap();

    let setup = EngineOptions { state: Some(state.path().to_owned()), ..EngineOptions::default() };
    let (mut engine, events) = Engine::start(setup, || {}).unwrap();
    let draft = next(&events, |event| match event {
        EngineEvent::DraftsFound(found) => found.drafts.into_iter().next(),
        _ => None,
    });
    engine.scan(vec![files.path().to_owned()]);
    let (draft, items) = (Arc::new(draft), Items::default());
    engine.run(LocateDraft { draft, items }.into());
    let found_item = next(&events, |event| match event {
        EngineEvent::ItemsFound { items, .. } => {
            let mut items = items.into_iter();
            items.find(|item| item.path.ends_with("/a.json"))
        }
        _ => None,
    });
    let root_path = found_item.root_path();
    assert!(found_item.path.ends_with(root_path), "{root_path}");
    let answer = next(&events, |event| match event {
        EngineEvent::Located(id, doc) => Some((id, doc)),
        _ => None,
    });
    assert_eq!(answer, (0, Some(DocId::new(1))));
}

#[test]
fn edits_that_were_kept_are_offered_at_the_next_start_and_find_their_document() {
    let (files, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = files.path().join("a.tape.json");
    std::fs::write(&file, TEXT).unwrap();
    let (mut engine, _events, item) = opened(&file, state.path());
    keep(&mut engine, &item, TEXT, "{ \"a\": 2 }");
    keep(&mut engine, &item, TEXT, "{ \"a\": 3 }");
    // What was requested is done before the engine is gone.
    drop(engine);

    let (engine, events, _) = opened(&file, state.path());
    let setup = EngineOptions { state: Some(state.path().to_owned()), ..EngineOptions::default() };
    drop((engine, events));
    let (mut engine, events) = Engine::start(setup, || {}).unwrap();
    let draft = next(&events, |event| match event {
        EngineEvent::DraftsFound(found) => found.drafts.into_iter().next(),
        _ => None,
    });
    assert_eq!(draft.text.text(), "{ \"a\": 3 }");
    engine.scan(vec![file]);
    let items = next(&events, |event| match event {
        EngineEvent::ItemsFound { items, .. } => Some(items),
        _ => None,
    });
    let mut library = Items::default();
    items.into_iter().for_each(|item| library.push(item));
    let (draft, items) = (Arc::new(draft), library);
    engine.run(LocateDraft { draft, items }.into());
    let answer = next(&events, |event| match event {
        EngineEvent::Located(id, doc) => Some((id, doc)),
        _ => None,
    });
    assert_eq!(answer, (0, Some(DocId::new(0))));
}

#[test]
fn edits_are_offered_at_the_next_start_although_a_task_of_the_last_run_still_reads() {
    let (files, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = files.path().join("a.tape.json");
    std::fs::write(&file, TEXT).unwrap();
    let (mut engine, _events, item) = opened(&file, state.path());
    let ((started, starts), (end, ends)) = (bounded::<()>(1), bounded::<()>(0));
    let read_on = move || {
        started.send(()).unwrap();
        // Until the test has ended.
        let _ = ends.recv();
        EngineEvent::Failed(String::new())
    };
    engine.run(Compute::new(Lane::Texts, "reading".to_owned(), read_on).into());
    starts.recv().unwrap();
    keep(&mut engine, &item, TEXT, "{ \"a\": 2 }");
    drop(engine);

    let setup = EngineOptions { state: Some(state.path().to_owned()), ..EngineOptions::default() };
    let (_engine, events) = Engine::start(setup, || {}).unwrap();
    let drafts = next(&events, |event| match event {
        EngineEvent::DraftsFound(found) => Some(found.drafts),
        _ => None,
    });
    assert_eq!(drafts.len(), 1);
    drop(end);
}

#[test]
fn a_review_shows_its_first_pairs_before_it_has_read_all() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("retake.toml"), "").unwrap();
    let [old, new] = ["old", "new"].map(|side| {
        let folder = project.path().join(side);
        std::fs::create_dir(&folder).unwrap();
        for number in 0..100 {
            let text = format!(
                r#"{{"request": {{"messages": [], "tools": []}}, "response": {{"response": {{"content": "{side}"}}}}}}"#
            );
            std::fs::write(folder.join(format!("turn-{number:03}.json")), text).unwrap();
        }
        folder
    });
    let (mut engine, events) = Engine::start(EngineOptions::default(), || {}).unwrap();
    engine.scan(vec![new]);
    next(&events, |event| matches!(event, EngineEvent::ScanEnded { .. }).then_some(()));
    engine.run(Request::from(ReviewRequest {
        number: 1,
        base: ReviewBase::Folder(old),
        manual_pairs: Vec::new(),
        rules: Arc::default(),
        known: Arc::default(),
    }));
    let mut snapshots = Vec::new();
    while snapshots.last().is_none_or(|(_, is_complete)| !is_complete) {
        snapshots.push(next(&events, |event| match event {
            EngineEvent::Review(ReviewEvent::Progressed(_, snapshot)) => {
                let text = format!(
                    "{} pairs in {} group, {} of {} compared",
                    snapshot.review.pairs.len(),
                    snapshot.review.groups.len(),
                    snapshot.done,
                    snapshot.total
                );
                Some((text, snapshot.is_complete))
            }
            _ => None,
        }));
    }
    let snapshots: Vec<String> = snapshots.into_iter().map(|(text, _)| text).collect();
    assert_eq!(
        snapshots,
        [
            "24 pairs in 1 group, 0 of 0 compared",
            "24 pairs in 1 group, 24 of 100 compared",
            "100 pairs in 1 group, 100 of 100 compared",
        ]
    );
}

/// Returns an event that is not about changes on disk, as text.
fn next_text(events: &Receiver<EngineEvent>) -> String {
    next(events, |event| match event {
        EngineEvent::DiskChanged(..) => None,
        event => Some(format!("{event:?}")),
    })
}

fn next_internal_error(events: &Receiver<EngineEvent>) -> String {
    next(events, |event| Some(format!("{event:?}")).filter(|text| text.contains("Internal error")))
}

fn watch_queue(files: &Path) -> Request {
    let command = QueueCommand::Watch(RuleMode::Automatic);
    QueueRequest { queue: files.join("queue").into(), command }.into()
}

fn run_command() -> Request {
    RunCommand { run: RunId::default(), command: "exit 3".to_owned() }.into()
}

#[test]
fn a_panic_in_a_request_is_reported_and_the_next_one_runs() {
    type NewRequest = fn(&Path, &Arc<Item>) -> Request;
    // By how it runs: in a lane of each kind, by a closure, and on the window's thread.
    let examples: [NewRequest; 7] = [
        |_, item| ReadDocument { doc: DocId::new(0), item: Arc::clone(item) }.into(),
        |_, _| UnpackSamples(SampleStop::Library).into(),
        |_, _| SessionSteps { steps: Vec::new(), is_undo: false, message: String::new() }.into(),
        |_, _| {
            let run = || EngineEvent::Failed("done".to_owned());
            Compute::new(Lane::Texts, "computing".to_owned(), run).into()
        },
        |files, _| watch_queue(files),
        |_, _| run_command(),
        |files, _| ScanRequest(vec![files.to_owned()]).into(),
    ];
    for example in examples {
        let (files, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(files.path().join("retake.toml"), "").unwrap();
        let session = r#"{"id": "a", "input": "x", "tool_responses": []}"#;
        std::fs::write(files.path().join("a.json"), session).unwrap();
        let (mut engine, events, item) = opened(files.path(), state.path());
        next(&events, |event| matches!(event, EngineEvent::ScanEnded { .. }).then_some(()));
        let request = example(files.path(), &item);
        let reason = format!("Internal error while {}; please report it", request.describe());
        engine.injected_panic = true;
        engine.run(request);
        let text = next_internal_error(&events);
        assert!(text.contains(&reason), "{text}");
        engine.injected_panic = false;
        engine.run(example(files.path(), &item));
        let text = next_text(&events);
        assert!(!text.contains("Internal error"), "{text}");
    }
}

#[test]
fn a_panic_in_a_thread_that_goes_on_is_reported_and_it_can_be_started_again() {
    type Start = fn(&Path) -> Request;
    let cases: [(&str, &str, Start); 4] = [
        ("retake scan", "reading", |files| ScanRequest(vec![files.to_owned()]).into()),
        ("retake watch", "watching", |files| ScanRequest(vec![files.to_owned()]).into()),
        ("retake queue", "queue", watch_queue),
        ("retake command", "exit 3", |_| run_command()),
    ];
    for (name, work, start) in cases {
        let files = tempfile::tempdir().unwrap();
        std::fs::write(files.path().join("retake.toml"), "").unwrap();
        let armed = Arc::new(AtomicBool::new(false));
        let fires = Arc::clone(&armed);
        let wake = move || {
            if thread::current().name() == Some(name) && fires.swap(false, Ordering::Relaxed) {
                panic!("a panic that a test injected");
            }
        };
        let (mut engine, events) = Engine::start(EngineOptions::default(), wake).unwrap();
        engine.scan(vec![files.path().to_owned()]);
        next(&events, |event| matches!(event, EngineEvent::ScanEnded { .. }).then_some(()));
        armed.store(true, Ordering::Relaxed);
        engine.run(start(files.path()));
        let text = next_internal_error(&events);
        assert!(text.contains(work), "{text}");
        engine.run(start(files.path()));
        let text = next_text(&events);
        assert!(!text.contains("Internal error"), "{text}");
    }
}
