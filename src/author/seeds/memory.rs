//! Content of the provider's memory after files were seeded.

use std::collections::HashMap;
use std::sync::Arc;

use super::seed::SeedEntry;

/// The seeds of one file.
#[derive(Clone, Debug)]
pub struct SeedFile {
    /// Its path, which says when it is seeded.
    pub path: Arc<str>,
    /// In the order of the file.
    pub seeds: Arc<[SeedEntry]>,
}

/// Names a seed of a [`Memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeedIndex {
    pub file: usize,
    /// Its index in the file.
    pub seed: usize,
}

/// Seeds of one key.
#[derive(Clone, Debug)]
pub struct KeySlot {
    pub key: Arc<str>,
    /// Everything it was seeded with; the last counts.
    pub seeded: Vec<SeedIndex>,
}

impl KeySlot {
    /// Returns the effective seed, which is the last one.
    pub fn last(&self) -> SeedIndex {
        // A slot begins with a seed.
        self.seeded.last().copied().unwrap_or(SeedIndex { file: 0, seed: 0 })
    }
}

/// The provider's map of seeds.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: Vec<SeedFile>,
    /// In the order in which JavaScript's `Map` walks its keys: by their first insertion.
    slots: Vec<KeySlot>,
    by_key: HashMap<Arc<str>, usize>,
    unknown: Vec<SeedIndex>,
}

impl Memory {
    /// Seeds files in the order of their paths.
    pub fn new(files: impl IntoIterator<Item = SeedFile>) -> Self {
        let mut files: Vec<SeedFile> = files.into_iter().collect();
        // Which file a test seeds first is not known; by path, the answer does not depend on the order of reading.
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut memory = Self::default();
        for (file, of) in files.iter().enumerate() {
            for (seed, key) in of.seeds.iter().enumerate() {
                memory.insert(key, SeedIndex { file, seed });
            }
        }
        memory.files = files;
        memory
    }

    fn insert(&mut self, seed: &SeedEntry, at: SeedIndex) {
        // A key with a part that is code is known only when the test runs.
        let Some(key) = seed.key.text() else { return self.unknown.push(at) };
        if let Some(&slot) = self.by_key.get(&*key) {
            return self.slots[slot].seeded.push(at);
        }
        let key: Arc<str> = key.into();
        self.by_key.insert(Arc::clone(&key), self.slots.len());
        let seeded = vec![at];
        self.slots.push(KeySlot { key, seeded });
    }

    /// Returns the files in the order in which they are seeded.
    pub fn files(&self) -> &[SeedFile] {
        &self.files
    }

    /// Returns what is seeded, in the order in which the wildcard looks at it.
    pub fn slots(&self) -> &[KeySlot] {
        &self.slots
    }

    /// Returns the slot of a key.
    pub fn slot(&self, key: &str) -> Option<&KeySlot> {
        self.by_key.get(key).map(|slot| &self.slots[*slot])
    }

    /// Returns the seeds whose keys are only known when their code runs.
    pub fn unknown(&self) -> &[SeedIndex] {
        &self.unknown
    }

    /// Returns a seed.
    pub fn seed(&self, at: SeedIndex) -> &SeedEntry {
        &self.files[at.file].seeds[at.seed]
    }

    /// Returns the path of the file that contains a seed.
    pub fn path(&self, at: SeedIndex) -> &Arc<str> {
        &self.files[at.file].path
    }

    /// Returns whether a slot answers: what counts in it is not empty.
    pub fn answers(&self, slot: &KeySlot) -> bool {
        self.seed(slot.last()).answers()
    }
}
