//! Changes on disk while files are open: items are added, changed and removed, and the user's position is kept.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use super::desks::{LibraryDesk, ProblemsDesk};
use super::event::{Effect, Progress, Project};
use super::library::DocId;
use super::listing::Row;
use super::navigation::{Navigation, View};
use super::state::{ProblemId, Workbench};
use super::working_copy::{OnDisk, WorkingCopy};
use crate::format::{Problem, Severity};
use crate::ops::Item;
use crate::ops::check::needs_other_files;

/// A change on disk after the scan.
#[derive(Clone, Debug)]
pub enum News {
    /// Changed items, with all problems. They replace the items with the same ids, or restore removed ones.
    Changed(Vec<(DocId, Arc<Item>)>),
    /// Changed items, without the problems that depend on other items.
    Seen(Vec<(DocId, Arc<Item>)>),
    /// Files that were written, even if their items are unchanged: documents that are shown must be read again.
    Rewritten(Vec<DocId>),
    /// Removed items. Their ids are not reused.
    Removed(Vec<Gone>),
    /// The current totals.
    Totals(Progress),
    /// Another branch is checked out, or none.
    Branch(Option<String>),
    /// How changes are watched from now on.
    Watching(Watching),
    /// The opened path exists again as another folder: everything has to be read again.
    Replaced,
}

/// A removed item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The item.
    pub doc: DocId,
    /// The new item of the same file, if it was only renamed.
    pub heir: Option<DocId>,
}

/// How changes on disk are watched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Watching {
    /// Not watched, or not yet.
    #[default]
    Off,
    /// The system reports each change.
    Live,
    /// All files are scanned again every few seconds.
    Rescanning(Cause),
    /// The opened path no longer exists.
    Gone,
}

/// Why the system does not report changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It has no watches left.
    NoWatchesLeft,
    /// There were more changes at once than its queue holds.
    TooManyChanges,
    /// It cannot, for this reason.
    Unable(Arc<str>),
}

/// The new ids of removed items, where they were renamed.
type Heirs = HashMap<DocId, Option<DocId>>;

impl Workbench {
    /// Handles a change on disk.
    pub(super) fn take_news(&mut self, news: News) -> Vec<Effect> {
        if self.project.is_none() {
            return Vec::new();
        }
        self.touch_playback(&news);
        self.touch_review(&news);
        let Some(project) = &mut self.project else {
            return Vec::new();
        };
        self.terminal.hear(&news);
        match news {
            News::Changed(items) => return self.changed(items),
            News::Seen(items) => return self.seen(items),
            News::Rewritten(docs) => return self.rewritten(&docs),
            News::Removed(gone) => return self.removed(gone),
            News::Replaced if self.library.unsaved().next().is_some() => {}
            News::Replaced => return vec![Effect::Scan(project.opened.clone())],
            News::Branch(branch) => project.branch = branch,
            News::Totals(totals) => self.last = totals,
            News::Watching(watching) => self.watching = watching,
        }
        Vec::new()
    }

    /// How changes on disk are watched.
    pub fn watching(&self) -> &Watching {
        &self.watching
    }

    /// Adds items that were read for the first time. Restores a selection from before a reload.
    pub(super) fn found_items(&mut self, items: Vec<Arc<Item>>) -> Vec<Effect> {
        for item in &items {
            self.playback.touch(item.folder());
        }
        self.touch_review_by_arrival();
        let first = self.library.items().ids();
        if self.progress.is_none() {
            self.terminal
                .touched((first..first + items.len()).map(DocId::new));
        }
        let wanted = self.list.reselect.as_ref();
        let again = wanted.and_then(|path| items.iter().position(|item| item.path == *path));
        self.library.add(items);
        match again {
            Some(at) if self.list.selected.is_none() => self.select(DocId::new(first + at)),
            _ => Vec::new(),
        }
    }

    /// Updates items, and keeps their known problems that depend on other items.
    fn seen(&mut self, mut items: Vec<(DocId, Arc<Item>)>) -> Vec<Effect> {
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
        self.changed(items)
    }

    fn changed(&mut self, mut items: Vec<(DocId, Arc<Item>)>) -> Vec<Effect> {
        // Changes that were already reported, such as after a save, are ignored. An edited document keeps its edited row.
        items.retain(|(doc, item)| {
            self.library.get(*doc) != Some(&**item) && !self.is_unsaved(*doc)
        });
        if items.is_empty() {
            return Vec::new();
        }
        let mut effects = Vec::new();
        if let View::ThenAndNow(doc) = self.here().view
            && let Some((_, item)) = items.iter().find(|(other, _)| *other == doc)
            && self.library.get(doc).map(|item| &item.source) != Some(&item.source)
        {
            effects.push(Effect::FindSource(doc));
        }
        let chosen = self
            .problems
            .problem
            .filter(|id| items.iter().any(|(doc, _)| *doc == id.doc));
        let chosen = chosen.and_then(|id| Some((id.doc, self.problem(id)?.clone())));
        let back = self
            .list
            .left
            .filter(|(doc, _)| items.iter().any(|(other, _)| other == doc));
        self.library.replace(items);
        if let Some((doc, problem)) = chosen {
            self.problems.problem = self.alike(doc, &problem);
        }
        if let Some((doc, neighbour)) = back {
            self.list.left = None;
            if self.list.selected == neighbour {
                effects.extend(self.select(doc));
            }
        }
        effects
    }

