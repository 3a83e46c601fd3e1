//! Writes for the window: documents to their files, and unsaved edits to the store where they survive the end of the program.
//!
//! All writes happen in the order of the requests, on one thread. Unsaved edits are stored a moment after they
//! were made, so that typing does not write a file for each key; all other requests are handled after them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};

use crate::engine::disk::project::Project;
use crate::engine::disk::recovery::DraftStore;
use crate::engine::disk::save::{SaveRequest, SaveTarget, save};
use crate::ops::Item;
use crate::ops::recovered::RecoveredDraft;
use crate::ops::saving::{Expected, Fingerprint, ReadOnly, SaveFailure, SaveFault, Saved};
use crate::text::Source;
use crate::workbench::{DocId, EngineEvent, Items, SaveDestination, SaveFileRequest};

/// How long edits are collected before they are stored.
const DRAFT_DELAY: Duration = Duration::from_millis(300);

/// A request to write or delete something.
pub(super) enum WriteRequest {
    Save(Arc<Project>, Arc<Item>, SaveFileRequest),
    SaveAs(Arc<Project>, Arc<Item>, DocId, PathBuf, Source),
    Keep(PendingDraft),
    Forget(Arc<Project>, DocId, Arc<Item>),
    /// If none of these items is the document, the file watcher searches for it.
    Locate(
        Arc<Project>,
        Items,
        Arc<RecoveredDraft>,
        Option<Sender<Arc<RecoveredDraft>>>,
    ),
    Discard(u64),
}

/// Unsaved edits of a document.
pub(super) struct PendingDraft {
    pub(super) project: Arc<Project>,
    pub(super) doc: DocId,
    pub(super) item: Arc<Item>,
    pub(super) base: Source,
    pub(super) text: Source,
}

/// Executes the requests.
pub(super) struct DocumentWriter<S> {
    drafts: Option<DraftStore>,
    waiting: BTreeMap<DocId, PendingDraft>,
    /// Sends the results.
    send: S,
    /// The last problem with storing edits, which is reported once.
    last_complaint: Option<String>,
}

impl<S: FnMut(EngineEvent)> DocumentWriter<S> {
    /// Opens the store and reports the edits of earlier runs.
    pub(super) fn new(state: Option<&Path>, mut send: S) -> Self {
        let drafts = match state.map(DraftStore::open) {
            Some(Ok(mut drafts)) => {
                send(EngineEvent::DraftsFound(drafts.list_left_over()));
                Some(drafts)
            }
            Some(Err(reason)) => {
                send(EngineEvent::Failed(format!("{reason}.")));
                None
            }
            None => None,
        };
        Self {
            drafts,
            waiting: BTreeMap::new(),
            send,
            last_complaint: None,
        }
    }

    /// Executes requests until the channel is closed.
    pub(super) fn run(mut self, orders: &Receiver<WriteRequest>) {
        let mut due = None;
        loop {
            let order = match due {
                Some(due) => orders.recv_deadline(due),
                None => orders.recv().map_err(RecvTimeoutError::from),
            };
            match order {
                Ok(WriteRequest::Keep(unsaved)) => {
                    self.waiting.insert(unsaved.doc, unsaved);
                    due.get_or_insert_with(|| Instant::now() + DRAFT_DELAY);
                    continue;
                }
                Ok(order) => {
                    if let WriteRequest::Forget(_, doc, _) = &order {
                        self.waiting.remove(doc);
                    }
                    self.keep();
                    self.execute(order);
                }
                Err(RecvTimeoutError::Timeout) => self.keep(),
                Err(RecvTimeoutError::Disconnected) => return self.keep(),
            }
            due = None;
        }
    }

