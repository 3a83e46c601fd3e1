//! All sources that recordings name, with their status.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

use crate::{DocId, Items};
use calls::source::{RequestFit, SourceFinding, SourceState};
use calls::{Item, ItemStatus};

/// Identifies a source by the name in recordings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceName {
    /// The `sourceFile` as recordings write it.
    pub file: Arc<str>,
    /// Its path from the project root; `None` if no file exists. The same `sourceFile` in different folders can name
    /// different files.
    pub at: Option<Box<str>>,
}

/// A source with its recordings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    pub name: SourceName,
    /// The worst status of its recordings.
    pub status: ItemStatus,
    /// The recordings that name it, folder by folder. Never empty.
    pub recordings: Vec<DocId>,
    /// The number of their folders.
    pub sets: usize,
    /// Numbers of those that still match it, and of the others.
    pub fits: FitCounts,
    /// Number of those that can be restamped: they still match, but the text or the line ends have changed.
    pub restampable: usize,
    /// Number of those with their text in another file, or in several.
    pub renamed: usize,
    /// Number of those that have it in each of these files, by path from the project root.
    pub places: BTreeMap<Arc<str>, usize>,
    /// Number of those that break, by node.
    pub breaks_at: BTreeMap<Arc<str>, usize>,
    /// The number of different texts that were recorded from.
    pub texts: usize,
    /// The time of the latest recording with the worst status, as written.
    pub recorded_at: Option<Arc<str>>,
    /// The recording that shows most of the changes.
    pub first: DocId,
}

/// Numbers of recordings that still match their source, and of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FitCounts {
    /// Recordings that do not match.
    pub breaks: usize,
    /// Recordings for which this is unknown.
    pub unknown: usize,
    /// Recordings that match.
    pub matches: usize,
}

/// All sources, with totals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceList {
    pub rows: Vec<SourceRow>,
    /// Number of recordings that name no source, or no version of it.
    pub unstamped: usize,
    by_name: HashMap<SourceName, usize>,
}

impl SourceRow {
    fn new(name: SourceName, first: DocId) -> Self {
        Self {
            name,
            status: ItemStatus::Fresh,
            recordings: Vec::new(),
            sets: 0,
            fits: FitCounts::default(),
            restampable: 0,
            renamed: 0,
            places: BTreeMap::new(),
            breaks_at: BTreeMap::new(),
            texts: 0,
            recorded_at: None,
            first,
        }
    }

    fn add(&mut self, doc: DocId, item: &Item, source: &SourceState) {
        self.recordings.push(doc);
        let status = source.status();
        // The worst status is the least.
        if status < self.status {
            (self.status, self.first) = (status, doc);
            self.recorded_at = None;
        }
        // Times in ISO 8601 and UTC sort as texts.
        if status == self.status && self.recorded_at < item.recorded_at {
            self.recorded_at.clone_from(&item.recorded_at);
        }
        self.fits.count(source.fit());
        self.restampable += usize::from(source.can_be_restamped());
        if let SourceFinding::Renamed(places) = &source.found {
            self.renamed += 1;
            for place in &**places {
                *self.places.entry(place.now.path.clone()).or_default() += 1;
            }
        }
        if let (RequestFit::Breaks, Some(node)) = (source.fit(), &source.breaks_at) {
            *self.breaks_at.entry(Arc::clone(node)).or_default() += 1;
        }
    }
}

/// Whether the source was renamed to this file, and the named file does not exist.
pub fn is_renamed_to(source: &SourceState, path: &str) -> bool {
    match &source.found {
        SourceFinding::Renamed(places) => places.iter().any(|place| *place.now.path == *path),
        _ => false,
    }
}

impl FitCounts {
    fn count(&mut self, fit: RequestFit) {
        *match fit {
            RequestFit::Breaks => &mut self.breaks,
            RequestFit::Unknown => &mut self.unknown,
            RequestFit::Matches => &mut self.matches,
        } += 1;
    }
}

/// The key of a source.
type NameKey<'a> = (&'a str, Option<&'a str>);

fn key(source: &SourceState) -> Option<NameKey<'_>> {
    let path = match &source.found {
        SourceFinding::Fresh(current)
        | SourceFinding::LineEndings(current)
        | SourceFinding::Stale(current) => Some(&*current.path),
        SourceFinding::Renamed(_) | SourceFinding::Missing(_) | SourceFinding::Outside(_) => None,
        SourceFinding::Unstamped => return None,
    };
    Some((source.file.as_deref()?, path))
}

impl SourceList {
    /// Groups recordings by source. `by_path` are all items, folder by folder.
    pub fn new(items: &Items, by_path: &[DocId]) -> Self {
        let mut list = Self::default();
        let mut rows_by_key: HashMap<NameKey<'_>, usize> = HashMap::new();
        let mut texts: HashSet<(usize, &str)> = HashSet::new();
        // The folder in which each source was last found.
        let mut folders: Vec<Option<&str>> = Vec::new();
        for &doc in by_path {
            let Some(item) = items.get(doc) else { continue };
            let Some(source) = &item.source else { continue };
            let Some(key) = key(source) else {
                list.unstamped += 1;
                continue;
            };
            let row = *rows_by_key.entry(key).or_insert_with(|| {
                let file = source.file.clone().unwrap_or_default();
                let at = key.1.map(Box::from);
                list.rows.push(SourceRow::new(SourceName { file, at }, doc));
                folders.push(None);
                list.rows.len() - 1
            });
            let hash = source.recorded_hash.as_deref().unwrap_or_default();
            let is_new = texts.insert((row, hash));
            // `by_path` goes folder by folder, so the last folder is the only one to compare with.
            let is_elsewhere = folders[row].replace(item.folder()) != Some(item.folder());
            let row = &mut list.rows[row];
            row.texts += usize::from(is_new);
            row.sets += usize::from(is_elsewhere);
            row.add(doc, item, source);
        }
        let names = list.rows.iter().enumerate();
        list.by_name = names.map(|(index, row)| (row.name.clone(), index)).collect();
        list
    }

    /// Finds a source.
    pub fn get(&self, name: &SourceName) -> Option<&SourceRow> {
        self.rows.get(*self.by_name.get(name)?)
    }

    /// The source of a recording.
    pub fn of_recording(&self, source: &SourceState) -> Option<&SourceRow> {
        let (_, at) = key(source)?;
        self.get(&SourceName { file: source.file.clone()?, at: at.map(Box::from) })
    }
}