    /// The problem of an item that is most similar to one it had before.
    fn alike(&self, doc: DocId, was: &Problem) -> Option<ProblemId> {
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
    fn rewritten(&mut self, docs: &[DocId]) -> Vec<Effect> {
        self.seeds_rewritten(docs);
        let mut effects = Vec::new();
        for doc in docs.iter().copied() {
            if self.library.copy(doc).is_some() {
                effects.extend(self.look_at_disk(doc));
            } else if self.library.opened(doc).is_some() {
                effects.push(Effect::Read(doc));
            }
        }
        match self.here().view {
            View::Compare { left, right } if docs.contains(&left) || docs.contains(&right) => {
                effects.push(Effect::Compare { left, right });
            }
            View::ThenAndNow(doc) if docs.contains(&doc) => effects.push(Effect::FindSource(doc)),
            View::Compare { .. }
            | View::ThenAndNow(_)
            | View::Conflict(_)
            | View::Import
            | View::List => {}
        }
        if self.reveal.is_some_and(|(doc, _)| docs.contains(&doc)) {
            self.reveal = None;
        }
        effects
    }

    pub(super) fn removed(&mut self, mut gone: Vec<Gone>) -> Vec<Effect> {
        gone.retain(|gone| !self.outlives_its_file(gone.doc));
        let heirs: Heirs = gone.iter().map(|gone| (gone.doc, gone.heir)).collect();
        let now = |doc: DocId| heirs.get(&doc).copied().unwrap_or(Some(doc));
        let (before, after) = (
            self.list.selected,
            self.list.selected.and_then(|doc| self.beside(doc, &heirs)),
        );
        self.library.remove(&gone);
        self.list.marked = self.list.marked.and_then(now);
        self.problems.problem = self.problems.problem.and_then(|id| {
            let doc = now(id.doc)?;
            Some(ProblemId { doc, ..id })
        });
        self.reveal = self.reveal.filter(|(doc, _)| !heirs.contains_key(doc));
        self.navigation.follow(|view| match view {
            View::Compare { left, right } => match (now(left), now(right)) {
                (Some(left), Some(right)) => View::Compare { left, right },
                _ => View::List,
            },
            View::ThenAndNow(doc) => now(doc).map_or(View::List, View::ThenAndNow),
            View::Conflict(doc) if heirs.contains_key(&doc) => View::List,
            View::Conflict(_) | View::Import | View::List => view,
        });
        let heirs_shown = heirs.values().flatten().copied();
        let mut effects: Vec<Effect> = heirs_shown
            .filter(|doc| self.library.document(*doc).is_some())
            .map(Effect::Read)
            .collect();
        if before != after {
            self.list.selected = after;
            self.list.left = before
                .filter(|doc| now(*doc).is_none())
                .map(|doc| (doc, after));
            effects.extend(after.map(|doc| self.select(doc)).unwrap_or_default());
        }
        effects.extend(self.follow_view());
        effects
    }

    /// Whether a document has edits, so that it stays open although its file was deleted.
    fn outlives_its_file(&mut self, doc: DocId) -> bool {
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
    pub(super) fn bring_back(&mut self, doc: DocId) {
        if self.is_unsaved(doc) && self.library.get(doc).is_none() {
            self.library.bring_back(doc);
            if let Some(copy) = self.library.copy_mut(doc) {
                copy.on_disk = OnDisk::Gone;
            }
        }
    }

    fn is_unsaved(&self, doc: DocId) -> bool {
        self.library.copy(doc).is_some_and(WorkingCopy::is_unsaved)
    }

    /// What to select when an item is removed: the item itself, its renamed item, or its neighbor in the list.
    fn beside(&self, doc: DocId, heirs: &Heirs) -> Option<DocId> {
        match heirs.get(&doc) {
            None => return Some(doc),
            Some(Some(heir)) => return Some(*heir),
            Some(None) => {}
        }
        let listing = &self.list.listing;
        let (above, below) = listing.rows().split_at(listing.row_of(doc)?);
        let stays = |doc: &DocId| !heirs.contains_key(doc) && self.library.get(*doc).is_some();
        let below = below.iter().filter_map(Row::item).find(stays);
        below.or_else(|| above.iter().rev().filter_map(Row::item).find(stays))
    }
}

/// The state that is kept by a reload.
impl Workbench {
    /// Whether the same paths are open as in `before`.
    pub(super) fn has_opened(&self, before: &Project) -> bool {
        self.project
            .as_ref()
            .is_some_and(|now| now.opened == before.opened && now.root == before.root)
    }

    /// The state of the desks after a reload: unchanged, with the selection by path.
    pub(super) fn kept(&mut self) -> (Navigation, LibraryDesk, ProblemsDesk) {
        let selected = self.list.selected.and_then(|doc| self.library.get(doc));
        let path = selected.map(|item| Arc::clone(&item.path));
        let before = std::mem::take(&mut self.list);
        let list = LibraryDesk {
            reselect: path.or(before.reselect.clone()),
            selected: None,
            marked: None,
            listing: Default::default(),
            built: Default::default(),
            awaited: None,
            left: None,
            ..before
        };
        let problems = ProblemsDesk {
            problem: None,
            ..std::mem::take(&mut self.problems)
        };
        (Navigation::at(self.here().desk), list, problems)
    }
}
