//! Changes on disk while files are open: items are added, changed and removed, and the user's position is kept.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Core, DeskView, Effect, Library, LibraryList, NoticeEnd, OnDisk, WorkingCopy};
use calls::Item;
use check::needs_other_files;
use document::{Problem, Severity};
use protocol::{CompareSourceVersions, DiskChange, DocId, LibraryRow, RemovedItem, ScanRequest};

/// The new ids of removed items, where they were renamed.
pub(crate) type Renames = HashMap<DocId, Option<DocId>>;

impl Core {
    pub(crate) fn on_disk_change(&mut self, change: DiskChange) {
        let Some(project) = &mut self.project else { return };
        match change {
            DiskChange::Changed(items) => self.on_items_changed(items),
            DiskChange::Seen(items) => self.on_items_seen(items),
            DiskChange::Rewritten(docs) => self.on_files_rewritten(&docs),
            DiskChange::Removed(removed_items) => self.on_items_removed(removed_items),
            DiskChange::Replaced if self.library.unsaved().next().is_some() => {
                // Reported once, however often the project changes until then.
                if !std::mem::replace(&mut self.scan_awaits_saving, true) {
                    let message = "The settings of the project or its folder changed on disk. They are read again once \
                                   no edit is unsaved.";
                    self.notify_until(NoticeEnd::AllSaved, Severity::Warning, message.to_owned());
                }
            }
            DiskChange::Replaced => {
                let paths = project.opened.clone();
                self.request(Effect::run(ScanRequest(paths)));
            }
            DiskChange::Branch(branch) => project.branch = branch,
            // Another number, so that the commits of calls are found again.
            DiskChange::Commit => self.commits.history += 1,
            DiskChange::Totals(totals) => self.last_progress = totals,
            DiskChange::Watching(state) => self.watch_state = state,
        }
    }

    /// Reads a project again that changed as a whole while edits were unsaved, once none is.
    pub(crate) fn sync_scan(&mut self) {
        if self.scan_awaits_saving && self.library.unsaved().next().is_none() {
            self.scan_awaits_saving = false;
            self.notices.retain(|notice| notice.until != NoticeEnd::AllSaved);
            self.on_disk_change(DiskChange::Replaced);
        }
    }

    /// Adds items that were read for the first time. Restores a selection from before a reload.
    pub(crate) fn on_items_found(&mut self, items: Vec<Arc<Item>>) {
        // Ids are given in order, so these are the ones that the items will have.
        let first = self.library.items.ids();
        self.news.added.extend((first..first + items.len()).map(DocId::new));
        let selected_path = self.list.reselect.as_ref();
        let place = selected_path.and_then(|path| items.iter().position(|item| item.path == *path));
        self.library.add(items);
        // The user may have selected another row while files were read.
        if let Some(index) = place.filter(|_| self.list.selected.is_none()) {
            self.select(DocId::new(first + index));
        }
    }

    /// Updates items, and keeps their known problems that depend on other items.
    pub(crate) fn on_items_seen(&mut self, mut items: Vec<(DocId, Arc<Item>)>) {
        for (doc, item) in &mut items {
            let old_problems = self.library.get(*doc).map_or(&[][..], |item| &item.problems);
            let rest: Vec<Problem> = old_problems
                .iter()
                .filter(|p| needs_other_files(p.rule))
                .filter(|p| !item.problems.contains(p))
                .cloned()
                .collect();
            if !rest.is_empty() {
                *item = Arc::new(Item::clone(item).with_problems(rest));
            }
        }
        self.on_items_changed(items);
    }

    pub(crate) fn on_items_changed(&mut self, mut items: Vec<(DocId, Arc<Item>)>) {
        // Changes that were already reported, such as after a save, are ignored.
        items.retain(|(doc, item)| self.library.get(*doc) != Some(&**item));
        // The row of an edited document comes from its text, and other files may change that row, too.
        let is_edited = |(doc, _): &mut (DocId, Arc<Item>)| self.library.is_unsaved(*doc);
        let edited_items: Vec<_> = items.extract_if(.., is_edited).collect();
        for (doc, file) in edited_items {
            self.request(self.library.parse_as(doc, file));
        }
        if items.is_empty() {
            return;
        }
        let is_changed = |doc: DocId| items.iter().any(|(other, _)| *other == doc);
        let selection = self.list.removed_selection.filter(|(doc, _)| is_changed(*doc));
        let docs = items.iter().map(|(doc, _)| *doc);
        self.news.changed.extend(docs.clone());
        docs.for_each(|doc| {
            self.bodies.forget(doc);
            self.provenance.forget(doc);
        });
        self.replace_items(items);
        if let Some((doc, neighbour)) = selection {
            self.list.removed_selection = None;
            // If the user has moved on, the selection stays.
            if self.list.selected == neighbour {
                self.select(doc);
            }
        }
    }

    /// Replaces rows. Compares the shown source again if its row says something else of it now.
    pub(crate) fn replace_items(&mut self, items: Vec<(DocId, Arc<Item>)>) {
        if let DeskView::Source(doc) = self.here().view
            && let Some((_, item)) = items.iter().find(|(other, _)| *other == doc)
            && self.library.get(doc).map(|item| &item.source) != Some(&item.source)
        {
            let item = Arc::clone(item);
            self.request(Effect::run(CompareSourceVersions { doc, item }));
        }
        self.library.replace(items);
    }

