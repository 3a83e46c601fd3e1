//! The sets of a project: folders with recordings or requests, the machines that recordings were made from, and the
//! verdict on each set.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::{DocId, Items, Revision};
use calls::{CallRow, Item};
use document::text::Source;
use document::{FileKind, RuleId};
use play::client::knows_matchers;
use play::playback::{ResultStatus, SetVerdict};

/// The sets and machines of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundSets {
    /// By folder.
    pub sets: Vec<FoundSet>,
    pub machines: Vec<FoundMachine>,
    /// The cassettes of which it is known what their clients play, by path.
    pub cassettes: Vec<FoundCassette>,
}

/// A folder with recordings or requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSet {
    /// From the project root.
    pub folder: Arc<str>,
    pub recordings: usize,
    /// The number of bare requests.
    pub requests: usize,
}

/// A cassette that can be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCassette {
    /// From the project root.
    pub path: Arc<str>,
    /// The status of each call; `None` for one that is of no model.
    pub calls: Box<[Option<ResultStatus>]>,
}

/// A machine that recordings were made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundMachine {
    /// From the project root.
    pub path: Arc<str>,
    /// A recording that names it.
    pub recording: DocId,
    /// The folders of the recordings that were made from it.
    pub sets: Vec<Arc<str>>,
}

impl FoundSets {
    /// Finds the sets of these items.
    pub fn from_items(items: &Items) -> Self {
        let mut sets: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        let mut cassettes = Vec::new();
        let mut machines: BTreeMap<&str, (DocId, BTreeSet<&str>)> = BTreeMap::new();
        for (doc, item) in items.iter() {
            let index = match item.kind {
                FileKind::Recording => 0,
                FileKind::Request => 1,
                _ => {
                    cassettes.extend(FoundCassette::of_item(item));
                    continue;
                }
            };
            sets.entry(item.folder()).or_default()[index] += 1;
            if let Some(path) = machine_of(item) {
                // Any recording will do to name the machine, so the first one stays.
                let (_, folders) = machines.entry(path).or_insert((doc, BTreeSet::new()));
                folders.insert(item.folder());
            }
        }
        let sets = sets.into_iter().map(|(folder, [recordings, requests])| FoundSet {
            folder: folder.into(),
            recordings,
            requests,
        });
        let machines = machines.into_iter().map(|(path, (through, folders))| FoundMachine {
            path: path.into(),
            recording: through,
            sets: folders.into_iter().map(Arc::from).collect(),
        });
        cassettes.sort_by(|a, b| a.path.cmp(&b.path));
        Self { sets: sets.collect(), machines: machines.collect(), cassettes }
    }

    /// The machine at a path.
    pub fn machine(&self, path: &str) -> Option<&FoundMachine> {
        self.machines.iter().find(|machine| *machine.path == *path)
    }

    /// The machine that the recordings of a folder were made from; the first one by path, if there are several.
    pub fn machine_of(&self, folder: &str) -> Option<&FoundMachine> {
        let is_from = |machine: &&FoundMachine| machine.sets.iter().any(|set| **set == *folder);
        self.machines.iter().find(is_from)
    }

    pub fn with_recordings(&self) -> impl Iterator<Item = &FoundSet> {
        self.sets.iter().filter(|set| set.recordings > 0)
    }
}

impl FoundCassette {
    /// Reads the row of a cassette; `None` if it is not known what its client plays, or it has no call of a model.
    fn of_item(item: &Item) -> Option<Self> {
        let client = item.client().filter(|_| item.kind == FileKind::Cassette)?;
        let is_known = item.cassette.as_ref().is_none_or(|facts| knows_matchers(client, facts));
        if !is_known || item.calls.iter().all(|call| call.api.is_none()) {
            return None;
        }
        let mut calls: Box<[_]> =
            item.calls.iter().map(|call| call.api.as_ref().map(|_| ResultStatus::Good)).collect();
        for fault in item.problems.iter() {
            let is_about = |(number, call): &(usize, &CallRow)| match (fault.rule, &fault.calls) {
                (RuleId::CallAmbiguous, Some(calls)) => calls.numbers.contains(number),
                // Whether its answer differs is known when the cassette is played.
                (RuleId::RepeatUnreachable, _) => call.has_problem(fault),
                _ => false,
            };
            for (number, _) in item.calls.iter().enumerate().filter(is_about) {
                calls[number] = Some(ResultStatus::Doubtful);
            }
        }
        Some(Self { path: item.root_path().into(), calls })
    }
}

