//! Every seed that is open, read for the desk.

use std::collections::HashMap;
use std::sync::Arc;

use super::SeedId;
use crate::ops::seeds::{At, File, Glance, Memory, Said, Seed, glance};
use crate::text::Place;
use crate::workbench::DocId;

/// How a response shows in a small room.
#[derive(Clone, Debug, PartialEq)]
pub enum Face {
    /// Its telling fields.
    Glance(Glance),
    /// It is no JSON; where it stands in the file.
    NotJson(Place),
    /// It is empty or missing.
    Empty,
    /// Only running the code would tell it; as it is written.
    Code(Arc<str>),
}

impl Face {
    fn of(seed: &Seed) -> Self {
        match &seed.response {
            Said::Is(response) if response.is_empty() => Self::Empty,
            Said::Is(response) => match glance(response) {
                Some(glance) => Self::Glance(glance),
                None => Self::NotJson(seed.response_mark.place),
            },
            Said::Code(code) => Self::Code(Arc::clone(code)),
            Said::Missing => Self::Empty,
        }
    }
}

/// All seeds, seeded as the provider would, and how they show.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What the provider holds.
    pub memory: Memory,
    faces: Vec<Vec<Face>>,
    docs: HashMap<Arc<str>, DocId>,
    /// The documents in the order of the memory's files.
    ids: Vec<DocId>,
}

impl Loaded {
    /// Takes the seeds of documents, each with its path.
    pub fn new(documents: Vec<(DocId, File)>) -> Self {
        let docs: HashMap<Arc<str>, DocId> = documents
            .iter()
            .map(|(doc, file)| (Arc::clone(&file.path), *doc))
            .collect();
        let memory = Memory::new(documents.into_iter().map(|(_, file)| file));
        let faces = memory
            .files()
            .iter()
            .map(|file| file.seeds.iter().map(Face::of).collect());
        Self {
            faces: faces.collect(),
            ids: memory
                .files()
                .iter()
                .filter_map(|file| docs.get(&file.path).copied())
                .collect(),
            docs,
            memory,
        }
    }

    /// How a seed shows.
    pub fn face(&self, at: At) -> &Face {
        &self.faces[at.file][at.seed]
    }

    /// The document and number of a seed.
    pub fn id(&self, at: At) -> Option<SeedId> {
        let doc = *self.ids.get(at.file)?;
        Some(SeedId {
            doc,
            index: at.seed,
        })
    }

    /// Where a seed is; `None` when it is not there any more.
    pub fn at(&self, id: SeedId) -> Option<At> {
        let file = self.ids.iter().position(|doc| *doc == id.doc)?;
        let seeds = &self.memory.files()[file].seeds;
        (id.index < seeds.len()).then_some(At {
            file,
            seed: id.index,
        })
    }

    /// The documents with seeds, in the order in which they are seeded.
    pub fn docs(&self) -> impl Iterator<Item = DocId> {
        self.ids.iter().copied()
    }

    /// The document at a path.
    pub fn doc_of(&self, path: &str) -> Option<DocId> {
        self.docs.get(path).copied()
    }

    /// How many seeds there are.
    pub fn len(&self) -> usize {
        self.faces.iter().map(Vec::len).sum()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.faces.iter().all(Vec::is_empty)
    }
}
