//! Handles the window's requests about documents that are being edited.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Sender, unbounded};

use crate::engine::disk::project::Project;
use crate::engine::edit_planner::{TextQuestion, TextSnapshot, answer};
use crate::engine::event_sender::EventSender;
use crate::engine::runner::Engine;
use crate::engine::watch::Watch;
use crate::engine::write_worker::{DocumentWriter, PendingDraft, WriteRequest};
use crate::ops::Item;
use crate::ops::recovered::RecoveredDraft;
use crate::text::Source;
use crate::workbench::{DocId, Items, SaveFileRequest};

/// The two threads that work on documents: one reads and compares texts, the other writes.
pub(super) struct DocumentWorkers {
    requests: Sender<TextRequest>,
    /// `None` once the engine is shutting down.
    writes: Option<Sender<WriteRequest>>,
    writer: Option<JoinHandle<()>>,
    /// True once results are no longer received.
    closing: Arc<AtomicBool>,
}

/// A request about a text of a project.
struct TextRequest {
    project: Arc<Project>,
    text: TextSnapshot,
    question: TextQuestion,
}

impl DocumentWorkers {
    /// Starts the threads. Unsaved edits survive in the state folder, if there is one.
    pub(super) fn start(sender: &EventSender, state: Option<PathBuf>) -> std::io::Result<Self> {
        let closing = Arc::new(AtomicBool::new(false));
        let (questions, request) = unbounded::<TextRequest>();
        let (to_window, closed) = (sender.clone(), Arc::clone(&closing));
        let texts = thread::Builder::new().name("retake texts".into());
        texts.spawn(move || {
            for request in request {
                let event = answer(&request.project, &request.text, &request.question);
                if !to_window.send(event, &closed) {
                    break;
                }
            }
        })?;
        let (orders, ordered) = unbounded::<WriteRequest>();
        let (to_window, closed) = (sender.clone(), Arc::clone(&closing));
        let writer = thread::Builder::new().name("retake save".into());
        let writer = writer.spawn(move || {
            let send = |event| {
                // Everything is written even if the window is gone.
                let _ = to_window.send(event, &closed);
            };
            DocumentWriter::new(state.as_deref(), send).run(&ordered);
        })?;
        Ok(Self {
            requests: questions,
            writes: Some(orders),
            writer: Some(writer),
            closing,
        })
    }

    fn send_write(&self, order: WriteRequest) {
        if let Some(orders) = &self.writes {
            // The thread runs for as long as this handle exists.
            let _ = orders.send(order);
        }
    }
}