/// The machine that a recording was made from, at its current path.
pub fn machine_of(item: &Item) -> Option<&Arc<str>> {
    Some(&item.source.as_ref()?.found.present()?.path)
}

/// The verdicts on sets, by folder.
pub type JudgedSets = BTreeMap<Arc<str>, JudgedSet>;

/// Plays each set that has changed since it was judged; the answers are `PlaybackEvent::SetsJudged`.
#[derive(Debug)]
pub struct JudgeSets {
    /// The number that the answers carry.
    pub number: u64,
    pub items: Items,
    /// The texts of edited documents, used in place of the files.
    pub edited: Vec<(DocId, Revision, Source)>,
    /// The verdicts so far.
    pub judged: Arc<JudgedSets>,
}

/// A set with its verdict.
#[derive(Clone, Debug)]
pub struct JudgedSet {
    /// The files that were played; `None` if one of them was written since.
    pub files: Option<Arc<[JudgedFile]>>,
    /// The machine whose requests were played; `None` for the requests of the set itself.
    pub machine: Option<Arc<str>>,
    pub verdict: Arc<SetVerdict>,
}

/// A file of a set, as it was played.
#[derive(Clone, Debug)]
pub struct JudgedFile {
    pub doc: DocId,
    pub item: Arc<Item>,
    /// The revision of its text, if it was edited.
    pub revision: Option<Revision>,
}

impl JudgedFile {
    fn is_same(&self, other: &Self) -> bool {
        (self.doc, self.revision) == (other.doc, other.revision)
            // A row is replaced when its file changes, so rows need not be compared by value.
            && Arc::ptr_eq(&self.item, &other.item)
    }
}

/// A set to play.
#[derive(Debug)]
pub struct SetToJudge {
    pub folder: Arc<str>,
    pub files: Vec<JudgedFile>,
    /// The machine that its recordings were made from; the first one by path, if there are several.
    pub machine: Option<Arc<str>>,
}

impl JudgeSets {
    /// Returns the sets that have changed since they were judged, by folder.
    pub fn changed(&self) -> Vec<SetToJudge> {
        let revisions: HashMap<DocId, Revision> =
            self.edited.iter().map(|(doc, revision, _)| (*doc, *revision)).collect();
        let mut sets: BTreeMap<&str, Vec<JudgedFile>> = BTreeMap::new();
        for (doc, item) in self.items.iter() {
            // Players load no other files of a folder.
            if item.file_name().ends_with(".json") {
                sets.entry(item.folder()).or_default().push(JudgedFile {
                    doc,
                    item: Arc::clone(item),
                    revision: revisions.get(&doc).copied(),
                });
            }
        }
        let is_set = |files: &[JudgedFile]| {
            files.iter().map(|file| &file.item).any(|item| item.kind == FileKind::Recording)
        };
        let sets = sets
            .into_iter()
            .filter(|(folder, files)| {
                is_set(files) && !self.judged.get(*folder).is_some_and(|set| set.is_of(files))
            })
            .map(|(folder, files)| {
                let machines = files.iter().filter_map(|file| match file.item.kind {
                    FileKind::Recording | FileKind::Request => machine_of(&file.item),
                    _ => None,
                });
                SetToJudge { folder: folder.into(), machine: machines.min().cloned(), files }
            });
        sets.collect()
    }
}

impl JudgedSet {
    fn is_of(&self, files: &[JudgedFile]) -> bool {
        let old_files = self.files.as_deref();
        old_files.is_some_and(|old_files| {
            let mut pairs = old_files.iter().zip(files);
            old_files.len() == files.len() && pairs.all(|(old, new)| old.is_same(new))
        })
    }
}
