//! Computes what to report to the window so that it has the ledger's state.

use std::collections::HashMap;
use std::sync::Arc;

use super::ledger::{FileEntry, FileKey, FolderFacts, Ledger, ReadState, ReportedState, hash};
use crate::disk::file_stamp::{FileStamp, Identity};
use crate::disk::project::{ItemLocation, Project};
use crate::disk::reader::FolderKinds;
use calls::Item;
use calls::source::SourceFinding;
use check::{check_folders, check_project};
use document::{FileKind, Problem};
use protocol::{DocId, ReadProgress, RemovedItem};

/// The most files that are reported one by one, before all are checked together.
const MAX_TOUCHED_FILES: usize = 256;

/// Whether removals are reported now. They wait while files are read: one of them may be the removed file under a new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removals {
    Wait,
    Report,
}

/// Changes to report to the window, in this order.
#[derive(Debug, Default)]
pub(super) struct WindowChanges {
    pub(super) added: Vec<Arc<Item>>,
    pub(super) places: Vec<ItemLocation>,
    pub(super) changed: Vec<(DocId, Arc<Item>)>,
    pub(super) rewritten: Vec<DocId>,
    pub(super) removed: Vec<RemovedItem>,
    pub(super) totals: ReadProgress,
}

impl Ledger {
    /// Returns what can be reported at once about a few changed files, however many files there are: without the problems that
    /// depend on other items, which [`Ledger::publish`] computes. `None` when too many files changed.
    pub(super) fn publish_touched(&mut self, project: &Project) -> Option<WindowChanges> {
        if self.touched.is_empty() || self.touched.len() > MAX_TOUCHED_FILES {
            return None;
        }
        let mut keys: Vec<FileKey> = self.touched.drain().collect();
        // A set has no order, and new ids follow the order of paths.
        keys.sort_unstable();
        let mut changes = WindowChanges {
            rewritten: std::mem::take(&mut self.rewritten),
            ..WindowChanges::default()
        };
        let (mut gone_keys, mut newcomers) = (Vec::new(), HashMap::new());
        for key in keys {
            let Some(row) = self.entries.get_mut(&key) else { continue };
            // Whether another file is listed depends on its folder, which only `publish` looks at.
            let ReadState::Listed(item) = &row.read else {
                if row.reported != ReportedState::Nothing && matches!(row.read, ReadState::Gone) {
                    gone_keys.push(key);
                }
                continue;
            };
            if matches!(row.reported, ReportedState::Present(_)) {
                continue;
            }
            let id = match row.id {
                Some(id) => {
                    changes.changed.push((id, Arc::new(item.clone())));
                    id
                }
                None => {
                    let id = DocId::new(self.ids);
                    self.ids += 1;
                    changes.places.push(ItemLocation::new(project, key.opened, &key.beneath));
                    changes.added.push(Arc::new(item.clone()));
                    id
                }
            };
            row.id = Some(id);
            if row.reported == ReportedState::Nothing
                && let Some(stamp) = row.stamp
            {
                newcomers.insert(stamp.identity, (id, stamp));
            }
            // The problems that depend on other items are still missing.
            row.reported = ReportedState::Outdated;
        }
        let removed_items = gone_keys.iter().filter_map(|key| {
            let row = self.entries.get_mut(key)?;
            row.reported = ReportedState::Nothing;
            row.gone(&newcomers)
        });
        changes.removed = removed_items.collect();
        Some(changes)
    }

    /// Whether everything has to be reported together: what few files contain may change the problems, or the listing, of any others.
    pub(super) fn publishes_all(&mut self) -> bool {
        if self.publishes_all {
            return true;
        }
        let mut stamped_folders = self.stamped_folders;
        for folder in &self.unpublished {
            let old_facts = self.by_folder[*folder].facts;
            let new_facts = self.facts(*folder);
            // Keys of seeds are compared across all folders.
            let has_seeds = old_facts.has_seeds || new_facts.has_seeds;
            self.publishes_all |= has_seeds || old_facts.kinds != new_facts.kinds;
            stamped_folders += usize::from(new_facts.has_stamped);
            stamped_folders -= usize::from(old_facts.has_stamped);
        }
        self.publishes_all |= (stamped_folders > 0) != (self.stamped_folders > 0);
        self.publishes_all
    }

