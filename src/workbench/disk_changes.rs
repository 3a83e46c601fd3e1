//! Changes on disk while files are open: items are added, changed and removed, and the user's position is kept.

#[cfg(test)]
mod tests;

use crate::workbench::state::Core;
use std::collections::HashMap;
use std::sync::Arc;

use super::desks::{LibraryDesk, ProblemsDesk};
use super::event::{Effect, ProjectInfo, ReadProgress};
use super::library::DocId;
use super::listing::LibraryRow;
use super::navigation::{DeskView, Navigation};
use super::side_by_side::{CompareItems, CompareSourceVersions};
use super::state::{ProblemId, Workbench};
use super::task::ScanRequest;
use super::working_copy::{OnDisk, WorkingCopy};
use crate::format::{Problem, Severity};
use crate::ops::Item;
use crate::ops::check::needs_other_files;

/// A change on disk after the scan.
#[derive(Clone, Debug)]
pub enum DiskChange {
    /// Changed items, with all problems. They replace the items with the same ids, or restore removed ones.
    Changed(Vec<(DocId, Arc<Item>)>),
    /// Changed items, without the problems that depend on other items.
    Seen(Vec<(DocId, Arc<Item>)>),
    /// Files that were written, even if their items are unchanged: documents that are shown must be read again.
    Rewritten(Vec<DocId>),
    /// Removed items. Their ids are not reused.
    Removed(Vec<RemovedItem>),
    /// The current totals.
    Totals(ReadProgress),
    /// Another branch is checked out, or none.
    Branch(Option<String>),
    /// How changes are watched from now on.
    Watching(WatchState),
    /// The opened path exists again as another folder: everything has to be read again.
    Replaced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedItem {
    pub doc: DocId,
    /// The new item of the same file, if it was only renamed.
    pub renamed_to: Option<DocId>,
}

/// How changes on disk are watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WatchState {
    /// Not watched, or not yet.
    #[default]
    Off,
    /// The system reports each change.
    Live,
    /// All files are scanned again every few seconds.
    Rescanning(WatchFailure),
    /// The opened path no longer exists.
    Gone,
}

/// Why the system does not report changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchFailure {
    /// It has no watches left.
    NoWatchesLeft,
    /// There were more changes at once than its queue holds.
    TooManyChanges,
    /// It cannot, for this reason.
    Unable(Arc<str>),
}

/// The new ids of removed items, where they were renamed.
pub(super) type Renames = HashMap<DocId, Option<DocId>>;

impl Core {
    /// Updates items, and keeps their known problems that depend on other items.
    fn on_items_seen(&mut self, mut items: Vec<(DocId, Arc<Item>)>) {
        for (doc, item) in &mut items {
            let before = self
                .library
                .get(*doc)
                .map_or(&[][..], |item| &item.problems);
            let beside = before.iter().filter(|it| needs_other_files(it.rule));
            let beside: Vec<Problem> = beside
                .filter(|it| !item.problems.contains(it))
                .cloned()
                .collect();
            if !beside.is_empty() {
                *item = Arc::new(Item::clone(item).with_problems(beside));
            }
        }
        self.on_items_changed(items);
    }

    fn on_items_changed(&mut self, mut items: Vec<(DocId, Arc<Item>)>) {
        // Changes that were already reported, such as after a save, are ignored. An edited document keeps its edited row.
        items.retain(|(doc, item)| {
            self.library.get(*doc) != Some(&**item) && !self.is_unsaved(*doc)
        });
        if items.is_empty() {
            return;
        }
        if let DeskView::Source(doc) = self.here().view
            && let Some((_, item)) = items.iter().find(|(other, _)| *other == doc)
            && self.library.get(doc).map(|item| &item.source) != Some(&item.source)
        {
            let item = Arc::clone(item);
            self.request(Effect::run(CompareSourceVersions { doc, item }));
        }
        let back = self
            .list
            .removed_selection
            .filter(|(doc, _)| items.iter().any(|(other, _)| other == doc));
        self.library.replace(items);
        if let Some((doc, neighbour)) = back {
            self.list.removed_selection = None;
            if self.list.selected == neighbour {
                self.select(doc);
            }
        }
    }

