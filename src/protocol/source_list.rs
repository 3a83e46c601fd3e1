//! All sources that recordings name, with their status.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use crate::{DocId, Items};
use calls::ItemStatus;
use calls::source::{RequestFit, SourceFinding, SourceState};

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
    /// The number of those that no longer match it.
    pub breaks: usize,
    /// Number of those that can be restamped: they still match, but the text or the line ends have changed.
    pub restampable: usize,
    /// Number of those with their text in another file, or in several.
    pub renamed: usize,
    /// Number of those that have it in each of these files, by path from the project root.
    pub places: BTreeMap<Arc<str>, usize>,
    /// Number of those that break, by node.
    pub breaks_at: BTreeMap<Arc<str>, usize>,
    /// The recording that shows most of the changes.
    pub first: DocId,
}

/// All sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceList {
    pub rows: Vec<SourceRow>,
    by_name: HashMap<SourceName, usize>,
}

impl SourceRow {
    fn new(name: SourceName, first: DocId) -> Self {
        Self {
            name,
            status: ItemStatus::Fresh,
            recordings: Vec::new(),
            breaks: 0,
            restampable: 0,
            renamed: 0,
            places: BTreeMap::new(),
            breaks_at: BTreeMap::new(),
            first,
        }
    }

    fn add(&mut self, doc: DocId, source: &SourceState) {
        self.recordings.push(doc);
        let status = source.status();
        // The worst status is the least.
        if status < self.status {
            (self.status, self.first) = (status, doc);
        }
        self.breaks += usize::from(source.fit() == RequestFit::Breaks);
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
        for &doc in by_path {
            let Some(item) = items.get(doc) else { continue };
            let Some(source) = &item.source else { continue };
            let Some(key) = key(source) else { continue };
            let row = *rows_by_key.entry(key).or_insert_with(|| {
                let file = source.file.clone().unwrap_or_default();
                let at = key.1.map(Box::from);
                list.rows.push(SourceRow::new(SourceName { file, at }, doc));
                list.rows.len() - 1
            });
            list.rows[row].add(doc, source);
        }
        let names = list.rows.iter().enumerate();
        list.by_name = names.map(|(index, row)| (row.name.clone(), index)).collect();
        list
    }

    fn get(&self, name: &SourceName) -> Option<&SourceRow> {
        self.rows.get(*self.by_name.get(name)?)
    }

    /// The source of a recording.
    pub fn of_recording(&self, source: &SourceState) -> Option<&SourceRow> {
        let (_, at) = key(source)?;
        self.get(&SourceName { file: source.file.clone()?, at: at.map(Box::from) })
    }
}