    /// Returns the differences between the window's state and the ledger, and marks them as reported. Checks only the folders in
    /// which something has changed, unless others depend on it.
    pub(super) fn publish(&mut self, project: &Project, removals: Removals) -> WindowChanges {
        let mut changes = WindowChanges {
            rewritten: std::mem::take(&mut self.rewritten),
            totals: ReadProgress { ignored: self.ignored, ..self.totals },
            ..WindowChanges::default()
        };
        self.touched.clear();
        let is_all = self.publishes_all();
        let folders: Vec<usize> = if is_all {
            (0..self.by_folder.len()).collect()
        } else {
            self.unpublished.iter().copied().collect()
        };
        self.update_facts(&folders);
        let files: Vec<usize> = if is_all {
            (0..self.entries.len()).collect()
        } else {
            let folders = folders.iter().map(|folder| &self.by_folder[*folder]);
            folders.flat_map(|folder| folder.files.iter().copied()).collect()
        };
        let mut shown_files = self.shown(&files);
        let first_new = self.give_ids(&mut shown_files);
        let judged = self.judge(&shown_files, is_all, project);
        let mut new_items = Vec::new();
        let mut newcomers = HashMap::new();
        for ShownFile { id, item, index } in &shown_files {
            let start = judged.partition_point(|(index, _)| *index < id.index());
            let own_problems = judged[start..].iter().take_while(|(index, _)| *index == id.index());
            let problems: Vec<Problem> = own_problems.map(|(_, problem)| problem.clone()).collect();
            let state = ReportedState::Present(hash(&problems));
            let entry = &mut self.entries[*index];
            if entry.reported == state {
                continue;
            }
            let item = item.clone().with_problems(problems).share_problems(&project.pool);
            if entry.reported == ReportedState::Nothing
                && let Some(stamp) = entry.stamp
            {
                newcomers.insert(stamp.identity, (*id, stamp));
            }
            if id.index() < first_new {
                changes.changed.push((*id, Arc::new(item)));
            } else {
                new_items.push((*id, Arc::new(item), *index));
            }
            entry.reported = state;
        }
        // The window numbers items as they arrive.
        new_items.sort_unstable_by_key(|(id, ..)| *id);
        for (_, item, index) in new_items {
            let key = self.entries.get_index(index).map(|(key, _)| key);
            let place = key.map(|key| ItemLocation::new(project, key.opened, &key.beneath));
            changes.places.extend(place);
            changes.added.push(item);
        }
        if removals == Removals::Report {
            // `shown_files` and `files` are in the same order.
            let mut shown_indexes = shown_files.iter().map(|file| file.index).peekable();
            let drops = files.into_iter().filter(|index| shown_indexes.next_if_eq(index).is_none());
            changes.removed = self.removals(drops, &newcomers);
            self.unpublished.clear();
            self.publishes_all = false;
        }
        changes
    }

    /// Returns what a folder contains now.
    fn facts(&self, folder: usize) -> FolderFacts {
        let mut facts = FolderFacts::default();
        for index in &self.by_folder[folder].files {
            let ReadState::Listed(item) = &self.entries[*index].read else { continue };
            facts.kinds.add(item);
            facts.has_seeds |= item.kind == FileKind::Seeds;
            let source = item.source.as_ref();
            facts.has_stamped |= source.is_some_and(|s| s.found != SourceFinding::Unstamped);
        }
        facts
    }

