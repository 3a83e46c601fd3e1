//! Computes what to report to the window so that it has the ledger's state.

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::file_stamp::FileStamp;
use super::ledger::{FileEntry, FileKey, Ledger, ReadState, ReportedState};
use crate::engine::disk::project::{ItemLocation, Project};
use crate::engine::disk::reader::KnownFolders;
use crate::engine::disk::walk::Identity;
use crate::format::Problem;
use crate::ops::Item;
use crate::ops::check::check_project;
use crate::workbench::{DocId, ReadProgress, RemovedItem};

/// The most files that are reported one by one, before all are checked together.
const MAX_TOUCHED: usize = 256;

/// Whether removals are reported now. They wait while files are read: one of them may be the removed file under a new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removals {
    Wait,
    Report,
}

/// What to report to the window, in this order.
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
        if self.touched.is_empty() || self.touched.len() > MAX_TOUCHED {
            return None;
        }
        let mut touched: Vec<FileKey> = self.touched.drain().collect();
        touched.sort_unstable();
        let mut changes = WindowChanges {
            rewritten: std::mem::take(&mut self.rewritten),
            ..WindowChanges::default()
        };
        let (mut gone, mut newcomers) = (Vec::new(), HashMap::new());
        for key in touched {
            let Some(entry) = self.entries.get_mut(&key) else {
                continue;
            };
            let ReadState::Listed(item) = &entry.read else {
                if entry.reported != ReportedState::Nothing && matches!(entry.read, ReadState::Gone)
                {
                    gone.push(key);
                }
                continue;
            };
            if matches!(entry.reported, ReportedState::Present(_)) {
                continue;
            }
            let id = match entry.id {
                Some(id) => {
                    changes.changed.push((id, Arc::clone(item)));
                    id
                }
                None => {
                    let id = DocId::new(self.ids);
                    self.ids += 1;
                    let place = ItemLocation::new(project, key.opened, &key.beneath);
                    changes.places.push(place);
                    changes.added.push(Arc::clone(item));
                    id
                }
            };
            entry.id = Some(id);
            if entry.reported == ReportedState::Nothing
                && let Some(stamp) = entry.stamp
            {
                newcomers.insert(stamp.identity, (id, stamp));
            }
            entry.reported = ReportedState::Outdated;
        }
        let gone = gone.iter().filter_map(|key| {
            let entry = self.entries.get_mut(key)?;
            entry.reported = ReportedState::Nothing;
            entry.gone(&newcomers)
        });
        changes.removed = gone.collect();
        Some(changes)
    }

    /// Returns all differences between the window's state and the ledger, and marks them as reported.
    pub(super) fn publish(&mut self, project: &Project, removals: Removals) -> WindowChanges {
        let mut changes = WindowChanges {
            rewritten: std::mem::take(&mut self.rewritten),
            totals: self.totals(),
            ..WindowChanges::default()
        };
        self.touched.clear();
        let folders = self.known_folders();
        let first_new = self.give_ids(&folders);
        let mut beside = self.judge(&folders, project);
        let mut added = Vec::new();
        let mut newcomers = HashMap::new();
        for (key, entry) in &mut self.entries {
            let (Some(id), Some(item)) = (entry.id, entry.read.shown(&folders)) else {
                continue;
            };
            let problems = beside.remove(&id.index()).unwrap_or_default();
            let state = ReportedState::Present(hash(&problems));
            if entry.reported == state {
                continue;
            }
            let item = Item::clone(item).with_problems(problems);
            if entry.reported == ReportedState::Nothing
                && let Some(stamp) = entry.stamp
            {
                newcomers.insert(stamp.identity, (id, stamp));
            }
            if id.index() < first_new {
                changes.changed.push((id, Arc::new(item)));
            } else {
                added.push((id, Arc::new(item), key));
            }
            entry.reported = state;
        }
        added.sort_unstable_by_key(|(id, ..)| *id);
        for (_, item, key) in added {
            changes
                .places
                .push(ItemLocation::new(project, key.opened, &key.beneath));
            changes.added.push(item);
        }
        if removals == Removals::Report {
            changes.removed = self.removals(&folders, &newcomers);
        }
        changes
    }

    /// The folders in which files of no known kind are listed.
    fn known_folders(&self) -> KnownFolders {
        KnownFolders::from_items(self.entries.values().filter_map(|entry| match &entry.read {
            ReadState::Listed(item) => Some(&**item),
            _ => None,
        }))
    }

    /// Gives ids to newly listed files, in the order of paths. Returns the first new id.
    fn give_ids(&mut self, folders: &KnownFolders) -> usize {
        let first_new = self.ids;
        let entries = self.entries.iter_mut();
        let mut new: Vec<(&FileKey, &mut FileEntry)> = entries
            .filter(|(_, entry)| entry.id.is_none() && entry.read.shown(folders).is_some())
            .collect();
        new.sort_unstable_by_key(|(key, _)| *key);
        for (_, entry) in new {
            entry.id = Some(DocId::new(self.ids));
            self.ids += 1;
        }
        first_new
    }

    /// Returns the problems that depend on other items, by the number of the item.
    fn judge(&self, folders: &KnownFolders, project: &Project) -> HashMap<usize, Vec<Problem>> {
        let rows = self.entries.iter().filter_map(|(key, entry)| {
            let item = entry.read.shown(folders)?;
            Some((entry.id?.index(), key.opened, &**item))
        });
        let mut rows: Vec<(usize, usize, &Item)> = rows.collect();
        rows.sort_unstable_by_key(|(index, ..)| *index);
        let items = rows.iter().map(|(index, _, item)| (*index, *item));
        let mut judged = check_project(items);
        project.apply_levels(&mut judged, |index| {
            let at = rows.binary_search_by_key(&index, |(index, ..)| *index);
            at.ok().map(|at| rows[at].1)
        });
        let problems = judged.iter_mut().map(|(_, problem)| problem);
        project.pool.share_texts(problems);
        let mut by_item: HashMap<usize, Vec<Problem>> = HashMap::new();
        for (index, problem) in judged {
            by_item.entry(index).or_default().push(problem);
        }
        by_item
    }

    /// Returns what the window must remove. A file that appeared under another name at the same time is its successor.
    fn removals(
        &mut self,
        folders: &KnownFolders,
        newcomers: &HashMap<Option<Identity>, (DocId, FileStamp)>,
    ) -> Vec<RemovedItem> {
        let mut removed = Vec::new();
        for entry in self.entries.values_mut() {
            if entry.reported == ReportedState::Nothing || entry.read.shown(folders).is_some() {
                continue;
            }
            entry.reported = ReportedState::Nothing;
            removed.extend(entry.gone(newcomers));
        }
        removed.sort_unstable_by_key(|gone| gone.doc);
        removed
    }

    fn totals(&self) -> ReadProgress {
        let mut totals = ReadProgress {
            ignored: self.ignored,
            ..ReadProgress::default()
        };
        let entries = self.entries.values();
        for entry in
            entries.filter(|entry| !matches!(entry.read, ReadState::Gone | ReadState::Uncounted))
        {
            totals.known += 1;
            if entry.is_refused {
                totals.not_opened += 1;
            } else {
                totals.read += 1;
                totals.bytes += entry.bytes;
            }
        }
        totals
    }
}

impl FileEntry {
    /// Returns its removal. A file that appeared under another name at the same time is its successor.
    fn gone(
        &self,
        newcomers: &HashMap<Option<Identity>, (DocId, FileStamp)>,
    ) -> Option<RemovedItem> {
        let successor = self.stamp.and_then(|stamp| {
            let (successor, new) = newcomers.get(&stamp.identity)?;
            new.is_renamed(&stamp).then_some(*successor)
        });
        Some(RemovedItem {
            doc: self.id?,
            renamed_to: successor,
        })
    }
}

/// Returns a hash of a list of problems.
pub(super) fn hash(problems: &[Problem]) -> u64 {
    FixedState::default().hash_one(problems)
}
