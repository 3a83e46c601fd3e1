//! The sets of a project: folders with recordings or requests, and the machines that recordings were made from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::format::FileKind;
use crate::format::cassette::CassetteClient;
use crate::ops::Item;
use crate::text::{counted, listed};
use crate::workbench::core::items::Items;
use crate::workbench::core::library::DocId;

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
        let (mut others, mut clients) = ([0; 2], BTreeSet::new());
        let mut machines: BTreeMap<&str, (DocId, BTreeSet<&str>)> = BTreeMap::new();
        for (doc, item) in items.iter() {
            let at = match item.kind {
                FileKind::Recording => 0,
                FileKind::Request => 1,
                _ => {
                    others[0] += usize::from(item.kind == FileKind::Cassette);
                    others[1] += usize::from(item.kind == FileKind::Har);
                    clients.extend(item.client().map(CassetteClient::as_str));
                    continue;
                }
            };
            sets.entry(item.folder()).or_default()[at] += 1;
            if let Some(path) = machine(item) {
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
        Self { sets: sets.collect(), machines: machines.collect(), others, clients }
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
pub(super) fn machine(item: &Item) -> Option<&str> {
    let source = item.source.as_ref()?;
    Some(&source.found.present()?.path)
}
