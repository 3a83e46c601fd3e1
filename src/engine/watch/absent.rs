//! Lists files that were deleted, so that unsaved edits of them have a document to be recovered into.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::WatchWorker;
use super::ledger::{FileKey, ReportedState};
use crate::disk::file_names::is_skipped;
use crate::disk::project::{ItemLocation, Project};
use crate::disk::root::OpenedPath;
use crate::disk::walk::paths_of;
use author::recovered::RecoveredDraft;
use calls::{Item, ItemFacts};
use protocol::{DiskChange, DocId, EngineEvent, RemovedItem};

impl WatchWorker {
    /// Reports the document that unsaved edits of an earlier run belong to.
    ///
    /// If its file was deleted, the window lists it for these edits and then receives the removal, as for a
    /// file that is deleted while it has unsaved edits. Without such edits it is then removed from the list.
    pub(super) fn locate(&mut self, draft: &RecoveredDraft) {
        let key = self.key_of(&draft.path);
        let known_entry = key.as_ref().and_then(|key| self.ledger.entries.get(key));
        let listed_entry = known_entry.filter(|entry| entry.reported != ReportedState::Nothing);
        if let Some(doc) = listed_entry.and_then(|entry| entry.id) {
            return self.report(draft, Some(doc));
        }
        // A file that exists and is not listed must not appear as deleted.
        let absent_key = key.filter(|key| is_absent(&self.project, key));
        let Some(doc) = absent_key.map(|key| self.list_absent(key)) else {
            return self.report(draft, None);
        };
        self.report(draft, Some(doc));
        self.output.report(DiskChange::Removed(vec![RemovedItem { doc, renamed_to: None }]));
    }

    fn report(&self, draft: &RecoveredDraft, doc: Option<DocId>) {
        self.output.send(EngineEvent::Located(draft.id, doc));
    }

    /// Makes the window list a missing file, under its earlier id or a new one.
    fn list_absent(&mut self, key: FileKey) -> DocId {
        let (path, root_path) = paths_of(&self.project.opened[key.opened], &key.beneath);
        let place = ItemLocation::new(&self.project, key.opened, &key.beneath);
        let (doc, is_new) = self.ledger.enter_absent(key, &root_path);
        let item = Arc::new(Item::from(ItemFacts::at(path, &root_path)));
        if is_new {
            self.project.add_location(place);
            let generation = self.output.generation;
            self.output.send(EngineEvent::ItemsFound { generation, items: vec![item] });
        } else {
            self.output.report(DiskChange::Changed(vec![(doc, item)]));
        }
        doc
    }

    /// Returns the key of the file at an absolute path, if it is below an opened path: by a known name, if there is one.
    fn key_of(&self, path: &Path) -> Option<FileKey> {
        let opened = self.project.opened.iter().enumerate();
        let keys: Vec<FileKey> = opened
            .filter_map(|(index, opened)| {
                Some(FileKey { opened: index, beneath: beneath(opened, path)?.to_owned().into() })
            })
            .collect();
        keys.iter().find(|key| self.ledger.entries.contains_key(*key)).or(keys.first()).cloned()
    }
}

/// Returns the path of a file relative to an opened path, if it is in that and not skipped.
fn beneath<'a>(opened: &OpenedPath, path: &'a Path) -> Option<&'a Path> {
    let beneath = path.strip_prefix(&opened.folder).ok()?;
    let is_ours = match &opened.file {
        Some(file) => file == beneath,
        None => beneath != Path::new("") && !beneath.ancestors().any(is_skipped),
    };
    is_ours.then_some(beneath)
}

/// Returns whether a path that may be read does not exist.
fn is_absent(project: &Project, key: &FileKey) -> bool {
    let metadata = project.opened[key.opened].dir.symlink_metadata(&key.beneath);
    metadata
        .is_err_and(|e| matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}