    fn update_facts(&mut self, folders: &[usize]) {
        for folder in folders {
            let new_facts = self.facts(*folder);
            let old_facts = std::mem::replace(&mut self.by_folder[*folder].facts, new_facts);
            self.stamped_folders += usize::from(new_facts.has_stamped);
            self.stamped_folders -= usize::from(old_facts.has_stamped);
        }
    }

    /// Returns those of some files that are listed. New ones have an id that is to be given.
    fn shown(&self, files: &[usize]) -> Vec<ShownFile> {
        let kinds = |folder: &str| {
            let folder = self.by_folder.get(folder);
            folder.map_or(FolderKinds::default(), |folder| folder.facts.kinds)
        };
        let shown_files = files.iter().filter_map(|index| {
            let entry = &self.entries[*index];
            Some(ShownFile {
                id: entry.id.unwrap_or(DocId::new(usize::MAX)),
                item: entry.read.shown(kinds)?.clone(),
                index: *index,
            })
        });
        shown_files.collect()
    }

    /// Gives ids to newly listed files, in the order of paths. Returns the first new id.
    fn give_ids(&mut self, files: &mut [ShownFile]) -> usize {
        let first_new = self.ids;
        let new = files.iter_mut();
        let mut new: Vec<&mut ShownFile> =
            new.filter(|file| self.entries[file.index].id.is_none()).collect();
        new.sort_unstable_by_key(|file| self.entries.get_index(file.index).map(|(key, _)| key));
        for file in new {
            file.id = DocId::new(self.ids);
            self.entries[file.index].id = Some(file.id);
            self.ids += 1;
        }
        first_new
    }

    /// Returns the problems that depend on other items, in the order of the numbers of their items. In one list, since a list for each of
    /// a million items would take more memory than the items.
    fn judge(&self, files: &[ShownFile], is_all: bool, project: &Project) -> Vec<(usize, Problem)> {
        let mut rows: Vec<&ShownFile> = files.iter().collect();
        // The search by number below needs this order.
        rows.sort_unstable_by_key(|file| file.id);
        let items = rows.iter().map(|file| (file.id.index(), &file.item));
        let mut problems = if is_all {
            check_project(items)
        } else {
            check_folders(items, self.stamped_folders > 0)
        };
        project.apply_levels(&mut problems, |index| {
            let index = rows.binary_search_by_key(&index, |file| file.id.index());
            let (key, _) = self.entries.get_index(rows[index.ok()?].index)?;
            Some(key.opened)
        });
        project.pool.share_texts(problems.iter_mut().map(|(_, problem)| problem));
        problems.sort_by_key(|(index, _)| *index);
        problems
    }

    /// Returns what the window must remove of some files that are not listed. A file that appeared under another name at the same time
    /// is its successor.
    fn removals(
        &mut self,
        indexes: impl Iterator<Item = usize>,
        newcomers: &HashMap<Option<Identity>, (DocId, FileStamp)>,
    ) -> Vec<RemovedItem> {
        let mut removed_items = Vec::new();
        for index in indexes {
            let entry = &mut self.entries[index];
            if entry.reported != ReportedState::Nothing {
                entry.reported = ReportedState::Nothing;
                removed_items.extend(entry.gone(newcomers));
            }
        }
        removed_items.sort_unstable_by_key(|item| item.doc);
        removed_items
    }
}

/// A file that is listed.
struct ShownFile {
    id: DocId,
    item: Item,
    /// Its index in [`Ledger::entries`].
    index: usize,
}

impl FileEntry {
    /// Returns its removal. A file that appeared under another name at the same time is its successor.
    fn gone(&self, rows: &HashMap<Option<Identity>, (DocId, FileStamp)>) -> Option<RemovedItem> {
        let successor = self.stamp.and_then(|stamp| {
            let (successor, new) = rows.get(&stamp.identity)?;
            new.is_renamed(&stamp).then_some(*successor)
        });
        Some(RemovedItem { doc: self.id?, renamed_to: successor })
    }
}