    /// The problem of an item that is most similar to one it had before.
    fn similar_problem(&self, doc: DocId, was: &Problem) -> Option<ProblemId> {
        let problems = &self.library.get(doc)?.problems;
        let same = problems
            .iter()
            .enumerate()
            .filter(|(_, problem)| problem.rule == was.rule);
        let similarity = |problem: &Problem| {
            (
                problem.pointer == was.pointer,
                problem.message == was.message,
            )
        };
        let best = same.rev().max_by_key(|(_, problem)| similarity(problem));
        best.map(|(index, _)| ProblemId { doc, index })
    }

    /// Reads shown documents again whose files were rewritten; until then the old document stays.
    fn on_files_rewritten(&mut self, docs: &[DocId]) {
        self.news.rewritten.extend_from_slice(docs);
        for doc in docs.iter().copied() {
            if self.library.copy(doc).is_some() {
                self.check_disk(doc);
            } else if self.library.opened(doc).is_some() {
                let effect = self.read_file(doc);
                self.request(effect);
            }
        }
        match self.here().view {
            DeskView::Compare { left, right } if docs.contains(&left) || docs.contains(&right) => {
                let request = CompareItems::new(&self.library, left, right);
                self.request(request.map(Effect::run));
            }
            DeskView::Source(doc) if docs.contains(&doc) => {
                let request = CompareSourceVersions::new(&self.library, doc);
                self.request(request.map(Effect::run));
            }
            DeskView::Compare { .. }
            | DeskView::Source(_)
            | DeskView::Conflict(_)
            | DeskView::Import
            | DeskView::List => {}
        }
        if self.reveal.is_some_and(|(doc, _)| docs.contains(&doc)) {
            self.reveal = None;
        }
    }

    pub(super) fn on_items_removed(&mut self, mut gone: Vec<RemovedItem>) {
        gone.retain(|gone| !self.keeps_edits_of_deleted(gone.doc));
        let heirs: Renames = gone
            .iter()
            .map(|gone| (gone.doc, gone.renamed_to))
            .collect();
        let now = |doc: DocId| heirs.get(&doc).copied().unwrap_or(Some(doc));
        let (before, after) = (
            self.list.selected,
            self.list
                .selected
                .and_then(|doc| self.neighbour(doc, &heirs)),
        );
        self.library.remove(&gone);
        self.list.marked = self.list.marked.and_then(now);
        self.reveal = self.reveal.filter(|(doc, _)| !heirs.contains_key(doc));
        self.navigation.replace_views(|view| match view {
            DeskView::Compare { left, right } => match (now(left), now(right)) {
                (Some(left), Some(right)) => DeskView::Compare { left, right },
                _ => DeskView::List,
            },
            DeskView::Source(doc) => now(doc).map_or(DeskView::List, DeskView::Source),
            DeskView::Conflict(doc) if heirs.contains_key(&doc) => DeskView::List,
            DeskView::Conflict(_) | DeskView::Import | DeskView::List => view,
        });
        let heirs_shown = heirs.values().flatten().copied();
        let reads: Vec<_> = heirs_shown
            .filter(|doc| self.library.document(*doc).is_some())
            .filter_map(|doc| self.read_file(doc))
            .collect();
        self.effects.extend(reads);
        if before != after {
            self.list.selected = after;
            self.list.removed_selection = before
                .filter(|doc| now(*doc).is_none())
                .map(|doc| (doc, after));
            if let Some(doc) = after {
                self.select(doc);
            }
        }
        let effect = self.sync_view();
        self.request(effect);
        self.news.removed.extend(heirs);
    }

