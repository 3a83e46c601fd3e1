//! Unsaved edits, stored so that they survive the end of the program.

use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::Sender;

use crate::engine::disk::crash_reports;
use crate::engine::disk::project::Project;
use crate::engine::disk::recovery::DraftStore;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::engine::services::Drafts;
use crate::ops::Item;
use crate::text::quoted;
use crate::workbench::{
    DiscardDraft, DocId, EngineEvent, ForgetDraft, Items, KeepDraft, LocateDraft, TaskRequest,
};

/// How long edits are collected before they are stored, so that typing does not write a file for each key.
const DRAFT_DELAY: Duration = Duration::from_millis(300);

/// Opens the store in a state folder, and reports the edits and the last crash of earlier runs.
#[derive(Debug)]
pub(in crate::engine) struct OpenDrafts(pub(in crate::engine) PathBuf);

impl TaskRequest for OpenDrafts {
    fn describe(&self) -> String {
        format!("reading the unsaved edits in {}", quoted(&self.0.to_string_lossy()))
    }
}

fn drafts(context: &TaskContext) -> MutexGuard<'_, Drafts> {
    let drafts = &context.services.drafts;
    drafts.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Task for OpenDrafts {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        Some(match DraftStore::open(&self.0) {
            Ok(mut store) => {
                if let Some(report) = crash_reports::take_latest(&self.0) {
                    context.send(EngineEvent::CrashFound(report));
                }
                let found = store.list_left_over();
                drafts(context).store = Some(store);
                EngineEvent::DraftsFound(found)
            }
            Err(reason) => EngineEvent::Failed(format!("{reason}.")),
        })
    }
}

impl Task for KeepDraft {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let mut drafts = drafts(context);
        let store = drafts.store.as_mut()?;
        let target = context.project.as_deref()?.target(self.doc.index(), &self.item);
        let (base, text) = (self.copy.base.text(), self.copy.text.text());
        let kept = target.and_then(|target| store.keep(&target, Some(base), text));
        let complaint = kept.err();
        let is_new = complaint != drafts.last_complaint;
        drafts.last_complaint.clone_from(&complaint);
        let complaint = complaint.filter(|_| is_new)?;
        Some(EngineEvent::Failed(format!("{complaint}.")))
    }

    fn debounce(&self) -> Option<(usize, Duration)> {
        Some((self.doc.index(), DRAFT_DELAY))
    }
}

impl Task for ForgetDraft {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let target = context.project.as_deref()?.target(self.doc.index(), &self.item);
        drafts(context).store.as_mut()?.forget(&target.ok()?);
        None
    }

    /// The key is that of [`KeepDraft`]: edits that wait to be stored are dropped.
    fn debounce(&self) -> Option<(usize, Duration)> {
        Some((self.doc.index(), DRAFT_DELAY))
    }
}

impl Task for LocateDraft {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let Self { draft, items } = self;
        let doc = locate(context.project.as_deref()?, items, &draft.path);
        let locator = &context.services.locator;
        let locator = locator.lock().unwrap_or_else(PoisonError::into_inner);
        // The watcher knows deleted files, too, and answers later.
        let pass_on = |locator: &Sender<_>| locator.send(Arc::clone(draft)).is_ok();
        if doc.is_none() && locator.as_ref().is_some_and(pass_on) {
            return None;
        }
        Some(EngineEvent::Located(draft.id, doc))
    }
}

impl Task for DiscardDraft {
    fn lane() -> Lane {
        Lane::Writes
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        drafts(context).store.as_mut()?.discard(self.0);
        None
    }
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