    /// Stores the collected edits.
    fn keep(&mut self) {
        for (doc, unsaved) in std::mem::take(&mut self.waiting) {
            let Some(drafts) = &mut self.drafts else {
                continue;
            };
            let target = unsaved.project.target(doc.index(), &unsaved.item);
            let kept = target.and_then(|target| {
                drafts.keep(&target, Some(unsaved.base.text()), unsaved.text.text())
            });
            let complaint = kept.err();
            if complaint.is_some() && complaint != self.last_complaint {
                let reason = complaint.clone().unwrap_or_default();
                (self.send)(EngineEvent::Failed(format!("{reason}.")));
            }
            self.last_complaint = complaint;
        }
    }

    fn execute(&mut self, order: WriteRequest) {
        match order {
            WriteRequest::Save(project, item, order) => {
                let doc = order.doc;
                let result = save_to_its_file(&project, &item, order);
                (self.send)(EngineEvent::Saved(doc, result));
            }
            WriteRequest::SaveAs(project, item, doc, path, text) => {
                let own = project.target(doc.index(), &item);
                let (to, result) = save_elsewhere(own.ok().as_ref(), &path, project.bound(), &text);
                let path = path.display().to_string();
                (self.send)(EngineEvent::SavedAs {
                    doc,
                    path,
                    text,
                    to,
                    result,
                });
            }
            // It was collected before.
            WriteRequest::Keep(_) => {}
            WriteRequest::Forget(project, doc, item) => {
                if let (Some(drafts), Ok(target)) =
                    (&mut self.drafts, project.target(doc.index(), &item))
                {
                    drafts.forget(&target);
                }
            }
            WriteRequest::Locate(project, items, draft, follower) => {
                let doc = locate(&project, &items, &draft.path);
                let pass_on = |follower: Sender<_>| follower.send(Arc::clone(&draft)).is_ok();
                if doc.is_some() || !follower.is_some_and(pass_on) {
                    (self.send)(EngineEvent::Located(draft.id, doc));
                }
            }
            WriteRequest::Discard(id) => {
                if let Some(drafts) = &mut self.drafts {
                    drafts.discard(id);
                }
            }
        }
    }
}

fn save_to_its_file(
    project: &Project,
    item: &Item,
    order: SaveFileRequest,
) -> Result<Saved, SaveFault> {
    let target = project.target(order.doc.index(), item);
    let target = target.map_err(|reason| SaveFault {
        path: Arc::clone(&item.path),
        reason: SaveFailure::Failed {
            doing: "saved",
            why: reason.into(),
        },
    })?;
    let expected = |base: Source| Expected::File(Fingerprint::from_bytes(base.text().as_bytes()));
    save(&SaveRequest {
        target,
        bytes: order.text.text().as_bytes().into(),
        expected: order.base.map_or(Expected::Nothing, expected),
        read_only: order.read_only,
    })
}

/// Saves to a file that the user chose in a dialog, which confirms replacing an existing one.
fn save_elsewhere(
    own: Option<&SaveTarget>,
    path: &Path,
    root: Option<&Path>,
    text: &Source,
) -> (SaveDestination, Result<Saved, SaveFault>) {
    let target = match SaveTarget::chosen(path, root) {
        Ok(target) => target,
        Err(fault) => return (SaveDestination::OtherFile, Err(fault)),
    };
    let own = own.and_then(|own| std::fs::canonicalize(own.path()).ok());
    let to = if own == Some(target.path()) {
        SaveDestination::SameFile
    } else {
        SaveDestination::OtherFile
    };
    let saved = save(&SaveRequest {
        target,
        bytes: text.text().as_bytes().into(),
        expected: Expected::Anything,
        read_only: ReadOnly::Refuse,
    });
    (to, saved)
}

/// The document that is saved to a path.
fn locate(project: &Project, items: &Items, path: &Path) -> Option<DocId> {
    let mut items = items.iter();
    let is_there = |(doc, item): &(DocId, &Arc<Item>)| {
        let target = project.target(doc.index(), item);
        target.is_ok_and(|target| target.path() == path)
    };
    items.find(is_there).map(|(doc, _)| doc)
}