    /// Whether a document has edits, so that it stays open although its file was deleted.
    fn keeps_edits_of_deleted(&mut self, doc: DocId) -> bool {
        if !self.is_unsaved(doc) {
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

    /// Lists a document without a file again, when undo or redo makes it differ from the disk.
    pub(super) fn restore_item(&mut self, doc: DocId) {
        if self.is_unsaved(doc) && self.library.get(doc).is_none() {
            self.library.restore(doc);
            if let Some(copy) = self.library.copy_mut(doc) {
                copy.on_disk = OnDisk::Gone;
            }
        }
    }

    fn is_unsaved(&self, doc: DocId) -> bool {
        self.library.copy(doc).is_some_and(WorkingCopy::is_unsaved)
    }

    /// What to select when an item is removed: the item itself, its renamed item, or its neighbor in the list.
    fn neighbour(&self, doc: DocId, heirs: &Renames) -> Option<DocId> {
        match heirs.get(&doc) {
            None => return Some(doc),
            Some(Some(successor)) => return Some(*successor),
            Some(None) => {}
        }
        let listing = &self.list.listing;
        let (above, below) = listing.rows.split_at(listing.row_of(doc)?);
        let stays = |doc: &DocId| !heirs.contains_key(doc) && self.library.get(*doc).is_some();
        let below = below.iter().filter_map(LibraryRow::item).find(stays);
        below.or_else(|| above.iter().rev().filter_map(LibraryRow::item).find(stays))
    }
}

impl Workbench {
    /// Handles a change on disk.
    pub(super) fn on_disk_change(&mut self, news: DiskChange) {
        if self.core.project.is_none() {
            return;
        }
        self.mark_playback_dirty(&news);
        self.mark_review_dirty(&news);
        let Some(project) = &mut self.core.project else {
            return;
        };
        self.terminal.on_disk_change(&news);
        match news {
            DiskChange::Changed(items) => {
                self.keeping_problem(|it| it.core.on_items_changed(items))
            }
            DiskChange::Seen(items) => self.keeping_problem(|it| it.core.on_items_seen(items)),
            DiskChange::Rewritten(docs) => self.core.on_files_rewritten(&docs),
            DiskChange::Removed(gone) => self.core.on_items_removed(gone),
            DiskChange::Replaced if self.core.library.unsaved().next().is_some() => {}
            DiskChange::Replaced => {
                let paths = project.opened.clone();
                self.core.request(Effect::run(ScanRequest(paths)));
            }
            DiskChange::Branch(branch) => project.branch = branch,
            DiskChange::Totals(totals) => self.core.last_progress = totals,
            DiskChange::Watching(watching) => self.core.watch_state = watching,
        }
    }

    /// Keeps the selected problem selected, or the most similar one, while its item changes.
    fn keeping_problem(&mut self, change: impl FnOnce(&mut Self)) {
        let chosen = self.problems.problem;
        let chosen = chosen.and_then(|id| {
            Some((
                id.doc,
                self.core.library.share(id.doc)?,
                self.core.problem(id)?.clone(),
            ))
        });
        change(self);
        if let Some((doc, before, problem)) = chosen
            && self.core.library.get(doc) != Some(&*before)
        {
            self.problems.problem = self.core.similar_problem(doc, &problem);
        }
    }

    pub(super) fn on_problems_removed(&mut self, removed: &Renames) {
        self.problems.problem = self.problems.problem.and_then(|id| {
            let doc = removed.get(&id.doc).copied().unwrap_or(Some(id.doc))?;
            Some(ProblemId { doc, ..id })
        });
    }

    /// Adds items that were read for the first time. Restores a selection from before a reload.
    pub(super) fn on_items_found(&mut self, items: Vec<Arc<Item>>) {
        for item in &items {
            self.playback.mark_dirty(item.folder());
        }
        self.mark_review_dirty_by_arrival();
        let first = self.core.library.items.ids();
        if self.core.progress.is_none() {
            self.terminal
                .note_touched((first..first + items.len()).map(DocId::new));
        }
        let wanted = self.core.list.reselect.as_ref();
        let again = wanted.and_then(|path| items.iter().position(|item| item.path == *path));
        self.core.library.add(items);
        match again {
            Some(at) if self.core.list.selected.is_none() => {
                self.core.select(DocId::new(first + at))
            }
            _ => {}
        }
    }
}

/// The state that is kept by a reload.
impl Core {
    /// Whether the same paths are open as in `before`.
    pub(super) fn has_opened(&self, before: &ProjectInfo) -> bool {
        self.project
            .as_ref()
            .is_some_and(|now| now.opened == before.opened && now.root == before.root)
    }
}

impl Workbench {
    /// The state of the desks after a reload: unchanged, with the selection by path.
    pub(super) fn desks_after_reload(&mut self) -> (Navigation, LibraryDesk, ProblemsDesk) {
        let selected = self
            .core
            .list
            .selected
            .and_then(|doc| self.core.library.get(doc));
        let path = selected.map(|item| Arc::clone(&item.path));
        let before = std::mem::take(&mut self.core.list);
        let list = LibraryDesk {
            reselect: path.or(before.reselect.clone()),
            selected: None,
            marked: None,
            listing: Default::default(),
            built: Default::default(),
            awaited: None,
            removed_selection: None,
            ..before
        };
        let problems = ProblemsDesk {
            problem: None,
            ..std::mem::take(&mut self.problems)
        };
        (Navigation::at_desk(self.core.here().desk), list, problems)
    }
}
