//! The sets of a project: folders with recordings or requests, the machines that recordings were made from, and the
//! verdict on each set.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::{DocId, Items, Revision};
use calls::Item;
use document::FileKind;
use document::cassette::CassetteClient;
use document::text::{Source, counted, listed, visible};
use play::playback::SetVerdict;

/// The sets and machines of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundSets {
    /// By folder.
    pub sets: Vec<FoundSet>,
    pub machines: Vec<FoundMachine>,
    /// The numbers of cassettes, which other clients play, and of HTTP archives, which have no player.
    pub others: [usize; 2],
    /// The clients of the cassettes.
    pub clients: BTreeSet<&'static str>,
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
        let (mut other_counts, mut clients) = ([0; 2], BTreeSet::new());
        let mut machines: BTreeMap<&str, (DocId, BTreeSet<&str>)> = BTreeMap::new();
        for (doc, item) in items.iter() {
            let index = match item.kind {
                FileKind::Recording => 0,
                FileKind::Request => 1,
                _ => {
                    other_counts[0] += usize::from(item.kind == FileKind::Cassette);
                    other_counts[1] += usize::from(item.kind == FileKind::Har);
                    clients.extend(item.client().map(CassetteClient::as_str));
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
        Self { sets: sets.collect(), machines: machines.collect(), others: other_counts, clients }
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

    /// Says why cassettes and HTTP archives are not listed; `None` if there are none.
    pub fn others_remark(&self) -> Option<String> {
        let [cassettes, archives] = self.others;
        let mut sentences = Vec::new();
        if cassettes > 0 {
            let count = counted(cassettes, "cassette", "cassettes");
            let (verb, client) = match cassettes {
                1 => ("is", "client"),
                _ => ("are", "clients"),
            };
            let mut sentence = format!("{count} {verb} played by their own {client}");
            let clients: Vec<&str> = self.clients.iter().copied().collect();
            if !clients.is_empty() {
                sentence.push_str(&format!(" ({})", listed(&clients)));
            }
            sentences.push(sentence + ". Retake does not judge that yet.");
        }
        if archives > 0 {
            let count = counted(archives, "HTTP archive", "HTTP archives");
            let verb = if archives == 1 { "has" } else { "have" };
            sentences.push(format!("{count} {verb} no player."));
        }
        (!sentences.is_empty()).then(|| sentences.join(" "))
    }

    pub fn with_recordings(&self) -> impl Iterator<Item = &FoundSet> {
        self.sets.iter().filter(|set| set.recordings > 0)
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
    /// Returns the verdict with the requests that were played: `own requests: 7 of 7`.
    pub fn label(&self) -> String {
        let requests = match self.machine {
            Some(_) => "first requests",
            None => "own requests",
        };
        format!("{requests}: {}", visible(&self.verdict.label))
    }

    /// Describes which requests were played, and the result.
    pub fn describe(&self) -> String {
        let requests = match &self.machine {
            Some(path) => format!("The first request of each node of {}", visible(path)),
            None => "The requests of the set itself".to_owned(),
        };
        let title = visible(&self.verdict.title).replace('`', "");
        format!("{requests}, in hybrid mode. {title}")
    }

    fn is_of(&self, files: &[JudgedFile]) -> bool {
        let old_files = self.files.as_deref();
        old_files.is_some_and(|old_files| {
            let mut pairs = old_files.iter().zip(files);
            old_files.len() == files.len() && pairs.all(|(old, new)| old.is_same(new))
        })
    }
}