    /// Reads shown documents again whose files were rewritten; until then the old document stays.
    pub(crate) fn on_files_rewritten(&mut self, docs: &[DocId]) {
        self.news.rewritten.extend_from_slice(docs);
        for doc in docs.iter().copied() {
            self.bodies.forget(doc);
            self.provenance.forget(doc);
        }
        for doc in docs.iter().copied() {
            // Edits must not be replaced by what is on disk.
            if self.library.copy(doc).is_some() {
                self.check_disk(doc);
            } else if self.library.opened(doc).is_some() {
                self.request(self.library.read_file(doc));
            }
        }
        let compare = match self.here().view {
            DeskView::Compare { left, right } if docs.contains(&left) || docs.contains(&right) => {
                self.library.compare(left, right).map(Effect::run)
            }
            DeskView::Source(doc) if docs.contains(&doc) => {
                self.library.compare_source(doc).map(Effect::run)
            }
            _ => None,
        };
        self.request(compare);
        // The place was found in the old text.
        if self.reveal.is_some_and(|(doc, _)| docs.contains(&doc)) {
            self.reveal = None;
        }
    }

    pub(crate) fn on_items_removed(&mut self, mut removed_items: Vec<RemovedItem>) {
        removed_items.retain(|item| !self.keeps_edits_of_deleted(item.doc));
        let heirs: Renames = removed_items.iter().map(|item| (item.doc, item.renamed_to)).collect();
        let successor = |doc: DocId| heirs.get(&doc).copied().unwrap_or(Some(doc));
        let old_doc = self.list.selected;
        // Found before the items are removed, because a neighbour is known by its row.
        let new_selection = old_doc.and_then(|doc| self.list.neighbour(doc, &heirs, &self.library));
        self.library.remove(&removed_items);
        self.list.marked = self.list.marked.and_then(successor);
        self.reveal = self.reveal.filter(|(doc, _)| !heirs.contains_key(doc));
        self.navigation.replace_views(|view| match view {
            DeskView::Compare { left, right } => match (successor(left), successor(right)) {
                (Some(left), Some(right)) => DeskView::Compare { left, right },
                _ => DeskView::List,
            },
            DeskView::Source(doc) => successor(doc).map_or(DeskView::List, DeskView::Source),
            DeskView::Conflict(doc) if heirs.contains_key(&doc) => DeskView::List,
            _ => view,
        });
        // A file that was renamed may have been changed as well.
        let docs = heirs.values().flatten().filter(|doc| self.library.document(**doc).is_some());
        self.effects.extend(docs.filter_map(|doc| self.library.read_file(*doc)));
        if old_doc != new_selection {
            self.list.selected = new_selection;
            self.list.removed_selection =
                old_doc.filter(|doc| successor(*doc).is_none()).map(|doc| (doc, new_selection));
            if let Some(doc) = new_selection {
                self.select(doc);
            }
        }
        self.sync_view();
        self.news.removed.extend(heirs);
    }

    /// Whether a document has edits, so that it stays open although its file was deleted.
    fn keeps_edits_of_deleted(&mut self, doc: DocId) -> bool {
        if !self.library.is_unsaved(doc) {
            return false;
        }
        if let Some(copy) = self.library.copy_mut(doc) {
            copy.on_disk = OnDisk::Gone;
        }
        let name = self.library.name_of(doc);
        let text = format!(
            "{name} was deleted on disk. Its edits are still here; save to create it again."
        );
        self.notify(Severity::Warning, text);
        true
    }
}

impl Library {
    /// Returns the items that a change on disk is about.
    pub(crate) fn items_of<'a>(&'a self, change: &'a DiskChange) -> Vec<&'a Item> {
        match change {
            DiskChange::Changed(items) | DiskChange::Seen(items) => {
                items.iter().map(|(_, r)| &**r).collect()
            }
            DiskChange::Rewritten(docs) => docs.iter().filter_map(|doc| self.get(*doc)).collect(),
            DiskChange::Removed(items) => items.iter().filter_map(|r| self.get(r.doc)).collect(),
            _ => Vec::new(),
        }
    }

    fn is_unsaved(&self, doc: DocId) -> bool {
        self.copy(doc).is_some_and(WorkingCopy::is_unsaved)
    }

    /// Lists a document without a file again, when undo or redo makes it differ from the disk.
    pub(crate) fn restore_item(&mut self, doc: DocId) {
        if self.is_unsaved(doc) && self.get(doc).is_none() {
            self.restore(doc);
            if let Some(copy) = self.copy_mut(doc) {
                copy.on_disk = OnDisk::Gone;
            }
        }
    }
}

impl LibraryList {
    /// Returns the item to select when one is removed: the item itself, its renamed item, or its neighbor in the list.
    fn neighbour(&self, doc: DocId, heirs: &Renames, library: &Library) -> Option<DocId> {
        match heirs.get(&doc) {
            None => return Some(doc),
            Some(Some(successor)) => return Some(*successor),
            Some(None) => {}
        }
        let (upper_rows, lower_rows) = self.listing.rows.split_at(self.listing.row_of(doc)?);
        let is_staying = |doc: &DocId| !heirs.contains_key(doc) && library.get(*doc).is_some();
        let lower_item = lower_rows.iter().filter_map(LibraryRow::item).find(is_staying);
        lower_item.or_else(|| upper_rows.iter().rev().filter_map(LibraryRow::item).find(is_staying))
    }
}