/// Waits until everything that was requested is written.
impl Drop for DocumentWorkers {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Relaxed);
        self.writes = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Engine {
    /// Sends a request about a text that is being edited; the result arrives as an event of the same name.
    pub fn query_text(&self, text: TextSnapshot, question: TextQuestion) {
        if let Some(project) = self.project.clone() {
            // The thread runs for as long as this handle exists.
            let _ = self.documents.requests.send(TextRequest {
                project,
                text,
                question,
            });
        }
    }

    /// Writes a document to its file; the result arrives as `EngineEvent::Saved`.
    pub fn save(&self, item: Arc<Item>, order: SaveFileRequest) {
        self.send_write(|project| WriteRequest::Save(project, item, order));
    }

    /// Writes a document's text to another file; the result arrives as `EngineEvent::SavedAs`.
    pub fn save_as(&self, doc: DocId, item: Arc<Item>, path: PathBuf, text: Source) {
        self.send_write(|project| WriteRequest::SaveAs(project, item, doc, path, text));
    }

    /// Stores unsaved edits so that they survive the end of the program.
    pub fn keep_draft(&self, doc: DocId, item: Arc<Item>, base: Source, text: Source) {
        self.send_write(|project| {
            WriteRequest::Keep(PendingDraft {
                project,
                doc,
                item,
                base,
                text,
            })
        });
    }

    /// Deletes stored unsaved edits.
    pub fn forget_draft(&self, doc: DocId, item: Arc<Item>) {
        self.send_write(|project| WriteRequest::Forget(project, doc, item));
    }

    /// Finds the document that an earlier run's edits belong to, even if its file was deleted; the result arrives as
    /// `EngineEvent::Located`.
    pub fn locate_draft(&self, items: Items, draft: Arc<RecoveredDraft>) {
        let follower = self.watch.as_ref().map(Watch::drafts);
        self.send_write(|project| WriteRequest::Locate(project, items, draft, follower));
    }

    /// Deletes unsaved edits of an earlier run.
    pub fn discard_draft(&self, id: u64) {
        self.documents.send_write(WriteRequest::Discard(id));
    }

    pub(super) fn send_write(&self, order: impl FnOnce(Arc<Project>) -> WriteRequest) {
        if let Some(project) = self.project.clone() {
            self.documents.send_write(order(project));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use crossbeam_channel::Receiver;

    use super::*;
    use crate::engine::EngineOptions;
    use crate::ops::edit::{Edit, JsonValue};
    use crate::ops::saving::ReadOnly;
    use crate::workbench::{EngineEvent, Revision, SaveDestination};

    const TEXT: &str = "{ \"a\": 1.50 }";

    /// An engine on a folder with one file, the file's row, and the events.
    fn opened(files: &Path, state: &Path) -> (Engine, Receiver<EngineEvent>, Arc<Item>) {
        let setup = EngineOptions {
            state: Some(state.to_owned()),
            ..EngineOptions::default()
        };
        let (mut engine, events) = Engine::start(setup, || {}).unwrap();
        engine.scan(vec![files.to_owned()]);
        let item = next(&events, |event| match event {
            EngineEvent::ItemsFound { items, .. } => items.into_iter().next(),
            _ => None,
        });
        (engine, events, item)
    }

    /// Waits for an event.
    fn next<T>(events: &Receiver<EngineEvent>, wanted: impl Fn(EngineEvent) -> Option<T>) -> T {
        loop {
            let event = events.recv_timeout(Duration::from_secs(30)).unwrap();
            if let Some(found) = wanted(event) {
                return found;
            }
        }
    }

    #[test]
    fn an_edit_is_planned_with_its_reading_and_its_row_and_saved() {
        let (files, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = files.path().join("a.tape.json");
        std::fs::write(&file, TEXT).unwrap();
        let (engine, events, item) = opened(&file, state.path());
        let (doc, source) = (DocId::new(0), Source::new(TEXT));
        let text = TextSnapshot {
            doc,
            item: Arc::clone(&item),
            revision: Revision::default(),
            source: source.clone(),
        };
        let edit = Edit::Set {
            pointer: "/a".to_owned(),
            value: JsonValue::parse("[]").unwrap(),
        };
        engine.query_text(text, TextQuestion::Plan(edit));
        let planned = next(&events, |event| match event {
            EngineEvent::EditPlanned(_, _, planned) => planned.ok(),
            _ => None,
        });
        assert_eq!(planned.name, "Set a to []");
        assert_eq!(planned.document.source().text(), "{ \"a\": [] }");
        assert_eq!(planned.item.unwrap().bytes, 11);

        let order = SaveFileRequest {
            doc,
            text: planned.document.source().clone(),
            base: Some(source),
            read_only: ReadOnly::Refuse,
        };
        engine.save(Arc::clone(&item), order);
        let saved = next(&events, |event| match event {
            EngineEvent::Saved(_, result) => Some(result),
            _ => None,
        });
        assert_eq!(saved.unwrap().now.bytes, 11);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{ \"a\": [] }");

        let to = |name: &str| {
            let path = files.path().join(name);
            engine.save_as(doc, Arc::clone(&item), path, Source::new(TEXT));
            next(&events, |event| match event {
                EngineEvent::SavedAs { to, .. } => Some(to),
                _ => None,
            })
        };
        assert_eq!(to("b.json"), SaveDestination::OtherFile);
        assert_eq!(to("./a.tape.json"), SaveDestination::SameFile);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), TEXT);
    }

    #[test]
    fn edits_of_a_file_that_was_deleted_find_a_document_at_its_old_path() {
        let (files, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let session = |id: &str| format!(r#"{{"id":"{id}","input":"x","tool_responses":[]}}"#);
        let file = files.path().join("a.json");
        std::fs::write(&file, session("a")).unwrap();
        std::fs::write(files.path().join("b.json"), session("b")).unwrap();
        let (engine, _events, item) = opened(&file, state.path());
        let (base, text) = (Source::new(session("a")), Source::new(session("c")));
        engine.keep_draft(DocId::new(0), item, base, text);
        drop(engine);
        std::fs::remove_file(file).unwrap();

        let setup = EngineOptions {
            state: Some(state.path().to_owned()),
            ..EngineOptions::default()
        };
        let (mut engine, events) = Engine::start(setup, || {}).unwrap();
        let draft = next(&events, |event| match event {
            EngineEvent::DraftsFound(left) => left.drafts.into_iter().next(),
            _ => None,
        });
        engine.scan(vec![files.path().to_owned()]);
        engine.locate_draft(Items::default(), Arc::new(draft));
        let listed = next(&events, |event| match event {
            EngineEvent::ItemsFound { items, .. } => {
                let mut items = items.into_iter();
                items.find(|item| item.path.ends_with("/a.json"))
            }
            _ => None,
        });
        let root_path = listed.root_path.as_ref();
        assert!(listed.path.ends_with(root_path), "{root_path}");
        let located = next(&events, |event| match event {
            EngineEvent::Located(id, doc) => Some((id, doc)),
            _ => None,
        });
        assert_eq!(located, (0, Some(DocId::new(1))));
    }

    #[test]
    fn edits_that_were_kept_are_offered_at_the_next_start_and_find_their_document() {
        let (files, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = files.path().join("a.tape.json");
        std::fs::write(&file, TEXT).unwrap();
        let (engine, _events, item) = opened(&file, state.path());
        let keep = |text: &str| {
            let text = Source::new(text);
            engine.keep_draft(DocId::new(0), Arc::clone(&item), Source::new(TEXT), text);
        };
        keep("{ \"a\": 2 }");
        keep("{ \"a\": 3 }");
        // What was requested is done before the engine is gone.
        drop(engine);

        let (engine, events, _) = opened(&file, state.path());
        let setup = EngineOptions {
            state: Some(state.path().to_owned()),
            ..EngineOptions::default()
        };
        drop((engine, events));
        let (mut engine, events) = Engine::start(setup, || {}).unwrap();
        let draft = next(&events, |event| match event {
            EngineEvent::DraftsFound(left) => left.drafts.into_iter().next(),
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
        engine.locate_draft(library, Arc::new(draft));
        let located = next(&events, |event| match event {
            EngineEvent::Located(id, doc) => Some((id, doc)),
            _ => None,
        });
        assert_eq!(located, (0, Some(DocId::new(0))));
    }
}
