//! Unsaved edits, stored so that they survive the end of the program.

use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use crossbeam_channel::Sender;

use crate::disk::crash_reports;
use crate::disk::guard::lock;
use crate::disk::project::Project;
use crate::disk::recovery::DraftStore;
use crate::run::{TaskContext, Work};
use crate::services::Drafts;
use calls::Item;
use protocol::{
    DiscardDraft, DocId, EngineEvent, ForgetDraft, Items, KeepDraft, Lane, LocateDraft,
};

/// Time that edits are collected before they are stored, so that typing does not write a file for each key.
const DRAFT_DELAY: Duration = Duration::from_millis(300);

fn drafts(context: &TaskContext) -> MutexGuard<'_, Drafts> {
    lock(&context.services.drafts)
}

/// Opens the store in a state folder, and reports the edits and the last crash of earlier runs.
pub(crate) fn open_drafts(state: PathBuf) -> Work {
    // In the lane of writing, so that the store is open before the first edit is stored.
    Work::new(Lane::Writes, state, |state, context| {
        Some(match DraftStore::open(state) {
            Ok(mut store) => {
                if let Some(report) = crash_reports::take_latest(state) {
                    context.send(EngineEvent::CrashFound(report));
                }
                let leftovers = store.list_left_over();
                drafts(context).store = Some(store);
                EngineEvent::DraftsFound(leftovers)
            }
            Err(reason) => EngineEvent::Failed(format!("{reason}.")),
        })
    })
}

pub(crate) fn keep_draft(request: KeepDraft) -> Work {
    let key = request.doc.index();
    let work = Work::new(Lane::Writes, request, |request, context| {
        let mut drafts = drafts(context);
        let store = drafts.store.as_mut()?;
        let target = context.project.as_deref()?.target(request.doc.index(), &request.item);
        let (base, text) = (request.base.text(), request.text.text());
        let complaint = target.and_then(|target| store.keep(&target, Some(base), text)).err();
        // Typing stores edits again and again, and each time the reason would be the same.
        let is_new = complaint != drafts.last_complaint;
        drafts.last_complaint.clone_from(&complaint);
        let complaint = complaint.filter(|_| is_new)?;
        Some(EngineEvent::Failed(format!("{complaint}.")))
    });
    work.debounced(key, DRAFT_DELAY)
}

pub(crate) fn forget_draft(request: ForgetDraft) -> Work {
    // The key is that of `keep_draft`: edits that wait to be stored are dropped.
    let key = request.doc.index();
    let work = Work::new(Lane::Writes, request, |request, context| {
        let target = context.project.as_deref()?.target(request.doc.index(), &request.item);
        drafts(context).store.as_mut()?.forget(&target.ok()?);
        None
    });
    work.debounced(key, DRAFT_DELAY)
}

pub(crate) fn locate_draft(request: LocateDraft) -> Work {
    Work::new(Lane::Writes, request, |LocateDraft { draft, items }, context| {
        let doc = locate(context.project.as_deref()?, items, &draft.path);
        let locator = lock(&context.services.locator);
        // The watcher knows deleted files, too, and answers later.
        let pass_on = |locator: &Sender<_>| locator.send(Arc::clone(draft)).is_ok();
        if doc.is_none() && locator.as_ref().is_some_and(pass_on) {
            return None;
        }
        Some(EngineEvent::Located(draft.id, doc))
    })
}

pub(crate) fn discard_draft(request: DiscardDraft) -> Work {
    Work::new(Lane::Writes, request, |request, context| {
        drafts(context).store.as_mut()?.discard(request.0);
        None
    })
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
